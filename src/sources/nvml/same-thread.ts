import { EventEmitter } from 'node:events';
import { withDeadline } from './deadline.ts';
import type { Reply, Request, WorkerOptions } from './protocol.ts';
import { answerRequests, type RequestPort } from './requests.ts';

/** The driver has so many seconds for each request. */
const LIMIT_SECONDS = 2;

/**
 * Stands in for a worker where the driver is called by the thread that asks. While a call hangs that thread does nothing
 * else, so each request has a deadline at which the process ends, see {@link withDeadline}. What holds the
 * driver is left to the end of the process, which follows close upon closing.
 */
export class SameThread extends EventEmitter {
  readonly #requests = new EventEmitter();

  constructor(options: WorkerOptions) {
    super();
    const port: RequestPort = {
      on: (event, listener) => this.#requests.on(event, listener),
      postMessage: (reply: Reply) => this.#later('message', reply),
      close: () => this.#later('exit'),
    };
    // Whoever starts it listens only after it has been started.
    setImmediate(() => this.#attempt(() => answerRequests(port, options)));
  }

  postMessage(request: Request): void {
    if (request.type === 'close') this.#later('exit');
    else this.#attempt(() => this.#requests.emit('message', request));
  }

  ref(): void {}

  unref(): void {}

  #later(event: 'message' | 'exit', reply?: Reply): void {
    setImmediate(() => this.emit(event, reply));
  }

  #attempt(work: () => void): void {
    try {
      withDeadline(LIMIT_SECONDS, work);
    } catch (error) {
      setImmediate(() => this.emit('error', error));
    }
  }
}
