import { AppError } from '../model/errors.ts';

/** Runs a few jobs at a time and lets a few more wait; whoever comes beyond that is refused with BUSY. */
export class WorkQueue {
  readonly #mostRunning: number;
  readonly #mostWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limits: { running: number; waiting: number }) {
    this.#mostRunning = limits.running;
    this.#mostWaiting = limits.waiting;
  }

  /** The result of `work`. Once `gone` is aborted, a job that has not begun never does, and this rejects. */
  async run<T>(work: () => Promise<T>, gone: AbortSignal): Promise<T> {
    if (this.#running < this.#mostRunning) this.#running++;
    else await this.#turn(gone);
    try {
      return await work();
    } finally {
      this.#passOn();
    }
  }

  /** Resolves once a running job hands over its place. */
  #turn(gone: AbortSignal): Promise<void> {
    if (this.#waiting.length >= this.#mostWaiting || gone.aborted) return Promise.reject(new AppError('BUSY'));
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        gone.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1);
        reject(new AppError('BUSY'));
      };
      gone.addEventListener('abort', leave, { once: true });
      this.#waiting.push(begin);
    });
  }

  #passOn(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running--;
    else next();
  }
}
