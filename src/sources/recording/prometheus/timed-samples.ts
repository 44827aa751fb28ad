import type { FormatContext } from '../rows.ts';
import type { Snapshots } from '../snapshots.ts';
import type { KnownSeries, Scrape } from './scrape.ts';
import { SeriesStore } from './series-store.ts';

/** Moments given out at a time. */
const DRAINED_MOMENTS = 256;
/** Samples that are kept back to see how far apart those of one series are. */
const LEAST_FLUSHED = 10_000;

/** Collects samples that carry their times and turns them into ticks, whether they come by time or series by series. */
export class TimedSamples {
  readonly #context: FormatContext;
  readonly #scrape: Scrape;
  readonly #snapshots: Snapshots;
  readonly #store = new SeriesStore();
  #last: KnownSeries | null = null;
  #isBySeries = false;
  /** Everything up to this time has been given out. */
  #until = Number.NEGATIVE_INFINITY;

  constructor(context: FormatContext, scrape: Scrape, snapshots: Snapshots) {
    this.#context = context;
    this.#scrape = scrape;
    this.#snapshots = snapshots;
  }

  get isEmpty(): boolean {
    return this.#store.size === 0;
  }

  /** `time` is epoch milliseconds. */
  add(series: KnownSeries, time: number, value: number, line: number): void {
    this.#follow(series);
    if (time > this.#until && !this.#store.isFull) this.#store.add(series, time, value, line);
    else this.#context.report.skip('too-large', line);
  }

  /** Gives out a part of what there is; false once nothing is left. */
  drain(): boolean {
    return this.#store.drain(
      DRAINED_MOMENTS,
      (series, value, line) => this.#scrape.add(series, String(value), line),
      (time) => {
        this.#until = Math.max(this.#until, time);
        this.#snapshots.emit(time, this.#scrape.take());
      },
    );
  }

  /** Gives out all there is. */
  flush(): void {
    while (this.drain());
  }

  /** Where samples come scrape by scrape those before can be given out; where they come series by series they cannot. */
  #follow(series: KnownSeries): void {
    if (series === this.#last) this.#isBySeries = true;
    this.#last = series;
    const isRoundDone = !this.#isBySeries && this.#store.size >= LEAST_FLUSHED && this.#store.first === series;
    if (isRoundDone) this.flush();
  }
}
