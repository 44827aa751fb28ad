import type { KnownSeries } from './scrape.ts';

/** Samples that are kept at a time, of 16 bytes each. */
const MOST_SAMPLES = 4_000_000;

const FIRST_CAPACITY = 16;

/** Samples of series that each have times of their own, until they are put into the order of time. */
export class SeriesStore {
  size = 0;
  readonly #columns = new Map<KnownSeries, Column>();
  /** Set while samples are being given out. */
  #drained: { readonly columns: readonly (readonly [KnownSeries, Column])[]; readonly intervalMs: number } | null =
    null;

  get isFull(): boolean {
    return this.size >= MOST_SAMPLES;
  }

  add(series: KnownSeries, time: number, value: number, line: number): void {
    const known = this.#columns.get(series);
    const column = known ?? new Column(line);
    if (known === undefined) this.#columns.set(series, column);
    column.add(time, value);
    this.size++;
  }

  /** The series whose samples came first. */
  get first(): KnownSeries | undefined {
    return this.#columns.keys().next().value;
  }

  /**
   * Gives out samples moment by moment, at most one of each series at a time: what lies closer together than the typical
   * distance of two samples of one series is one moment. No more than `moments`; false once the store is empty.
   */
  drain(
    moments: number,
    each: (series: KnownSeries, value: number, line: number) => void,
    moment: (time: number) => void,
  ): boolean {
    this.#drained ??= this.#sorted();
    const { columns, intervalMs } = this.#drained;
    for (let count = 0; count < moments; count++) {
      const start = columns.reduce((least, [, column]) => Math.min(least, column.nextTime), Number.POSITIVE_INFINITY);
      if (start === Number.POSITIVE_INFINITY) {
        this.#drained = null;
        this.#columns.clear();
        this.size = 0;
        return false;
      }
      for (const [series, column] of columns) {
        if (column.nextTime < start + intervalMs) each(series, column.take(), column.line);
      }
      moment(start);
    }
    return true;
  }

  #sorted() {
    const columns = [...this.#columns];
    for (const [, column] of columns) column.sort();
    return { columns, intervalMs: typicalInterval(columns.map(([, column]) => column)) };
  }
}

/** The samples of one series. */
class Column {
  readonly line: number;
  #times = new Float64Array(FIRST_CAPACITY);
  #values = new Float64Array(FIRST_CAPACITY);
  #length = 0;
  #next = 0;
  #isSorted = true;

  constructor(line: number) {
    this.line = line;
  }

  /** Time of the sample that comes next; infinite behind the last one. */
  get nextTime(): number {
    return this.#next < this.#length ? this.#times[this.#next]! : Number.POSITIVE_INFINITY;
  }

  add(time: number, value: number): void {
    if (this.#length === this.#times.length) {
      this.#times = grown(this.#times);
      this.#values = grown(this.#values);
    }
    if (this.#length > 0 && time < this.#times[this.#length - 1]!) this.#isSorted = false;
    this.#times[this.#length] = time;
    this.#values[this.#length++] = value;
  }

  sort(): void {
    if (this.#isSorted) return;
    const order = Array.from({ length: this.#length }, (_, place) => place);
    order.sort((a, b) => this.#times[a]! - this.#times[b]!);
    const [times, values] = [this.#times, this.#values];
    this.#times = Float64Array.from(order, (place) => times[place]!);
    this.#values = Float64Array.from(order, (place) => values[place]!);
  }

  take(): number {
    return this.#values[this.#next++]!;
  }

  /** Distances of samples that follow each other, as many as tell what is typical. */
  gaps(): number[] {
    const count = Math.min(this.#length - 1, 100);
    return Array.from({ length: Math.max(0, count) }, (_, place) => this.#times[place + 1]! - this.#times[place]!);
  }
}

function grown(column: Float64Array): Float64Array<ArrayBuffer> {
  const longer = new Float64Array(column.length * 2);
  longer.set(column);
  return longer;
}

function typicalInterval(columns: readonly Column[]): number {
  const gaps = columns.flatMap((column) => column.gaps()).filter((gap) => gap > 0);
  gaps.sort((a, b) => a - b);
  return gaps[Math.floor(gaps.length / 2)] ?? Number.POSITIVE_INFINITY;
}
