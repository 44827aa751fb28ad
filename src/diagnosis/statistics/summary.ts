import { ranked } from './ranked.ts';

/** Values that are not there are NaN in every column, and are left out of every statistic. */
export type Values = Float32Array | Float64Array;

/** Picks cells: those with a byte other than 0. */
export type Mask = Uint8Array;

/** The values under a mask that are there, in order. */
export function present(values: Values, mask: Mask | null = null, from = 0, to = values.length): Float32Array {
  const kept = new Float32Array(to - from);
  return kept.subarray(0, keep(values, mask, from, to, kept));
}

/** Copies the values under a mask that are there; how many they are. A function of its own, so that it is compiled once. */
function keep(values: Values, mask: Mask | null, from: number, to: number, kept: Float32Array): number {
  let count = 0;
  for (let i = from; i < to; i++) {
    const value = values[i]!;
    if (!Number.isNaN(value) && (mask === null || mask[i] !== 0)) kept[count++] = value;
  }
  return count;
}

/** NaN for none. */
export function mean(values: Values): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum / values.length;
}

/** {@link mean} of the values under a mask that are there. */
export function meanUnder(values: Values, mask: Mask | null = null, from = 0, to = values.length): number {
  let sum = 0;
  let count = 0;
  for (let i = from; i < to; i++) {
    const value = values[i]!;
    if (Number.isNaN(value) || (mask !== null && mask[i] === 0)) continue;
    sum += value;
    count++;
  }
  return sum / count;
}

/** Largest value that is there; NaN for none. */
export function largest(values: Values): number {
  let highest = Number.NaN;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (value > highest || (Number.isNaN(highest) && !Number.isNaN(value))) highest = value;
  }
  return highest;
}

export function deviation(values: Values): number {
  const middle = mean(values);
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += (values[i]! - middle) ** 2;
  return Math.sqrt(sum / values.length);
}

/** Share of the values for which `test` holds; 0 for none. */
export function share(values: Values, test: (value: number) => boolean): number {
  let count = 0;
  for (let i = 0; i < values.length; i++) if (test(values[i]!)) count++;
  return values.length === 0 ? 0 : count / values.length;
}

/** Median; NaN for none. */
export function median(values: Values | readonly number[]): number {
  return quantiles(values instanceof Float32Array ? values : new Float32Array(values), [0.5])[0]!;
}

/** {@link median} of the values under a mask that are there. */
export function medianUnder(values: Values, mask: Mask | null): number {
  return quantilesUnder(values, mask, [0.5])[0]!;
}

/** Used again and again: fresh memory for every column would cost more than the counting. */
let scratch = new Float32Array(0);

/** {@link quantiles} of the values under a mask that are there. */
export function quantilesUnder(values: Values, mask: Mask | null, shares: readonly number[]): number[] {
  if (scratch.length < values.length) scratch = new Float32Array(values.length);
  return quantiles(scratch.subarray(0, keep(values, mask, 0, values.length, scratch)), shares);
}

/** Quantiles by nearest rank, 0–1 each; NaN for none. */
export function quantiles(values: Float32Array, shares: readonly number[]): number[] {
  const count = values.length;
  if (count === 0) return shares.map(() => Number.NaN);
  const ranks = shares.map((part) => Math.min(count - 1, Math.max(0, Math.ceil(part * count) - 1)));
  return ranked(values, ranks);
}
