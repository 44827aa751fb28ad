import { withDeadline } from './deadline.ts';
import { Progress } from './progress.ts';
import type { DriverThread, Reply, Request, WorkerOptions } from './protocol.ts';
import { Requests } from './requests.ts';

/** The driver has so many seconds for each request. */
const LIMIT_SECONDS = 2;

/**
 * Stands in for a worker where the driver is called by the thread that asks. While a call hangs that thread does nothing
 * else, so each request has a deadline at which the process ends, see {@link withDeadline}. What holds the
 * driver is left to the end of the process, which follows close upon closing.
 */
export class SameThread implements DriverThread {
  readonly #requests: Requests;
  #onReply: (reply: Reply) => void = () => {};
  #onError: (error: unknown) => void = () => {};
  #onExit: () => void = () => {};

  constructor(options: WorkerOptions) {
    const port = {
      memory: (bytes: number) => new ArrayBuffer(bytes),
      postMessage: (reply: Reply) => void setImmediate(() => this.#onReply(reply)),
      close: () => this.#exit(),
    };
    this.#requests = new Requests(port, options, new Progress(options.progress));
    // Whoever starts it listens only after it has been started.
    setImmediate(() => this.#attempt(() => this.#requests.open()));
  }

  ask(request: Request): void {
    if (request.type === 'close') this.#exit();
    else this.#attempt(() => this.#requests.answer(request));
  }

  onReply(listener: (reply: Reply) => void): void {
    this.#onReply = listener;
  }

  onError(listener: (error: unknown) => void): void {
    this.#onError = listener;
  }

  onExit(listener: () => void): void {
    this.#onExit = listener;
  }

  ref(): void {}

  unref(): void {}

  #exit(): void {
    setImmediate(() => this.#onExit());
  }

  #attempt(work: () => void): void {
    try {
      withDeadline(LIMIT_SECONDS, work);
    } catch (error) {
      setImmediate(() => this.#onError(error));
    }
  }
}
