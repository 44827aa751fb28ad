import type { Clock, Stop } from '../../model/clock.ts';
import type { PageWriter } from '../metric-profiles.ts';
import type { Page, Steps } from '../page.ts';
import { MadePage } from './made-page.ts';
import { type TextFormat, TextWriter } from './text-format.ts';

/**
 * A page is made for whoever asks first after a tick and shared with all who ask before the next. While no tick comes it
 * is made anew after this long, since it tells how old its data is.
 */
export const MOST_AGE_MS = 1000;

/**
 * So shortly after a tick the page of the tick before is given if there is one: it is what a scraper gets that comes a
 * moment sooner, and it need not wait.
 */
export const STAND_IN_MS = 100;

/** A page that is made ahead keeps others waiting for so long at most, a step more or less. */
const SLICE_MS = 2;

/** Room for a page that is somewhat longer than the one before, and for its last piece counted at its worst. */
const SPARE_BYTES = 65_536;

interface PageMakerParts {
  readonly format: TextFormat;
  readonly writer: PageWriter;
  /** What is known now. */
  readonly page: () => Page;
  /** Number of the newest tick. */
  readonly sequence: () => number;
  readonly clock: Clock;
}

/** A page of which some steps have been written. */
interface Draft {
  readonly sequence: number;
  readonly at: number;
  readonly text: TextWriter;
  readonly steps: Steps;
}

/** Makes the pages of one form: each at once for who asks for it, or before that in slices. */
export class PageMaker {
  readonly #parts: PageMakerParts;
  #made: MadePage | null = null;
  #draft: Draft | null = null;
  /**
   * Memory for the next page. The page before stays whole meanwhile, and may be asked for. The text of a page outlives young
   * garbage: were each to have memory of its own, hundreds of them would pile up until the next full collection.
   */
  #room: Buffer | null = null;
  #dropSlice: Stop = () => {};
  /** Number of the tick before the newest, and when that came. */
  #before = Number.NaN;
  #newest: number;
  #tickedAt: number;

  constructor(parts: PageMakerParts) {
    this.#parts = parts;
    this.#newest = parts.sequence();
    this.#tickedAt = parts.clock.monotonic();
  }

  /** Takes note of a new tick; how long after the one before it came, or null where there is nothing new. */
  ticked(): number | null {
    const newest = this.#parts.sequence();
    // What happened without a new sample of any device is told by the next tick that has some.
    if (newest === this.#newest) return null;
    const now = this.#parts.clock.monotonic();
    const distance = now - this.#tickedAt;
    this.#before = this.#newest;
    this.#newest = newest;
    this.#tickedAt = now;
    this.drop();
    return distance;
  }

  /** The page to give out now. Throws what making it does. */
  page(): MadePage {
    return this.#fresh() ?? this.#standIn() ?? this.#finished();
  }

  /** Makes the page in slices, so that nobody waits for long; then calls `done`. */
  makeAhead(done: (page: MadePage) => void): void {
    this.drop();
    const { clock } = this.#parts;
    const slice = (): void => {
      const until = clock.monotonic() + SLICE_MS;
      let page = this.#fresh();
      try {
        while (page === null && clock.monotonic() < until) page = this.#step();
      } catch {
        // Whoever asks for the page meets the same fault, and there it is reported.
        return;
      }
      const made = page;
      this.#dropSlice = clock.after(0, made === null ? slice : () => done(made));
    };
    slice();
  }

  /** Gives up the page that is being made. */
  drop(): void {
    this.#dropSlice();
    this.#draft = null;
  }

  /** The last page, where it shows the newest tick and is young. */
  #fresh(): MadePage | null {
    return this.#isYoung(this.#parts.sequence()) ? this.#made : null;
  }

  /** The page of the tick before, while the newest is a moment old or its page is being made. */
  #standIn(): MadePage | null {
    const isMoment = this.#draft !== null || this.#parts.clock.monotonic() - this.#tickedAt < STAND_IN_MS;
    if (!isMoment || this.#parts.sequence() !== this.#newest) return null;
    return this.#isYoung(this.#before, MOST_AGE_MS + STAND_IN_MS) ? this.#made : null;
  }

  #isYoung(sequence: number, mostMs = MOST_AGE_MS): boolean {
    return this.#made?.sequence === sequence && this.#parts.clock.monotonic() - this.#made.at < mostMs;
  }

  #finished(): MadePage {
    for (;;) {
      const page = this.#step();
      if (page !== null) return page;
    }
  }

  /** Writes some more of the page; the page once it is whole. */
  #step(): MadePage | null {
    const { sequence } = this.#parts;
    if (this.#draft?.sequence !== sequence()) this.#draft = this.#begin();
    const { steps, text, at, sequence: shown } = this.#draft;
    if (!this.#isLast(steps)) return null;
    const made = new MadePage(shown, at, text.finish());
    this.#room = this.#made?.room ?? null;
    this.#made = made;
    this.#draft = null;
    return made;
  }

  /** Takes a step. A page in which one has failed is not gone on with. */
  #isLast(steps: Steps): boolean {
    try {
      return steps.next().done === true;
    } catch (error) {
      this.#draft = null;
      throw error;
    }
  }

  #begin(): Draft {
    const { format, writer, page, sequence, clock } = this.#parts;
    const room = this.#room ?? Buffer.allocUnsafeSlow((this.#made?.bytes ?? 0) + SPARE_BYTES);
    // Should this draft be given up, its memory is written over by the next one.
    this.#room = room;
    const text = new TextWriter(format, room);
    return { sequence: sequence(), at: clock.monotonic(), text, steps: writer.inSteps(page(), text) };
  }
}
