import type { Millis } from '../../model/reading.ts';

/** Passes that may begin within an hour: each makes a new series of every metric. */
const MOST_PER_HOUR = 60;
const HOUR_MS = 3_600_000;

/** Where the history is: the number of the pass, and the time of its newest tick. */
export interface Place {
  readonly pass: number;
  readonly last: Millis;
}

/**
 * Gives every tick a place that no other tick of the history has. Prometheus takes only what is newer than all it has of a
 * series, and no second value of one time. So where time does not go on, because the clock was set back or two ticks
 * carry one time, a new pass begins, whose number is a label: within a pass time goes on, and passes follow one another as
 * the ticks came.
 *
 * Times are even milliseconds. A window that begins and ends on odd ones then holds the same samples whether an engine
 * counts its left end in, as Prometheus 2 does, or not, as Prometheus 3 and VictoriaMetrics.
 */
export class Passes {
  #place: Place;
  /** When passes of the last hour began, on the monotonic clock. */
  #begun: number[] = [];

  constructor(place: Place | null) {
    this.#place = place ?? { pass: 0, last: Number.NEGATIVE_INFINITY };
  }

  get place(): Place {
    return this.#place;
  }

  /** The place of the next tick; null where time stands still so often that it cannot be kept. */
  next(at: Millis, monotonic: number): Place | null {
    const even = ceilEven(Math.floor(at) - 1);
    if (even > this.#place.last) {
      this.#place = { pass: this.#place.pass, last: even };
      return this.#place;
    }
    this.#begun = this.#begun.filter((begun) => monotonic - begun < HOUR_MS);
    if (this.#begun.length >= MOST_PER_HOUR) return null;
    this.#begun.push(monotonic);
    this.#place = { pass: this.#place.pass + 1, last: even };
    return this.#place;
  }
}

/** The next even millisecond, or this one. */
export function ceilEven(at: Millis): Millis {
  return 2 * Math.ceil(at / 2);
}
