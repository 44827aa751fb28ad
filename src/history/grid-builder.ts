import type { Millis } from '../model/reading.ts';
import { growthBetween, SUMMED } from './engine/sum.ts';
import type { Column, GridData } from './protocol.ts';
import type { GridShape } from './range.ts';

/** Collects samples and sums of samples into the buckets of one grid; the cells of a series lie side by side. */
export class GridBuilder {
  readonly #shape: GridShape;
  readonly #summed: readonly number[];
  readonly #min: Float64Array;
  readonly #max: Float64Array;
  readonly #total: Float64Array;
  readonly #count: Uint32Array;
  /** Null where no counter was asked for. */
  readonly #growth: Float64Array | null;
  /** By series, the value at which a counter was last seen, and the number of that tick. */
  readonly #last: Float64Array;
  readonly #lastSequence: Float64Array;

  constructor(shape: GridShape, devices: number, columns: readonly Column[]) {
    this.#shape = shape;
    this.#summed = columns.map(({ summed }) => summed);
    const cells = devices * columns.length * shape.buckets;
    this.#min = new Float64Array(cells).fill(Number.NaN);
    this.#max = new Float64Array(cells).fill(Number.NaN);
    this.#total = new Float64Array(cells);
    this.#count = new Uint32Array(cells);
    this.#growth = this.#summed.includes(SUMMED.counter) ? new Float64Array(cells) : null;
    this.#last = new Float64Array(devices * columns.length);
    this.#lastSequence = new Float64Array(devices * columns.length).fill(Number.POSITIVE_INFINITY);
  }

  bucketOf(at: Millis): number {
    return Math.floor((at - this.#shape.start) / this.#shape.bucketMs);
  }

  seriesOf(device: number, column: number): number {
    return device * this.#summed.length + column;
  }

  add(series: number, bucket: number, value: number, sequence: number): void {
    const summed = this.#summed[series % this.#summed.length];
    const cell = series * this.#shape.buckets + bucket;
    if (summed === SUMMED.bits) {
      this.#addBits(cell, 1, value, value);
      return;
    }
    if (summed === SUMMED.counter) this.#grow(series, cell, sequence, value, value, 0);
    // No comparison holds with the NaN of an empty cell.
    if (!(this.#min[cell]! <= value)) this.#min[cell] = value;
    if (!(this.#max[cell]! >= value)) this.#max[cell] = value;
    this.#total[cell]! += value;
    this.#count[cell]!++;
  }

  /** Adds a sum of `count` samples. */
  addSum(series: number, bucket: number, count: number, min: number, max: number, total: number): void {
    const cell = series * this.#shape.buckets + bucket;
    if (!(this.#min[cell]! <= min)) this.#min[cell] = min;
    if (!(this.#max[cell]! >= max)) this.#max[cell] = max;
    this.#total[cell]! += total;
    this.#count[cell]! += count;
  }

  addBitSum(series: number, bucket: number, count: number, all: number, any: number): void {
    this.#addBits(series * this.#shape.buckets + bucket, count, all, any);
  }

  /** Adds how a counter went on from tick number `sequence`: from `first` to `last`, growing by `growth`. */
  addGrowth(series: number, bucket: number, sequence: number, first: number, last: number, growth: number): void {
    this.#grow(series, series * this.#shape.buckets + bucket, sequence, first, last, growth);
  }

  #grow(series: number, cell: number, sequence: number, first: number, last: number, growth: number): void {
    // Ticks that are read in another order than they came, after a step of the clock, say nothing about each other.
    const isNext = sequence > this.#lastSequence[series]!;
    this.#growth![cell]! += growth + (isNext ? growthBetween(this.#last[series]!, first) : 0);
    this.#last[series] = last;
    this.#lastSequence[series] = sequence;
  }

  #addBits(cell: number, count: number, all: number, any: number): void {
    const isFirst = this.#count[cell] === 0;
    // A mask has up to 32 bits, and the operators see the highest one as a sign.
    this.#min[cell] = (isFirst ? all : this.#min[cell]! & all) >>> 0;
    this.#max[cell] = (isFirst ? any : this.#max[cell]! | any) >>> 0;
    this.#count[cell]! += count;
  }

  finish(intervalMs: Millis): GridData {
    const mean = this.#total;
    for (let cell = 0; cell < mean.length; cell++) {
      const count = this.#count[cell]!;
      const summed = this.#summed[Math.floor(cell / this.#shape.buckets) % this.#summed.length];
      mean[cell] = count === 0 || summed === SUMMED.bits ? Number.NaN : mean[cell]! / count;
    }
    return {
      ...this.#shape,
      intervalMs,
      min: this.#min,
      mean,
      max: this.#max,
      count: this.#count,
      growth: this.#growth,
    };
  }
}
