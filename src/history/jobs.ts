/** How long a job may go on before others get their turn: a message waits no longer than that. */
const TURN_MS = 4;

/** One turn of a job; true where that was the last one. */
type Step = () => boolean;

/**
 * Runs jobs side by side, one step at a time, and lets messages in between the steps: a tick is written while a long
 * query is under way, and a short query does not wait for the long one before it.
 */
export class Jobs {
  readonly #running: Step[] = [];

  get size(): number {
    return this.#running.length;
  }

  /** Runs a job from one `yield` to the next, a few milliseconds at a time, then calls one of `done` and `failed`. */
  start<Result>(job: Generator<void, Result>, done: (result: Result) => void, failed: (error: unknown) => void): void {
    this.#running.push(() => {
      try {
        const until = performance.now() + TURN_MS;
        let step = job.next();
        while (!step.done && performance.now() < until) step = job.next();
        if (step.done) done(step.value);
        return step.done === true;
      } catch (error) {
        failed(error);
        return true;
      }
    });
    if (this.#running.length === 1) setImmediate(() => this.#turn());
  }

  #turn(): void {
    const step = this.#running[0]!;
    const isFinished = step();
    this.#running.shift();
    if (!isFinished) this.#running.push(step);
    if (this.#running.length > 0) setImmediate(() => this.#turn());
  }
}
