import type { Millis } from '../../../src/model/reading.ts';

/** `undefined` is drawn through, `null` is a gap: how uPlot spells the two. */
export type Drawable = number | null | undefined;

/** A hole up to so many sampling intervals is sparse data; a wider one is a gap. */
const BRIDGED_INTERVALS = 3;

/**
 * A column as it is to be drawn. Empty buckets between two samples that are at most three sampling intervals apart are
 * drawn through: with buckets narrower than the interval every other one is empty although nothing is missing. What
 * lies further apart stays a gap, and so does what is before the first and after the last value.
 */
export function bridgeGaps(at: readonly Millis[], column: readonly (number | null)[], intervalMs: number): Drawable[] {
  const out: Drawable[] = column.slice();
  let last = -1;
  for (let i = 0; i < column.length; i++) {
    if (column[i] === null) continue;
    if (last >= 0 && last < i - 1 && at[i]! - at[last]! <= BRIDGED_INTERVALS * intervalMs) {
      out.fill(undefined, last + 1, i);
    }
    last = i;
  }
  return out;
}
