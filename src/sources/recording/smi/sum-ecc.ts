import { slotOf } from '../../../model/catalogue.ts';
import { absenceCode, type ReadingSet } from '../../../model/reading-set.ts';

const NOT_COLLECTED = absenceCode('not-collected');

/** A count of errors and the counts that it is made of. */
interface Sum {
  readonly total: number;
  readonly parts: readonly number[];
}

/** In the order in which one may be a part of the next. */
const SUMS: readonly Sum[] = (['volatile', 'aggregate'] as const).flatMap((span) => [
  {
    total: slotOf(`ecc_sram_uncorrected_${span}_total`),
    parts: [slotOf(`ecc_sram_parity_uncorrected_${span}_total`), slotOf(`ecc_sram_secded_uncorrected_${span}_total`)],
  },
  ...(['corrected', 'uncorrected'] as const).map((error) => ({
    total: slotOf(`ecc_${error}_${span}_total`),
    parts: [slotOf(`ecc_sram_${error}_${span}_total`), slotOf(`ecc_dram_${error}_${span}_total`)],
  })),
]);

/**
 * Cards from Turing on count errors by place only, `nvidia-smi -q` prints no total for them: it is the sum of the places.
 * Nothing is added up where a part is missing.
 */
export function sumEcc({ values, codes }: ReadingSet): void {
  for (const { total, parts } of SUMS) {
    if (codes[total] !== NOT_COLLECTED) continue;
    if (parts.every((part) => codes[part] === 0)) {
      values[total] = parts.reduce((sum, part) => sum + values[part]!, 0);
      codes[total] = 0;
    } else if (parts.every((part) => codes[part] === codes[parts[0]!])) {
      codes[total] = codes[parts[0]!]!;
    }
  }
}
