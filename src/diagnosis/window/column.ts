/** How two neighbouring cells become one when a recording grows too long. */
export type Merge = 'mean' | 'max' | 'bits' | 'last';

const FIRST_CAPACITY = 1024;

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
  count = 0;
  sum = 0;
  min = Number.POSITIVE_INFINITY;
  max = Number.NEGATIVE_INFINITY;

  /** `isWide` for counters, whose differences must be exact. */
  constructor(merge: Merge, isWide: boolean) {
    this.#merge = merge;
    this.#isWide = isWide;
  }

  /** Cells that take room. */
  get room(): number {
    return this.#values === null ? 0 : this.#end;
  }

  /** Puts a value into a cell. `nth` counts from 0 the ticks that share the cell: what is in it and the new value become one. */
  set(cell: number, value: number, nth = 0): void {
    this.count++;
    this.sum += value;
    if (value < this.min) this.min = value;
    if (value > this.max) this.max = value;
    if (this.#values === null) {
      if (this.#end === 0) {
        this.#constant = value;
        this.#first = cell;
        this.#end = cell + 1;
        return;
      }
      if (value === this.#constant && cell <= this.#end) {
        this.#end = Math.max(this.#end, cell + 1);
        return;
      }
      this.#unfold(cell + 1);
    }
    if (cell >= this.#values!.length) this.#grow(cell + 1);
    if (cell >= this.#end) this.#end = cell + 1;
    const values = this.#values!;
    values[cell] = nth === 0 || Number.isNaN(values[cell]) ? value : blended(values[cell]!, value, nth, this.#merge);
  }

  /** Halves the number of cells. */
  coarsen(): void {
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

  /** All values, `length` cells; the last use of the column. */
  take(length: number): Float32Array | Float64Array {
    if (this.#values === null) {
      const filled = this.#allocate(length);
      filled.fill(this.#constant, this.#first, Math.min(this.#end, length));
      return filled;
    }
    if (this.#values.length < length) this.#grow(length);
    return this.#values.subarray(0, length);
  }

  #unfold(atLeast: number): void {
    this.#values = this.#allocate(Math.max(FIRST_CAPACITY, 2 * atLeast));
    this.#values.fill(this.#constant, this.#first, this.#end);
  }

  #grow(atLeast: number): void {
    const wider = this.#allocate(Math.max(2 * this.#values!.length, atLeast));
    wider.set(this.#values!);
    this.#values = wider;
  }

  #allocate(length: number): Float32Array | Float64Array {
    return (this.#isWide ? new Float64Array(length) : new Float32Array(length)).fill(Number.NaN);
  }
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
