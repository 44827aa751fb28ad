/** Ticks with a request that are remembered: enough for two scrapers in whose longest period a third asks often. */
const REMEMBERED = 48;

/**
 * Foresees requests. Scrapers come at fixed intervals, mostly of several ticks, and often two of them scrape one machine:
 * somebody is expected at a tick where requests came one, two and three equal distances before it.
 *
 * One request that was expected and did not come ends that: everything is learnt anew.
 */
export class ScrapeRhythm {
  /** How long after a tick the first request came, in milliseconds, by the number of the tick. */
  readonly #asked = new Map<number, number>();
  #expected: number | null = null;

  /** Takes note of a request, `afterMs` milliseconds after the newest tick. */
  asked(tick: number, afterMs: number): void {
    if (this.#asked.has(tick)) return;
    if (tick !== this.#expected) this.#slipTo(tick);
    this.#asked.set(tick, afterMs);
    if (this.#asked.size <= REMEMBERED) return;
    for (const oldest of this.#asked.keys()) {
      this.#asked.delete(oldest);
      return;
    }
  }

  /**
   * How many milliseconds after this tick the first request is expected; null where none is. To be called once for each
   * tick that is asked about, in their order.
   */
  expectedAfterMs(tick: number): number | null {
    if (this.#expected !== null && !this.#asked.has(this.#expected)) this.#asked.clear();
    let soonest: number | null = null;
    for (const [last, afterMs] of this.#asked) {
      if (this.#isRegular(tick, last) && (soonest === null || afterMs < soonest)) soonest = afterMs;
    }
    this.#expected = soonest === null ? null : tick;
    return soonest;
  }

  /** Whether the request at `last` was the third at distances that make the next one come at `tick`. */
  #isRegular(tick: number, last: number): boolean {
    const period = tick - last;
    return period > 0 && this.#asked.has(last - period) && this.#asked.has(last - 2 * period);
  }

  /**
   * A tick is always a little late, which adds up, and a scraper never is: once in a while it comes one tick before the one
   * at which it would be expected. The requests before it are then counted as if they had come one tick sooner too.
   */
  #slipTo(tick: number): void {
    const due = tick + 1;
    // At least two ticks before it, since there was none at `tick`; minus infinity where there is none at all.
    const last = Math.max(...[...this.#asked.keys()].filter((asked) => this.#isRegular(due, asked)));
    const period = due - last;
    for (let before = last; this.#asked.has(before); before -= period) {
      const afterMs = this.#asked.get(before)!;
      this.#asked.delete(before);
      this.#asked.set(before - 1, afterMs);
    }
  }
}
