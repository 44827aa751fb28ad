import { CODE, type Code, FIELD } from '../abi.ts';
import type { Nvml } from '../nvml.ts';
import { MAX_COUNT_32 } from '../ranges.ts';
import type { Reader, Subject, Variant } from '../reader.ts';
import { symbol } from '../symbols.ts';
import { fieldGroup, fieldVariant } from './field-group.ts';

const RETIRED_PAGES = symbol('nvmlDeviceGetRetiredPages_v2');
const RETIRED_PAGES_V1 = symbol('nvmlDeviceGetRetiredPages');
const RETIRED_PENDING = symbol('nvmlDeviceGetRetiredPagesPendingStatus');
const REMAPPED_ROWS = symbol('nvmlDeviceGetRemappedRows');
const HISTOGRAM = symbol('nvmlDeviceGetRowRemapperHistogram');

/** nvmlPageRetirementCause_t. */
const CAUSE = { corrected: 0, uncorrected: 1 } as const;

/** Asks for the number of pages only: with room for none, the driver says how many there are. */
function countPages(cause: number): (nvml: Nvml, gpu: Subject) => Code {
  return (nvml, { handle }) => {
    nvml.out[0] = 0;
    let code = nvml.call(RETIRED_PAGES, handle, cause, nvml.out, null, null);
    if (code === CODE.functionNotFound) {
      nvml.out[0] = 0;
      code = nvml.call(RETIRED_PAGES_V1, handle, cause, nvml.out, null);
    }
    return code === CODE.insufficientSize ? CODE.ok : code;
  };
}

function firstWord({ out }: Nvml): number {
  return out[0]!;
}

const readRows: Variant = (nvml, { handle }, out) => {
  const [correctable, uncorrectable, pending, failure] = nvml.results;
  const code = nvml.call(REMAPPED_ROWS, handle, correctable, uncorrectable, pending, failure);
  if (code !== CODE.ok) return code;
  out.put(0, nvml.out[0]!, 0, MAX_COUNT_32);
  out.put(1, nvml.out[2]!, 0, MAX_COUNT_32);
  out.put(2, nvml.out[4]!, 0, 1);
  out.put(3, nvml.out[6]!, 0, 1);
  return code;
};

const readHistogram: Variant = (nvml, { handle }, out) => {
  const code = nvml.call(HISTOGRAM, handle, nvml.out);
  if (code === CODE.ok) for (let bin = 0; bin < 5; bin++) out.put(bin, nvml.out[bin]!, 0, MAX_COUNT_32);
  return code;
};

export const MEMORY_REPAIR_READERS: readonly Reader[] = [
  fieldGroup([
    {
      metric: 'retired_pages_corrected_total',
      field: FIELD.retiredCorrected,
      max: MAX_COUNT_32,
      call: { ask: countPages(CAUSE.corrected), value: firstWord },
    },
    {
      metric: 'retired_pages_uncorrected_total',
      field: FIELD.retiredUncorrected,
      max: MAX_COUNT_32,
      call: { ask: countPages(CAUSE.uncorrected), value: firstWord },
    },
    {
      metric: 'retired_pages_pending',
      field: FIELD.retiredPending,
      max: 1,
      call: { ask: (nvml, { handle }) => nvml.call(RETIRED_PENDING, handle, nvml.out), value: firstWord },
    },
  ]),
  {
    metrics: [
      'remapped_rows_correctable_total',
      'remapped_rows_uncorrectable_total',
      'remapped_rows_pending',
      'remapped_rows_failure',
    ],
    variants: [
      readRows,
      fieldVariant([
        { field: FIELD.remappedCorrectable, max: MAX_COUNT_32 },
        { field: FIELD.remappedUncorrectable, max: MAX_COUNT_32 },
        { field: FIELD.remappedPending, max: 1 },
        { field: FIELD.remappedFailure, max: 1 },
      ]),
    ],
    notWithMig: true,
  },
  {
    metrics: ['remap_banks_max', 'remap_banks_high', 'remap_banks_partial', 'remap_banks_low', 'remap_banks_none'],
    variants: [readHistogram],
  },
];
