import type { MetricId } from '../../../model/catalogue.ts';
import { CODE, ECC_ERROR, ECC_SPAN, FIELD } from '../abi.ts';
import { MAX_COUNT } from '../ranges.ts';
import type { Reader, Variant } from '../reader.ts';
import { symbol } from '../symbols.ts';
import { fieldGroup, fieldVariant, type GroupItem } from './field-group.ts';

const TOTAL_ERRORS = symbol('nvmlDeviceGetTotalEccErrors');
const MODE = symbol('nvmlDeviceGetEccMode');

/** A total over all places; `error` and `span` are what the older function takes for it. */
function total(metric: MetricId, field: number, error: number, span: number): GroupItem {
  return {
    metric,
    field,
    max: MAX_COUNT,
    call: {
      ask: (nvml, { handle }) => nvml.call(TOTAL_ERRORS, handle, error, span, nvml.out),
      value: (nvml) => nvml.amount(0),
    },
  };
}

const readMode: Variant = (nvml, { handle }, out) => {
  const code = nvml.call(MODE, handle, nvml.results[0], nvml.results[1]);
  if (code !== CODE.ok) return code;
  out.put(0, nvml.out[0]!, 0, 1);
  out.put(1, nvml.out[2]!, 0, 1);
  return code;
};

export const ECC_READERS: readonly Reader[] = [
  fieldGroup([
    total('ecc_corrected_volatile_total', FIELD.eccCorrectedVolatile, ECC_ERROR.corrected, ECC_SPAN.volatile),
    total('ecc_uncorrected_volatile_total', FIELD.eccUncorrectedVolatile, ECC_ERROR.uncorrected, ECC_SPAN.volatile),
    total('ecc_corrected_aggregate_total', FIELD.eccCorrectedAggregate, ECC_ERROR.corrected, ECC_SPAN.aggregate),
    total('ecc_uncorrected_aggregate_total', FIELD.eccUncorrectedAggregate, ECC_ERROR.uncorrected, ECC_SPAN.aggregate),
  ]),
  {
    metrics: ['ecc_mode', 'ecc_mode_pending'],
    variants: [
      readMode,
      fieldVariant([
        { field: FIELD.eccMode, max: 1 },
        { field: FIELD.eccModePending, max: 1 },
      ]),
    ],
  },
];
