import type { Millis } from '../model/reading.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Bucket widths people can read off an axis; above a day they go on as 1, 2, 5, 10, 20, 50 … days. */
const NICE_WIDTHS: readonly number[] = [
  ...[100, 200, 500],
  ...[1, 2, 5, 10, 15, 20, 30].map((seconds) => seconds * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
];

/**
 * How much narrower than the sampling interval a bucket may be. Live ticks come a few milliseconds late, and a median of
 * 1003 ms must not turn every chart of a second into one of two seconds.
 */
const JITTER = 0.05;

/** Buckets of equal width that cover [from, to), aligned to multiples of the width since the epoch. */
export interface GridShape {
  readonly start: Millis;
  readonly buckets: number;
  readonly bucketMs: number;
}

/**
 * The narrowest nice grid with a width of at least (to − from) / points, and not finer than the data, whose typical
 * distance is `intervalMs` (null where that is unknown). Because of the alignment it may have one bucket more than
 * `points`.
 */
export function gridShape(from: Millis, to: Millis, points: number, intervalMs: number | null): GridShape {
  const bucketMs = niceWidth(Math.max((to - from) / points, (intervalMs ?? 0) * (1 - JITTER)));
  const first = Math.floor(from / bucketMs);
  const buckets = from < to ? Math.ceil(to / bucketMs) - first : 0;
  return { start: first * bucketMs, buckets, bucketMs };
}

/** The smallest nice width that is at least `atLeastMs`. */
export function niceWidth(atLeastMs: number): number {
  const nice = NICE_WIDTHS.find((width) => width >= atLeastMs);
  if (nice !== undefined) return nice;
  for (let decade = DAY; ; decade *= 10) {
    for (const factor of [1, 2, 5]) if (decade * factor >= atLeastMs) return decade * factor;
  }
}

/** The middle of some distances, the lower one of two; null where there is none. */
export function medianOf(distances: readonly number[]): number | null {
  const sorted = Float64Array.from(distances).sort();
  return sorted[(sorted.length - 1) >> 1] ?? null;
}

/** The middle of some distances that stand for so many each; null where there is none. */
export function weightedMedian(distances: readonly (readonly [distance: number, count: number])[]): number | null {
  const sorted = [...distances].sort(([a], [b]) => a - b);
  const total = sorted.reduce((sum, [, count]) => sum + count, 0);
  let sum = 0;
  for (const [distance, count] of sorted) {
    sum += count;
    if (2 * sum >= total) return distance;
  }
  return null;
}
