import type { Family, SampleSink } from '../family.ts';
import type { LabelSet } from '../labels.ts';
import type { Row, Steps } from '../page.ts';

/** A family that is one reading of every device. */
export interface ReadingFamily {
  readonly family: Family;
  readonly slot: number;
  /** From the base unit to that of the series. */
  readonly convert?: (value: number) => number;
}

/** Series that are looked at in one step. */
const SERIES_PER_STEP = 1000;

/**
 * Writes these readings of these rows; `labels` has the labels of each row at its position, null to leave it out. `after`
 * may add to a family what is not a reading of a row.
 */
export function* writeReadings(
  sink: SampleSink,
  families: readonly ReadingFamily[],
  rows: readonly Row[],
  labels: readonly (LabelSet | null)[],
  after?: (of: ReadingFamily) => void,
): Steps {
  let looked = 0;
  for (const its of families) {
    if (looked >= SERIES_PER_STEP) {
      yield;
      looked = 0;
    }
    looked += rows.length;
    const { family, slot, convert } = its;
    sink.begin(family);
    for (let i = 0; i < rows.length; i++) {
      const readings = rows[i]!.readings;
      const set = labels[i]!;
      if (readings === null || set === null || readings.codes[slot] !== 0) continue;
      const value = readings.values[slot]!;
      if (Number.isFinite(value)) sink.add(set, convert === undefined ? value : convert(value));
    }
    after?.(its);
  }
}
