const MILLION = 1e6;
/** Above this a double has no millionths to round to. */
const LARGEST = 1e9;

/** How a metric is summed up; one that this gpulse does not know is a value like any other. */
export const SUMMED = { value: 0, bits: 1, counter: 2, unknown: 3 } as const;

/**
 * Minimum, maximum, total and count of some rows, and the growth of a counter, where a value that is lower than the one
 * before means that it started again from zero.
 */
export class Sum {
  count = 0;
  min = 0;
  max = 0;
  /** Total less count · min. */
  excess = 0;
  first = 0;
  last = 0;
  growth = 0;

  clear(): void {
    this.count = 0;
    this.excess = 0;
    this.growth = 0;
  }

  add(value: number): void {
    this.addSum(1, value, value, 0, value, value, 0);
  }

  /** Adds what another sum holds; growth between the two counts. */
  addSum(count: number, min: number, max: number, excess: number, first: number, last: number, growth: number): void {
    if (this.count === 0) {
      this.min = min;
      this.max = max;
      this.first = first;
      this.growth = growth;
    } else {
      if (min < this.min) {
        this.excess += this.count * (this.min - min);
        this.min = min;
      }
      if (max > this.max) this.max = max;
      this.growth += growth + growthBetween(this.last, first);
    }
    this.excess += excess + count * (min - this.min);
    this.last = last;
    this.count += count;
  }

  /** A mask of 32 bits: which were set at every row, and which at any. */
  addBits(count: number, all: number, any: number): void {
    this.min = this.count === 0 ? all : (this.min & all) >>> 0;
    this.max = this.count === 0 ? any : (this.max | any) >>> 0;
    this.count += count;
  }
}

/** How much a counter grew from one value to the next. */
export function growthBetween(before: number, after: number): number {
  return after >= before ? after - before : after;
}

/** Without the noise of binary fractions, so that sums of milliwatts are again whole milliwatts. */
export function toMillionths(value: number): number {
  if (Number.isInteger(value) || Math.abs(value) > LARGEST) return value;
  return Math.round(value * MILLION) / MILLION;
}
