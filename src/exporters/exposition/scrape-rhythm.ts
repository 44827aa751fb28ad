/** Requests that are remembered: enough for two scrapers in whose longest period a third asks often. */
const REMEMBERED = 48;

/** A scraper on a busy machine comes so much too soon or too late, in milliseconds. */
const MOST_JITTER_MS = 100;

/** Requests that follow another one within this time are given the same page. */
const APART_MS = 500;

/**
 * Foresees requests. Scrapers come at fixed intervals, and often two of them scrape one machine: somebody is expected where
 * requests came one, two and three equal distances before.
 *
 * One request that was expected and did not come ends that: everything is learnt anew.
 *
 * Times are milliseconds on a clock that is never stepped.
 */
export class ScrapeRhythm {
  readonly #asked: number[] = [];
  /** Times at which somebody was expected who has not come yet. */
  #expected: number[] = [];
  #apartMs = APART_MS;
  #jitterMs = MOST_JITTER_MS;

  /** Takes note of a request. */
  asked(at: number): void {
    this.#expected = this.#expected.filter((expected) => Math.abs(at - expected) > this.#jitterMs);
    const last = this.#asked.at(-1);
    if (last !== undefined && at - last < this.#apartMs) return;
    this.#asked.push(at);
    if (this.#asked.length > REMEMBERED) this.#asked.shift();
  }

  /** The soonest time behind `from`, and up to `to`, at which a request is expected; null where none is. `now` is before both. */
  next(now: number, from: number, to: number): number | null {
    this.#apartMs = Math.min(APART_MS, (to - from) / 2);
    this.#jitterMs = Math.min(MOST_JITTER_MS, this.#apartMs / 4);
    if (this.#expected.some((expected) => now - expected > this.#jitterMs)) {
      this.#asked.length = 0;
      this.#expected = [];
    }
    let soonest: number | null = null;
    for (let i = this.#asked.length - 1; i >= 0; i--) {
      const expected = this.#following(i, from, soonest ?? to);
      if (expected !== null) soonest = expected;
    }
    if (soonest !== null) this.#expected.push(soonest);
    return soonest;
  }

  /** The soonest time in this span that lies as far behind a request as two others lay before it. */
  #following(request: number, from: number, to: number): number | null {
    const last = this.#asked[request]!;
    for (let i = request - 1; i >= 0; i--) {
      const period = last - this.#asked[i]!;
      const expected = last + period;
      if (expected > to) return null;
      // Who has come a little too soon does not come again.
      if (expected > from && this.#isAsked(last - 2 * period) && !this.#isAsked(expected)) return expected;
    }
    return null;
  }

  #isAsked(at: number): boolean {
    return this.#asked.some((asked) => Math.abs(asked - at) <= this.#jitterMs);
  }
}
