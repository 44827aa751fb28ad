import type { Clock } from '../model/clock.ts';

/** Work that nobody waits for, apart from a command that prints once and would otherwise print too early. */
export class Background {
  readonly #running = new Set<Promise<void>>();

  /** Runs a task. One that fails has found nothing; it must not end the process. */
  run(task: () => Promise<void>): void {
    const done = (): void => void this.#running.delete(running);
    const running = task().then(done, done);
    this.#running.add(running);
  }

  /** Resolves once nothing runs any more, or after `limitMs`. */
  async settled(clock: Clock, limitMs: number): Promise<void> {
    const limit = Promise.withResolvers<'late'>();
    const stop = clock.after(limitMs, () => limit.resolve('late'));
    while (this.#running.size > 0) {
      const first = await Promise.race([Promise.all(this.#running), limit.promise]);
      if (first === 'late') break;
    }
    stop();
  }
}
