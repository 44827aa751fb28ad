import { type MetricId, slotOf } from '../../../model/catalogue.ts';
import type { Card } from '../cards.ts';
import { wholeMiB } from '../cell.ts';
import type { Title } from './layout.ts';
import type { ViolationShares } from './violations.ts';

/** A column of `dmon`. */
export interface DeviceColumn extends Title {
  read(card: Card, violations: ViolationShares): string;
}

/** Stands for a value that is missing. */
const NONE = '-';

function column(name: string, unit: string, id: MetricId, scale: number): DeviceColumn {
  const slot = slotOf(id);
  return {
    name,
    unit,
    read({ view: { readings } }) {
      const value = readings.number(slot);
      return value === null ? NONE : String(Math.round(value * scale));
    },
  };
}

function memoryColumn(name: string, id: MetricId): DeviceColumn {
  const slot = slotOf(id);
  return {
    name,
    unit: 'MB',
    read({ view: { readings, device } }) {
      const bytes = readings.number(slot);
      return bytes === null ? NONE : wholeMiB(bytes, device);
    },
  };
}

/** The columns behind each letter of `-s`. */
export const DEVICE_GROUPS: Readonly<Record<string, readonly DeviceColumn[]>> = {
  p: [
    column('pwr', 'W', 'power_watts', 1),
    column('gtemp', 'C', 'temperature_celsius', 1),
    column('mtemp', 'C', 'memory_temperature_celsius', 1),
  ],
  u: [
    column('sm', '%', 'utilization_ratio', 100),
    column('mem', '%', 'memory_utilization_ratio', 100),
    column('enc', '%', 'encoder_utilization_ratio', 100),
    column('dec', '%', 'decoder_utilization_ratio', 100),
    column('jpg', '%', 'jpeg_utilization_ratio', 100),
    column('ofa', '%', 'ofa_utilization_ratio', 100),
  ],
  c: [column('mclk', 'MHz', 'memory_clock_hertz', 1e-6), column('pclk', 'MHz', 'sm_clock_hertz', 1e-6)],
  v: [
    { name: 'pviol', unit: '%', read: (card, violations) => violations.power(card) },
    { name: 'tviol', unit: 'bool', read: (card, violations) => violations.thermal(card) },
  ],
  m: [
    memoryColumn('fb', 'memory_used_bytes'),
    memoryColumn('bar1', 'bar1_used_bytes'),
    { name: 'ccpm', unit: 'MB', read: () => NONE },
  ],
  e: [
    column('sbecc', 'errs', 'ecc_corrected_aggregate_total', 1),
    column('dbecc', 'errs', 'ecc_uncorrected_aggregate_total', 1),
    column('pci', 'errs', 'pcie_replay_total', 1),
  ],
  t: [
    column('rxpci', 'MB/s', 'pcie_rx_bytes_per_second', 1e-6),
    column('txpci', 'MB/s', 'pcie_tx_bytes_per_second', 1e-6),
  ],
};

export const USUAL_DEVICE_GROUPS = 'puc';
