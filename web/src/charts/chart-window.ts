import type { ApiSeries } from '../../../src/model/api.ts';
import type { Millis } from '../../../src/model/reading.ts';

/** One metric over the buckets of a {@link ChartWindow}; null where a bucket holds no value. */
export interface ChartColumn {
  readonly min: (number | null)[];
  /** Null for bit sets. */
  readonly mean: (number | null)[];
  /** For bit sets every bit that was set. */
  readonly max: (number | null)[];
  readonly count: number[];
}

/**
 * The series of one GPU over a time range: as answered by the server, then followed tick by tick, so that nothing is
 * asked for again while time moves on.
 */
export class ChartWindow {
  readonly bucketMs: number;
  readonly intervalMs: number;
  /** Start of each bucket. */
  readonly at: Millis[];
  readonly #columns = new Map<string, ChartColumn>();
  readonly #bitSets = new Set<string>();
  /** The server answered for everything before this. */
  readonly #answeredTo: Millis;

  constructor(grid: ApiSeries) {
    this.bucketMs = grid.bucketMs;
    this.intervalMs = grid.intervalMs;
    this.at = grid.at.slice();
    this.#answeredTo = grid.to;
    for (const { metric, unit, min, mean, max, count } of grid.series) {
      if (unit === 'bits') this.#bitSets.add(metric);
      this.#columns.set(metric, { min: min.slice(), mean: mean.slice(), max: max.slice(), count: count.slice() });
    }
  }

  column(metric: string): ChartColumn | undefined {
    return this.#columns.get(metric);
  }

  /** True where there is nothing at all. */
  get isEmpty(): boolean {
    return ![...this.#columns.keys()].some((metric) => this.has(metric));
  }

  /** True where the metric has any value in the window. */
  has(metric: string): boolean {
    return this.#columns.get(metric)?.max.some((value) => value !== null) ?? false;
  }

  /**
   * The bucket with a value that is nearest to bucket `index`, `index` itself where there is none within a sampling
   * interval and a half: buckets narrower than the interval are empty although nothing is missing.
   */
  nearestWith(values: readonly (number | null)[], index: number): number {
    const reach = 1.5 * this.intervalMs;
    const at = this.at[index] ?? 0;
    for (let step = 0; step < values.length; step++) {
      for (const i of [index - step, index + step]) {
        if (values[i] != null && Math.abs((this.at[i] ?? 0) - at) <= reach) return i;
      }
      const isBeyond = (i: number) => Math.abs((this.at[i] ?? Number.POSITIVE_INFINITY) - at) > reach;
      if (isBeyond(index - step) && isBeyond(index + step)) return index;
    }
    return index;
  }

  /** Takes the values of a tick. A tick that the answer covered already is left out. */
  append(at: Millis, read: (metric: string) => number | null): void {
    const bucket = Math.floor(at / this.bucketMs) * this.bucketMs;
    const last = this.at.at(-1) ?? Number.NEGATIVE_INFINITY;
    if (at < this.#answeredTo || bucket < last) return;
    // One empty bucket is enough to keep a line from being drawn across the time in between.
    if (bucket > last + this.bucketMs && this.at.length > 0) this.#push(last + this.bucketMs);
    if (bucket > last) this.#push(bucket);
    const i = this.at.length - 1;
    for (const [metric, column] of this.#columns) {
      const value = read(metric);
      if (value !== null) mergeInto(column, i, value, this.#bitSets.has(metric));
    }
  }

  /** Forgets buckets that ended before `at`. */
  dropBefore(at: Millis): void {
    const kept = this.at.findIndex((start) => start + this.bucketMs > at);
    const gone = kept < 0 ? this.at.length : kept;
    if (gone === 0) return;
    this.at.splice(0, gone);
    for (const { min, mean, max, count } of this.#columns.values()) {
      for (const values of [min, mean, max, count]) values.splice(0, gone);
    }
  }

  #push(bucket: Millis): void {
    this.at.push(bucket);
    for (const { min, mean, max, count } of this.#columns.values()) {
      min.push(null);
      mean.push(null);
      max.push(null);
      count.push(0);
    }
  }
}

function mergeInto({ min, mean, max, count }: ChartColumn, i: number, value: number, isBits: boolean): void {
  const n = count[i] ?? 0;
  const [low, average, high] = [min[i] ?? value, mean[i] ?? value, max[i] ?? value];
  count[i] = n + 1;
  min[i] = Math.min(low, value);
  max[i] = isBits ? high | value : Math.max(high, value);
  mean[i] = isBits ? null : (average * n + value) / (n + 1);
}
