import type { Clock } from '../../model/clock.ts';
import type { Extent } from '../../model/ports.ts';
import type { Millis } from '../../model/reading.ts';
import type { Marks } from './marks.ts';
import type { Place } from './passes.ts';

/** Ticks between two marks, in time. */
const MARK_EVERY_MS = 60_000;
/** How long what the engine said of its span is believed: only its retention moves the beginning. */
const BELIEVED_MS = 600_000;

/** The time span of what the engine has. It is asked for again and again, and the engine is asked now and then. */
export class ExtentMemory {
  readonly #marks: Marks;
  readonly #clock: Clock;
  #known: Extent | null = null;
  #until = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | null = null;
  #marked = Number.NEGATIVE_INFINITY;

  constructor(marks: Marks, clock: Clock) {
    this.#marks = marks;
    this.#clock = clock;
  }

  /** Whether a tick is to be marked: the first of a pass or of a process, and one a minute. */
  isMark(place: Place, before: Place): boolean {
    if (place.pass === before.pass && place.last - this.#marked < MARK_EVERY_MS) return false;
    this.#marked = place.last;
    return true;
  }

  /** What the engine says joined with what it has been given. Where it does not answer, what is known without it. */
  async extent(delivered: Extent | null): Promise<Extent | null> {
    if (this.#clock.monotonic() > this.#until) {
      this.#asking ??= this.#ask().finally(() => {
        this.#asking = null;
      });
      // What is known is good enough while the engine is asked.
      if (this.#known === null && delivered === null) await this.#asking;
    }
    const ends = [this.#known, delivered].filter((extent) => extent !== null);
    if (ends.length === 0) return null;
    const to: Millis = Math.max(...ends.map((extent) => extent.to));
    // The engine knows best where it begins: it may have deleted what was delivered long ago.
    const from = this.#known === null ? delivered!.from : Math.min(this.#known.from, to);
    return { from: Math.min(from, to), to };
  }

  async #ask(): Promise<void> {
    try {
      this.#known = await this.#marks.extent(this.#clock.now());
      if (this.#known !== null) this.#until = this.#clock.monotonic() + BELIEVED_MS;
    } catch {
      // It is asked again the next time.
    }
  }
}
