import { CODE, type Code, FIELD } from './abi.ts';
import { fieldCode, fieldValue, getFieldValues } from './field-values.ts';
import type { Handle, Nvml } from './nvml.ts';
import type { Cells, Reader, Variant } from './reader.ts';
import { symbol } from './symbols.ts';

const TOTAL_ERRORS = symbol('nvmlDeviceGetTotalEccErrors');

/** In the order of the metrics: the field, and the error type and counter type that the older call takes for it. */
const COUNTERS = [
  { field: FIELD.eccCorrectedVolatile, error: 0, counter: 0 },
  { field: FIELD.eccUncorrectedVolatile, error: 1, counter: 0 },
  { field: FIELD.eccCorrectedAggregate, error: 0, counter: 1 },
  { field: FIELD.eccUncorrectedAggregate, error: 1, counter: 1 },
] as const;

const FIELDS = COUNTERS.map(({ field }) => field);

/** Codes of a field that this driver or board does not give to this caller. */
const CANNOT: readonly Code[] = [CODE.invalidArgument, CODE.notSupported, CODE.noPermission, CODE.functionNotFound];

const MAX_COUNT = Number.MAX_SAFE_INTEGER;

/** One call for all four counters. */
const readFields: Variant = (nvml, { handle }, out) => {
  const code = getFieldValues(nvml, handle, FIELDS);
  if (code !== CODE.ok) return code;
  for (let i = 0; i < COUNTERS.length; i++) {
    const entry = fieldCode(nvml, i);
    // A driver that cannot give a field may still know the older call; anything else is a failure of this one.
    if (CANNOT.includes(entry)) return CODE.notSupported;
    if (entry !== CODE.ok) return entry;
  }
  for (let i = 0; i < COUNTERS.length; i++) out.put(i, fieldValue(nvml, i), 0, MAX_COUNT);
  return code;
};

/** One call per counter. Code of the first that says more than "not supported"; `ok` if any could be read. */
const readEach: Variant = (nvml, { handle }, out) => {
  let result: Code = CODE.notSupported;
  for (let i = 0; i < COUNTERS.length; i++) {
    const code = readOne(nvml, handle, i, out);
    if (code === CODE.ok) result = code;
    else if (code === CODE.gpuIsLost || code === CODE.resetRequired) return code;
    else if (result === CODE.notSupported) result = code;
  }
  return result;
};

function readOne(nvml: Nvml, handle: Handle, position: number, out: Cells): Code {
  const { error, counter } = COUNTERS[position]!;
  const code = nvml.call(TOTAL_ERRORS, handle, error, counter, nvml.out);
  if (code === CODE.ok) out.put(position, nvml.u64(0), 0, MAX_COUNT);
  else if (code === CODE.noPermission) out.putAbsent(position, 'no-permission');
  else out.putAbsent(position, code === CODE.notSupported ? 'not-supported' : 'error');
  return code;
}

export const ECC_READERS: readonly Reader[] = [
  {
    metrics: [
      'ecc_corrected_volatile_total',
      'ecc_uncorrected_volatile_total',
      'ecc_corrected_aggregate_total',
      'ecc_uncorrected_aggregate_total',
    ],
    variants: [readFields, readEach],
  },
];
