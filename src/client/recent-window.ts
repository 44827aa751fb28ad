import type { Millis } from '../model/reading.ts';

/**
 * The last minutes of one metric of one device in buckets of fixed width, aligned to multiples of it since the epoch.
 * A ring: adding a value neither allocates nor moves anything.
 */
export class RecentWindow {
  readonly bucketMs: number;
  readonly #size: number;
  /** Bucket number each slot holds; -1 where it was never used. */
  readonly #numbers: Float64Array;
  readonly #min: Float64Array;
  readonly #max: Float64Array;
  readonly #sum: Float64Array;
  readonly #count: Float64Array;

  constructor(spanMs: number, bucketMs: number) {
    this.bucketMs = bucketMs;
    this.#size = Math.max(1, Math.ceil(spanMs / bucketMs));
    this.#numbers = new Float64Array(this.#size).fill(-1);
    this.#min = new Float64Array(this.#size);
    this.#max = new Float64Array(this.#size);
    this.#sum = new Float64Array(this.#size);
    this.#count = new Float64Array(this.#size);
  }

  /** One sample. Samples older than the window are ignored. */
  add(at: Millis, value: number): void {
    this.merge(at, value, value, value, 1);
  }

  /** `count` samples at once, as a history bucket holds them. */
  merge(at: Millis, min: number, mean: number, max: number, count: number): void {
    const number = Math.floor(at / this.bucketMs);
    const slot = number % this.#size;
    const held = this.#numbers[slot]!;
    if (held > number) return;
    if (held < number) {
      this.#numbers[slot] = number;
      this.#min[slot] = min;
      this.#max[slot] = max;
      this.#sum[slot] = mean * count;
      this.#count[slot] = count;
      return;
    }
    this.#min[slot] = Math.min(this.#min[slot]!, min);
    this.#max[slot] = Math.max(this.#max[slot]!, max);
    this.#sum[slot]! += mean * count;
    this.#count[slot]! += count;
  }

  /** Calls `visit` for every bucket of the window that ends at `now`, or of its last `spanMs`, oldest first. */
  forEach(
    now: Millis,
    visit: (at: Millis, min: number, mean: number, max: number) => void,
    spanMs = Number.POSITIVE_INFINITY,
  ): void {
    const last = Math.floor(now / this.bucketMs);
    const first = last - this.#bucketsOf(spanMs) + 1;
    // The remainder of numbers that large is slow: it is taken once.
    let slot = this.#slotOf(first);
    for (let number = first; number <= last; number++) {
      if (this.#numbers[slot] === number) {
        visit(number * this.bucketMs, this.#min[slot]!, this.#sum[slot]! / this.#count[slot]!, this.#max[slot]!);
      }
      if (++slot === this.#size) slot = 0;
    }
  }

  /**
   * Mean of all samples in the window that ends at `now`, or of those in its last `spanMs` by whole buckets; null where
   * there are none.
   */
  mean(now: Millis, spanMs = Number.POSITIVE_INFINITY): number | null {
    const last = Math.floor(now / this.bucketMs);
    const first = last - this.#bucketsOf(spanMs) + 1;
    let slot = this.#slotOf(first);
    let sum = 0;
    let count = 0;
    for (let number = first; number <= last; number++) {
      if (this.#numbers[slot] === number) {
        sum += this.#sum[slot]!;
        count += this.#count[slot]!;
      }
      if (++slot === this.#size) slot = 0;
    }
    return count === 0 ? null : sum / count;
  }

  #bucketsOf(spanMs: number): number {
    return Math.min(this.#size, Math.ceil(spanMs / this.bucketMs));
  }

  /** The slot of a bucket number, which is below zero before the epoch. */
  #slotOf(number: number): number {
    return ((number % this.#size) + this.#size) % this.#size;
  }
}
