/**
 * Spreads jobs evenly over a period: in each turn so many run as the time since the turn before pays for. So the cost per
 * tick is level at any sampling interval, and never is everything read at once.
 */
export class Rota {
  readonly #periodMs: number;
  #next = 0;
  #credit = 0;

  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  /** Runs the jobs whose turn it is, given as numbers below `count`; at most half of them (and at least one) per call. */
  turn(count: number, elapsedMs: number, run: (job: number) => void): void {
    if (count === 0) return;
    this.#credit += (count * Math.max(0, elapsedMs)) / this.#periodMs;
    const due = Math.min(Math.floor(this.#credit), Math.ceil(count / 2));
    // What could not be paid out is forgiven: after a long pause there is nothing to catch up with.
    this.#credit = Math.min(this.#credit - due, 1);
    for (let i = 0; i < due; i++) run(this.#next++ % count);
    this.#next %= count;
  }
}
