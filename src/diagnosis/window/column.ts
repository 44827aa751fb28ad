/** How two neighbouring cells become one when a recording grows too long. */
export type Merge = 'mean' | 'max' | 'bits' | 'last';

const FIRST_CAPACITY = 1024;

/** What the values of a column were, over all samples. */
export interface Spread {
  readonly count: number;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
}

/**
 * One metric of one device, cell by cell; a cell without a value is NaN. As long as every value is the same it takes no
 * room: limits and maxima, of which most recordings are full, cost nothing.
 */
export class Column {
  readonly #merge: Merge;
  #values: Float32Array | Float64Array | null = null;
  readonly #isWide: boolean;
  /** While all are the same: the value, and the first cell that has it. */
  #constant = Number.NaN;
  #first = 0;
  /** Behind the last cell with a value. */
  #end = 0;
  /** Once cells stand for several samples: what these were. Until then the cells themselves tell. */
  #seen: { count: number; sum: number; min: number; max: number } | null = null;

  /** `isWide` for counters, whose differences must be exact. */
  constructor(merge: Merge, isWide: boolean) {
    this.#merge = merge;
    this.#isWide = isWide;
  }

  get isEmpty(): boolean {
    return this.#end === 0;
  }

  /** Cells that take room. */
  get room(): number {
    return this.#values === null ? 0 : this.#end;
  }

  /** Looks at every value that is kept, unless all are the same. */
  spread(): Spread {
    if (this.#seen !== null) return this.#seen;
    if (this.#values !== null) return spreadOf(this.#values, this.#end);
    const count = this.#end - this.#first;
    if (count === 0) return { count, sum: 0, min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY };
    return { count, sum: count * this.#constant, min: this.#constant, max: this.#constant };
  }

  /** Puts a value into a cell. `nth` counts from 0 the ticks that share the cell: what is in it and the new value become one. */
  set(cell: number, value: number, nth = 0): void {
    if (this.#seen !== null) this.#note(value);
    let values = this.#values;
    if (values === null) {
      if (this.#end === 0) {
        this.#constant = value;
        this.#first = cell;
        this.#end = cell + 1;
        return;
      }
      if (value === this.#constant && cell <= this.#end) {
        if (cell === this.#end) this.#end++;
        return;
      }
      values = this.#unfold(cell + 1);
    }
    if (cell >= values.length) values = this.#grow(cell + 1);
    if (cell >= this.#end) this.#end = cell + 1;
    values[cell] = nth === 0 || Number.isNaN(values[cell]) ? value : blended(values[cell]!, value, nth, this.#merge);
  }

  /** Halves the number of cells. */
  coarsen(): void {
    this.#seen ??= { ...this.spread() };
    if (this.#values === null) {
      this.#first = Math.floor(this.#first / 2);
      this.#end = Math.ceil(this.#end / 2);
      return;
    }
    const values = this.#values;
    const half = Math.ceil(values.length / 2);
    for (let i = 0; i < half; i++) values[i] = merged(values[2 * i]!, values[2 * i + 1] ?? Number.NaN, this.#merge);
    values.fill(Number.NaN, half);
    this.#end = Math.ceil(this.#end / 2);
  }

  /** Drops the first `cells` cells. What has been coarsened keeps its spread. */
  forget(cells: number): void {
    if (this.#values !== null) {
      this.#values.copyWithin(0, cells, this.#end);
      this.#values.fill(Number.NaN, Math.max(0, this.#end - cells), this.#end);
    }
    this.#first = Math.max(0, this.#first - cells);
    this.#end = Math.max(0, this.#end - cells);
    if (this.#end === 0) this.#values = null;
  }

  /** A column of its own with the cells from `from` on. */
  tail(from: number): Column {
    const part = new Column(this.#merge, this.#isWide);
    if (this.#values === null) {
      part.#constant = this.#constant;
      part.#first = Math.max(0, this.#first - from);
      part.#end = Math.max(0, this.#end - from);
      return part;
    }
    part.#values = this.#values.slice(from, this.#end);
    part.#end = part.#values.length;
    return part;
  }

  /** All values, `length` cells. They are not to be changed, and hold until the column is coarsened or forgets. */
  take(length: number): Float32Array | Float64Array {
    if (this.#values === null) {
      const filled = this.#allocate(length);
      filled.fill(this.#constant, this.#first, Math.min(this.#end, length));
      return filled;
    }
    if (this.#values.length < length) this.#grow(length);
    return this.#values.subarray(0, length);
  }

  #note(value: number): void {
    const seen = this.#seen!;
    seen.count++;
    seen.sum += value;
    if (value < seen.min) seen.min = value;
    if (value > seen.max) seen.max = value;
  }

  #unfold(atLeast: number): Float32Array | Float64Array {
    const values = this.#allocate(Math.max(FIRST_CAPACITY, 2 * atLeast));
    values.fill(this.#constant, this.#first, this.#end);
    this.#values = values;
    return values;
  }

  #grow(atLeast: number): Float32Array | Float64Array {
    const before = this.#values!;
    const wider = this.#allocate(Math.max(2 * before.length, atLeast), before.length);
    wider.set(before);
    this.#values = wider;
    return wider;
  }

  /** Cells without a value; the first `filled` are for the caller to fill. */
  #allocate(length: number, filled = 0): Float32Array | Float64Array {
    return (this.#isWide ? new Float64Array(length) : new Float32Array(length)).fill(Number.NaN, filled);
  }
}

function spreadOf(values: Float32Array | Float64Array, end: number): Spread {
  let [count, sum, min, max] = [0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < end; i++) {
    const value = values[i]!;
    if (Number.isNaN(value)) continue;
    count++;
    sum += value;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return { count, sum, min, max };
}

/** A cell that stands for `nth` ticks, and one more. */
function blended(before: number, value: number, nth: number, merge: Merge): number {
  return merge === 'mean' ? before + (value - before) / (nth + 1) : merged(before, value, merge);
}

function merged(first: number, second: number, merge: Merge): number {
  if (Number.isNaN(first)) return second;
  if (Number.isNaN(second)) return first;
  switch (merge) {
    case 'mean':
      return (first + second) / 2;
    case 'max':
      return Math.max(first, second);
    case 'bits':
      return first | second;
    case 'last':
      return second;
  }
}
