import { Abandoned } from './nvml.ts';
import type { Progress } from './progress.ts';
import type { Reply, Request, WorkerOptions } from './protocol.ts';
import { Session } from './session.ts';
import type { TickMemory } from './tick-packer.ts';

/** Where replies go. */
export interface ReplyPort {
  postMessage(reply: Reply): void;
  /** Memory for the next tick. */
  readonly memory: TickMemory;
  /** Nothing more will be answered. */
  close(): void;
}

/**
 * Opens the driver and answers requests one by one: the only place in which the driver is called. The port is closed when
 * that is asked for, when the driver cannot be opened, or when a call returns that hung until it was given up.
 */
export class Requests {
  /** False once the port is closed. */
  isOpen = true;
  readonly #port: ReplyPort;
  readonly #session: Session;

  constructor(port: ReplyPort, options: WorkerOptions, progress: Progress) {
    this.#port = port;
    this.#session = new Session(options, progress, port.memory);
  }

  /** To be called once, before the first request. */
  open(): void {
    this.#attempt(() => {
      const opened = this.#session.open();
      this.#port.postMessage(opened);
      if (opened.type === 'failed') this.#end();
    });
  }

  answer(request: Request): void {
    if (request.type === 'sample') this.#attempt(() => this.#port.postMessage(this.#session.sample(request)));
    else this.#end();
  }

  #attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof Abandoned)) throw error;
      this.#end();
    }
  }

  #end(): void {
    this.isOpen = false;
    try {
      this.#session.close();
    } catch (error) {
      if (!(error instanceof Abandoned)) throw error;
    }
    this.#port.close();
  }
}
