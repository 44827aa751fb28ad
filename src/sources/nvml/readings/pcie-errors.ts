import type { MetricId } from '../../../model/catalogue.ts';
import { FIELD } from '../abi.ts';
import { MAX_COUNT, MAX_COUNT_32 } from '../ranges.ts';
import type { Reader } from '../reader.ts';
import { symbol } from '../symbols.ts';
import { fieldGroup, type GroupItem } from './field-group.ts';

const REPLAYS = symbol('nvmlDeviceGetPcieReplayCounter');

function errors(metric: MetricId, field: number): GroupItem {
  return { metric, field, max: MAX_COUNT };
}

export const PCIE_ERROR_READERS: readonly Reader[] = [
  fieldGroup([
    {
      metric: 'pcie_replay_total',
      field: FIELD.pcieReplays,
      max: MAX_COUNT_32,
      call: { ask: (nvml, { handle }) => nvml.call(REPLAYS, handle, nvml.out), value: ({ out }) => out[0]! },
    },
    errors('pcie_recovery_total', FIELD.pcieRecoveries),
    errors('pcie_correctable_errors_total', FIELD.pcieCorrectable),
    errors('pcie_non_fatal_errors_total', FIELD.pcieNonFatal),
    errors('pcie_fatal_errors_total', FIELD.pcieFatal),
  ]),
];
