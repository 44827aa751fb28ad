/** Values that are not there are NaN in every column, and are left out of every statistic. */
export type Values = Float32Array | Float64Array;

/** Picks cells: those with a byte other than 0. */
export type Mask = Uint8Array;

/** The values under a mask that are there, in order. */
export function present(values: Values, mask: Mask | null = null, from = 0, to = values.length): Float32Array {
  const kept = new Float32Array(to - from);
  let count = 0;
  for (let i = from; i < to; i++) {
    const value = values[i]!;
    if (!Number.isNaN(value) && (mask === null || mask[i] !== 0)) kept[count++] = value;
  }
  return kept.subarray(0, count);
}

/** NaN for none. */
export function mean(values: Values): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

export function deviation(values: Values): number {
  const middle = mean(values);
  let sum = 0;
  for (const value of values) sum += (value - middle) ** 2;
  return Math.sqrt(sum / values.length);
}

/** Share of the values for which `test` holds; 0 for none. */
export function share(values: Values, test: (value: number) => boolean): number {
  let count = 0;
  for (const value of values) if (test(value)) count++;
  return values.length === 0 ? 0 : count / values.length;
}

/** Median; NaN for none. */
export function median(values: Values | readonly number[]): number {
  return quantiles(Float32Array.from(values), [0.5])[0]!;
}

const BINS = 65_536;

/** So few are sorted at once. */
const SORTED_AT_MOST = 4096;

/**
 * Quantiles by nearest rank, 0–1 each; NaN for none. Exact, in linear time: the order of floats is that of their bits, so
 * the upper half of the bits is counted, and then the lower half within the bin that holds the rank.
 */
export function quantiles(values: Float32Array, shares: readonly number[]): number[] {
  const count = values.length;
  if (count === 0) return shares.map(() => Number.NaN);
  const ranks = shares.map((part) => Math.min(count - 1, Math.max(0, Math.ceil(part * count) - 1)));
  if (count <= SORTED_AT_MOST) {
    const sorted = values.slice().sort();
    return ranks.map((rank) => sorted[rank]!);
  }
  const keys = orderedBits(values);
  const high = new Uint32Array(BINS);
  for (const key of keys) high[key >>> 16]!++;
  const upper = ranks.map((rank) => binOf(high, rank));
  const lower = new Map(upper.map(({ bin }) => [bin, new Uint32Array(BINS)]));
  for (const key of keys) {
    const counts = lower.get(key >>> 16);
    if (counts !== undefined) counts[key & 0xffff]!++;
  }
  return ranks.map((rank, index) => {
    const { bin, before } = upper[index]!;
    return fromOrderedBits(((bin << 16) | binOf(lower.get(bin)!, rank - before).bin) >>> 0);
  });
}

/** The bits of floats, turned so that their order as numbers is that of the floats. */
function orderedBits(values: Float32Array): Uint32Array {
  const keys = new Uint32Array(values.slice().buffer);
  for (let i = 0; i < keys.length; i++) {
    const bits = keys[i]!;
    keys[i] = bits & 0x80000000 ? ~bits : bits | 0x80000000;
  }
  return keys;
}

function fromOrderedBits(key: number): number {
  const bits = key & 0x80000000 ? key ^ 0x80000000 : ~key;
  return new Float32Array(new Uint32Array([bits >>> 0]).buffer)[0]!;
}

function binOf(counts: Uint32Array, rank: number): { bin: number; before: number } {
  let before = 0;
  for (let bin = 0; bin < counts.length; bin++) {
    if (before + counts[bin]! > rank) return { bin, before };
    before += counts[bin]!;
  }
  return { bin: counts.length - 1, before };
}
