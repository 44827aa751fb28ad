import { CODE, type Code, ECC_COUNTS, ECC_ERROR, ECC_SPAN, MEMORY_LOCATION, SRAM_ECC_V1 } from '../abi.ts';
import { absenceOf } from '../answers.ts';
import type { Nvml } from '../nvml.ts';
import { MAX_COUNT } from '../ranges.ts';
import type { Reader, Subject, Variant } from '../reader.ts';
import { symbol } from '../symbols.ts';
import { summary } from './field-group.ts';

const ERROR_COUNTER = symbol('nvmlDeviceGetMemoryErrorCounter');
const DETAILED_ERRORS = symbol('nvmlDeviceGetDetailedEccErrors');
const SRAM_STATUS = symbol('nvmlDeviceGetSramEccErrorStatus');

/** The kinds of counters of one place, in the order of the metrics of its reader. */
const KINDS = [
  { error: ECC_ERROR.corrected, span: ECC_SPAN.volatile },
  { error: ECC_ERROR.uncorrected, span: ECC_SPAN.volatile },
  { error: ECC_ERROR.corrected, span: ECC_SPAN.aggregate },
  { error: ECC_ERROR.uncorrected, span: ECC_SPAN.aggregate },
] as const;

type Kind = (typeof KINDS)[number];
type Place = 'dram' | 'sram' | 'l1_cache' | 'l2_cache' | 'register_file' | 'texture' | 'cbu';

/**
 * The counters of one place, one call each. `offset` is where the oldest function has the place, which knows four of
 * them; it is for libraries without the newer one, since it gives 0 for a place that the board does not have.
 */
function placeReader(place: Place, location: number, offset?: number): Reader {
  function ask(nvml: Nvml, { handle }: Subject, { error, span }: Kind): { code: Code; at: number } {
    const code = nvml.call(ERROR_COUNTER, handle, error, span, location, nvml.out);
    if (code !== CODE.functionNotFound || offset === undefined) return { code, at: 0 };
    return { code: nvml.call(DETAILED_ERRORS, handle, error, span, nvml.out), at: offset };
  }

  const read: Variant = (nvml, gpu, out) => {
    const codes: Code[] = [];
    for (let i = 0; i < KINDS.length; i++) {
      const { code: answer, at } = ask(nvml, gpu, KINDS[i]!);
      // A place that the driver has never heard of is an invalid argument to it.
      const code = answer === CODE.invalidArgument ? CODE.notSupported : answer;
      if (code === CODE.functionNotFound) return code;
      if (code === CODE.ok) out.put(i, nvml.amount(at), 0, MAX_COUNT);
      else out.putAbsent(i, absenceOf(code));
      codes.push(code);
    }
    return summary(codes);
  };

  return {
    metrics: [
      `ecc_${place}_corrected_volatile_total`,
      `ecc_${place}_uncorrected_volatile_total`,
      `ecc_${place}_corrected_aggregate_total`,
      `ecc_${place}_uncorrected_aggregate_total`,
    ],
    variants: [read],
  };
}

const SRAM_COUNTS = [
  SRAM_ECC_V1.volatileParity,
  SRAM_ECC_V1.volatileSecded,
  SRAM_ECC_V1.aggregateParity,
  SRAM_ECC_V1.aggregateSecded,
  SRAM_ECC_V1.l2,
  SRAM_ECC_V1.sm,
  SRAM_ECC_V1.pcie,
  SRAM_ECC_V1.mcu,
  SRAM_ECC_V1.other,
] as const;

/** Many drivers tell this to root only. */
const readSram: Variant = (nvml, { handle }, out) => {
  nvml.out[0] = SRAM_ECC_V1.word;
  const code = nvml.call(SRAM_STATUS, handle, nvml.out);
  if (code !== CODE.ok) return code;
  for (let i = 0; i < SRAM_COUNTS.length; i++) out.put(i, nvml.amount(SRAM_COUNTS[i]!), 0, MAX_COUNT);
  out.put(SRAM_COUNTS.length, nvml.out[SRAM_ECC_V1.thresholdExceeded / 4]!, 0, 1);
  return code;
};

export const ECC_PLACE_READERS: readonly Reader[] = [
  placeReader('dram', MEMORY_LOCATION.dram, ECC_COUNTS.memory),
  placeReader('sram', MEMORY_LOCATION.sram),
  placeReader('l1_cache', MEMORY_LOCATION.l1, ECC_COUNTS.l1),
  placeReader('l2_cache', MEMORY_LOCATION.l2, ECC_COUNTS.l2),
  placeReader('register_file', MEMORY_LOCATION.registers, ECC_COUNTS.registers),
  placeReader('texture', MEMORY_LOCATION.texture),
  placeReader('cbu', MEMORY_LOCATION.cbu),
  {
    metrics: [
      'ecc_sram_parity_uncorrected_volatile_total',
      'ecc_sram_secded_uncorrected_volatile_total',
      'ecc_sram_parity_uncorrected_aggregate_total',
      'ecc_sram_secded_uncorrected_aggregate_total',
      'ecc_sram_l2_uncorrected_aggregate_total',
      'ecc_sram_sm_uncorrected_aggregate_total',
      'ecc_sram_pcie_uncorrected_aggregate_total',
      'ecc_sram_mcu_uncorrected_aggregate_total',
      'ecc_sram_other_uncorrected_aggregate_total',
      'ecc_sram_threshold_exceeded',
    ],
    variants: [readSram],
  },
];
