import type { Values } from './summary.ts';

/** Where a cycle of utilisation rises and falls: with a band between, so that noise makes no cycles. */
const UP = 0.6;
const DOWN = 0.15;

/** How often `values` went up past `UP` after it had been down at `DOWN`. */
export function cycles(values: Values, up = UP, down = DOWN): number {
  let count = 0;
  let isLow = false;
  for (const value of values) {
    if (value <= down) isLow = true;
    else if (value >= up && isLow) {
      isLow = false;
      count++;
    }
  }
  return count;
}

/** A beat in a column. */
export interface Beat {
  /** Cells from one peak to the next. */
  readonly lag: number;
  /** Height of the peak of the autocorrelation, up to 1. */
  readonly strength: number;
}

/** Shorter beats cannot be told from noise between samples. */
const SHORTEST_LAG = 4;

/** A beat must be seen so often. */
const LEAST_CYCLES = 6;

/**
 * The strongest beat by the unbiased autocorrelation after its first fall through zero, between 4 cells and a sixth of the
 * column. Null where there is none. Missing cells count as the mean.
 */
export function beat(values: Values): Beat | null {
  const n = values.length;
  const centred = new Float64Array(n);
  let sum = 0;
  let count = 0;
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    sum += value;
    count++;
  }
  let power = 0;
  for (let i = 0; i < n; i++) {
    const value = values[i]!;
    centred[i] = Number.isNaN(value) ? 0 : value - sum / count;
    power += centred[i]! ** 2;
  }
  if (count < n / 2 || power / n < 1e-6) return null;
  return firstPeak(strengths(centred, power));
}

/** Unbiased autocorrelation, by lag. */
function strengths(centred: Float64Array, power: number): number[] {
  const n = centred.length;
  const found: number[] = [];
  for (let lag = 0; lag <= n / LEAST_CYCLES; lag++) {
    let product = 0;
    for (let i = lag; i < n; i++) product += centred[i]! * centred[i - lag]!;
    found.push((product / (n - lag) / power) * n);
  }
  return found;
}

/** Multiples of a beat correlate as well as the beat itself: the first that is nearly as strong as the strongest is it. */
const NEARLY = 0.8;

function firstPeak(strengths: readonly number[]): Beat | null {
  const start = strengths.findIndex((strength) => strength < 0);
  if (start < 0) return null;
  const peaks: Beat[] = [];
  for (let lag = Math.max(start, SHORTEST_LAG); lag < strengths.length - 1; lag++) {
    const strength = strengths[lag]!;
    if (strength > 0 && strength >= strengths[lag - 1]! && strength >= strengths[lag + 1]!)
      peaks.push({ lag, strength });
  }
  const strongest = Math.max(0, ...peaks.map(({ strength }) => strength));
  return peaks.find(({ strength }) => strength >= NEARLY * strongest) ?? null;
}
