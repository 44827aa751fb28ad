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
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum / values.length;
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

const BINS = 65_536;

/** Counted in again and again: fresh memory of this size costs more than the counting. */
const UPPER = new Uint32Array(BINS);
const LOWER: Uint32Array[] = [];
const TABLE_OF = new Uint8Array(BINS);

/** So few are sorted at once. */
const SORTED_AT_MOST = 8192;

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
  const bits = new Int32Array(values.buffer, values.byteOffset, count);
  const high = UPPER.fill(0);
  for (let i = 0; i < count; i++) high[orderedBits(bits[i]!) >>> 16]!++;
  const upper = ranks.map((rank) => binOf(high, rank));
  const wanted = [...new Set(upper.map(({ bin }) => bin))];
  const tables = wanted.map((_, index) => emptyTable(index));
  // Which table counts a bin, from 1 on.
  const tableOf = TABLE_OF.fill(0);
  for (const [index, bin] of wanted.entries()) tableOf[bin] = index + 1;
  for (let i = 0; i < count; i++) {
    const key = orderedBits(bits[i]!);
    const table = tableOf[key >>> 16]!;
    if (table !== 0) tables[table - 1]![key & 0xffff]!++;
  }
  return ranks.map((rank, index) => {
    const { bin, before } = upper[index]!;
    return fromOrderedBits(((bin << 16) | binOf(tables[tableOf[bin]! - 1]!, rank - before).bin) >>> 0);
  });
}

function emptyTable(index: number): Uint32Array {
  LOWER[index] ??= new Uint32Array(BINS);
  return LOWER[index].fill(0);
}

/** The bits of a float, turned so that their order as unsigned numbers is that of the floats. */
function orderedBits(bits: number): number {
  return bits < 0 ? ~bits : bits ^ 0x80000000;
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
