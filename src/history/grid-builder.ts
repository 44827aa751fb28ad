import type { Millis } from '../model/reading.ts';
import type { Column, GridData } from './protocol.ts';
import type { GridShape } from './range.ts';

/** Collects samples and aggregates of samples into the buckets of one grid, device after device. */
export class GridBuilder {
  readonly #shape: GridShape;
  readonly #isBits: readonly boolean[];
  /** Place of each known column among all columns asked for. */
  readonly #places: readonly number[];
  readonly #series: number;
  readonly #min: Float64Array;
  readonly #max: Float64Array;
  readonly #sum: Float64Array;
  readonly #count: Uint32Array;
  #firstSeries = 0;

  constructor(shape: GridShape, devices: number, columns: readonly (Column | null)[]) {
    this.#shape = shape;
    this.#series = columns.length;
    this.#places = columns.flatMap((column, place) => (column === null ? [] : [place]));
    this.#isBits = columns.flatMap((column) => (column === null ? [] : [column.isBits]));
    const cells = devices * columns.length * shape.buckets;
    this.#min = new Float64Array(cells).fill(Number.NaN);
    this.#max = new Float64Array(cells).fill(Number.NaN);
    this.#sum = new Float64Array(cells);
    this.#count = new Uint32Array(cells);
  }

  /** Whatever is added from now on belongs to the device at this place of the query. */
  startDevice(place: number): void {
    this.#firstSeries = place * this.#series;
  }

  bucketOf(at: Millis): number {
    return Math.floor((at - this.#shape.start) / this.#shape.bucketMs);
  }

  startOf(bucket: number): Millis {
    return this.#shape.start + bucket * this.#shape.bucketMs;
  }

  /** One value per known column, from `offset` on in `cells`; null is no value. */
  addRow(bucket: number, cells: readonly unknown[], offset: number): void {
    for (let column = 0; column < this.#places.length; column++) {
      const value = cells[offset + column];
      if (typeof value === 'number') this.#add(column, bucket, 1, value, value, value);
    }
  }

  /**
   * Per known column a count, then minimum, maximum and total, or for a bit set the distinct masks as a list with
   * commas; from `offset` on in `cells`.
   */
  addAggregates(bucket: number, cells: readonly unknown[], offset: number): void {
    let at = offset;
    for (let column = 0; column < this.#places.length; column++) {
      const count = Number(cells[at++]);
      if (this.#isBits[column]) {
        const masks = cells[at++];
        if (count > 0) this.#addMasks(column, bucket, count, String(masks));
      } else {
        const [min, max, total] = [cells[at++], cells[at++], cells[at++]];
        if (count > 0) this.#add(column, bucket, count, Number(min), Number(max), Number(total));
      }
    }
  }

  #addMasks(column: number, bucket: number, count: number, list: string): void {
    const masks = list.split(',').map(Number);
    const all = masks.reduce((sum, mask) => sum & mask);
    const any = masks.reduce((sum, mask) => sum | mask);
    this.#add(column, bucket, count, all, any, 0);
  }

  #add(column: number, bucket: number, count: number, min: number, max: number, total: number): void {
    const series = this.#firstSeries + this.#places[column]!;
    const cell = series * this.#shape.buckets + bucket;
    const isFirst = this.#count[cell] === 0;
    const [low, high] = [this.#min[cell]!, this.#max[cell]!];
    if (this.#isBits[column]) {
      // A mask has up to 32 bits, and the operators see the highest one as a sign.
      this.#min[cell] = (isFirst ? min : low & min) >>> 0;
      this.#max[cell] = (isFirst ? max : high | max) >>> 0;
    } else {
      if (isFirst || min < low) this.#min[cell] = min;
      if (isFirst || max > high) this.#max[cell] = max;
      this.#sum[cell]! += total;
    }
    this.#count[cell]! += count;
  }

  finish(intervalMs: number): GridData {
    const mean = this.#sum;
    for (let cell = 0; cell < mean.length; cell++) {
      const count = this.#count[cell]!;
      mean[cell] = count === 0 || this.#holdsBits(cell) ? Number.NaN : mean[cell]! / count;
    }
    return { ...this.#shape, intervalMs, min: this.#min, mean, max: this.#max, count: this.#count };
  }

  #holdsBits(cell: number): boolean {
    const place = Math.floor(cell / this.#shape.buckets) % this.#series;
    return this.#isBits[this.#places.indexOf(place)] === true;
  }
}
