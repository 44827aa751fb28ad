/**
 * Where a reader stands in what the driver keeps of the past: rows with stamps in microseconds on a clock of its own,
 * which is asked for "everything newer than". Mostly that is the wall clock, but not everywhere: stamps are compared with
 * each other, and with the wall clock only where they follow it.
 */

const SECOND = 1e6;
const DAY = 86_400 * SECOND;

/** A stamp further ahead of the wall clock than this is none. */
const AHEAD = 2 * SECOND;
/** What was stamped longer ago is not about now. */
const RECENT = 3 * SECOND;

/** Without a new row for so many milliseconds, the newest stamp is looked up again: it may have been a wrong one. */
const DRY_MS = 10_000;

export class SampleCursor {
  /** What to ask for: rows newer than this stamp; 0 for all there are. */
  since = 0;
  /** Rows of this tick are newer than `from`, and not newer than `newest`. */
  from = 0;
  newest = 0;
  /** The answer shows no more than where to begin: nothing can be said about this tick. */
  isBlind = false;
  #position = 0;
  #followsWall = false;
  #wall = 0;
  /** Largest stamp seen in this answer: of all, and of those that are possible on the wall clock. */
  #best = 0;
  #bestOnWall = 0;
  #dryFrom = Number.POSITIVE_INFINITY;

  /** Begins anew: what the driver keeps by now is not what has happened since. */
  reset(): void {
    this.#position = 0;
    this.#followsWall = false;
    this.#dryFrom = Number.POSITIVE_INFINITY;
  }

  /** Before the driver is asked. `wall` in microseconds, `now` in milliseconds on a clock that is never stepped. */
  begin(wall: number, now: number): void {
    this.#wall = wall;
    // The wall clock was set back: what comes now has stamps that seem old.
    if (this.#followsWall && this.#position > wall + AHEAD) this.reset();
    const isDry = now - this.#dryFrom >= DRY_MS;
    if (isDry) this.#dryFrom = now;
    this.#ask(isDry ? 0 : this.#position);
  }

  /** Takes note of the rows that came, so many of so many 32-bit words each: the stamp of the first one is at word `at`. */
  see(rows: Uint32Array, count: number, words: number, at: number): void {
    const limit = this.#position === 0 || this.#followsWall ? Number.MAX_SAFE_INTEGER : this.#position + DAY;
    const limitOnWall = this.#wall + AHEAD;
    let best = this.#best;
    let bestOnWall = this.#bestOnWall;
    for (let i = 0, word = at; i < count; i++, word += words) {
      const stamp = rows[word + 1]! * 2 ** 32 + rows[word]!;
      if (stamp > best && stamp <= limit) best = stamp;
      if (stamp > bestOnWall && stamp <= limitOnWall) bestOnWall = stamp;
    }
    this.#best = best;
    this.#bestOnWall = bestOnWall;
  }

  /** After all rows were seen: says which of them count. */
  end(now: number): void {
    const position = this.#position;
    const isNearWall = this.#bestOnWall > this.#wall - DAY || Math.abs(this.#best - this.#wall) < DAY;
    if (this.since === 0) this.#followsWall = isNearWall;
    const newest = this.#followsWall ? this.#bestOnWall : this.#best;
    this.newest = newest;
    this.from = position;
    if (newest === 0) {
      this.isBlind = this.#best > 0;
      return;
    }
    if (position === 0) {
      this.isBlind = !this.#followsWall;
      this.from = this.#followsWall && newest > this.#wall - RECENT ? newest - SECOND : newest;
    } else if (this.since === 0 && newest < position) {
      // The stamp that was held is not among those the driver keeps: it was a wrong one, or the clock was set back.
      this.isBlind = true;
      this.from = newest;
    }
    if (newest > position) this.#dryFrom = now;
    if (newest > position || this.isBlind) this.#position = newest;
  }

  /** True where all there is was asked for, and some of it counts: rows that are means are then means of all there is. */
  get isTooWide(): boolean {
    return this.since === 0 && this.from > 0 && this.from < this.newest;
  }

  /** Before the driver is asked again, for no more than what counts. */
  narrow(): void {
    this.#position = this.from;
    this.#ask(this.from);
  }

  #ask(since: number): void {
    this.since = since;
    this.#best = 0;
    this.#bestOnWall = 0;
    this.isBlind = false;
  }
}
