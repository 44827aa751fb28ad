/**
 * Spreads jobs evenly over a period: in each turn so many run as the time since the turn before pays for. So the cost per
 * tick is level at any sampling interval, and never is everything read at once. Jobs that stand side by side, which may
 * be alike and dear, come up far apart.
 */
export class Rota {
  readonly #periodMs: number;
  #next = 0;
  #credit = 0;

  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  /**
   * Runs the jobs whose turn it is, given as numbers below `count`; at most half of them (and at least one) per call, and
   * none but the first once `isTimeUp`. The next call goes on where this one ended.
   */
  turn(count: number, elapsedMs: number, run: (job: number) => void, isTimeUp: () => boolean = () => false): void {
    if (count === 0) return;
    this.#credit += (count * Math.max(0, elapsedMs)) / this.#periodMs;
    const due = Math.min(Math.floor(this.#credit), Math.ceil(count / 2));
    // What could not be paid out is forgiven: after a long pause there is nothing to catch up with.
    this.#credit = Math.min(this.#credit - due, 1);
    const stride = strideOf(count);
    for (let i = 0; i < due; i++) {
      if (i > 0 && isTimeUp()) break;
      run((this.#next++ * stride) % count);
    }
    this.#next %= count;
  }
}

/** Near the golden part of the count, which spreads best, and without a common divisor, so that no job is left out. */
function strideOf(count: number): number {
  let stride = Math.max(1, Math.round(count * 0.618));
  while (commonDivisor(stride, count) > 1) stride++;
  return stride;
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}
