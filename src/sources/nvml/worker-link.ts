import { Worker } from 'node:worker_threads';
import type { Clock, Stop } from '../../model/clock.ts';
import { detailOf } from '../../model/errors.ts';
import { type Hang, noteReturned, noteStuck } from './exit.ts';
import { Progress } from './progress.ts';
import type { Reply, Request, WorkerOptions } from './protocol.ts';
import { symbolName } from './symbols.ts';

/** A source file while gpulse runs from source, else the bundle beside this one. */
const WORKER = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './nvml-worker.js', import.meta.url);

/** The worker's heap holds a few hundred kilobytes; a limit near that keeps the engine from letting garbage pile up. */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2 } as const;

/** How often a silent worker is looked at, within the time after which it counts as hanging. */
const LOOKS = 10;

/** How long a worker may take to release the driver when it is closed. */
const CLOSE_MS = 1000;

export type Outcome =
  | { readonly kind: 'reply'; readonly reply: Reply }
  | { readonly kind: 'hang'; readonly hang: Hang }
  | { readonly kind: 'died'; readonly detail: string };

/**
 * One worker thread seen from the main thread. One request at a time; the first reply, to being started, is whether the
 * driver could be opened.
 */
export class WorkerLink {
  readonly #worker: Worker;
  readonly #progress = new Progress();
  readonly #clock: Clock;
  readonly #hangTimeoutMs: number;
  #settle: ((outcome: Outcome) => void) | null = null;
  /** A reply, or the end, that came while nobody was waiting. */
  #early: Outcome | null = null;
  #isBusy = true;
  /** The last sequence number of the calls that was seen, and since when it has stood still. */
  #seen = 0;
  #since: number;
  #hangs = false;
  readonly #ended = Promise.withResolvers<void>();
  #hasEnded = false;

  constructor(options: Omit<WorkerOptions, 'progress'>, clock: Clock, hangTimeoutMs: number) {
    this.#clock = clock;
    this.#hangTimeoutMs = hangTimeoutMs;
    this.#since = clock.monotonic();
    const workerData: WorkerOptions = { ...options, progress: this.#progress.buffer };
    // Options of the main thread, such as `--input-type`, are not for a worker that is a file.
    this.#worker = new Worker(WORKER, { name: 'nvml', workerData, resourceLimits: HEAP_LIMITS, execArgv: [] });
    this.#worker.on('message', (reply: Reply) => this.#finish({ kind: 'reply', reply }));
    this.#worker.on('error', (error) => this.#finish({ kind: 'died', detail: detailOf(error) }));
    this.#worker.on('exit', () => {
      this.#hasEnded = true;
      this.#finish({ kind: 'died', detail: 'the worker ended' });
      this.#ended.resolve();
    });
    this.#worker.unref();
  }

  /** A request is under way, so that no other can be made. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  send(request: Request): void {
    this.#isBusy = true;
    this.#seen = this.#progress.read().sequence;
    this.#since = this.#clock.monotonic();
    this.#worker.postMessage(request);
  }

  /**
   * Resolves with the reply, or as soon as one driver call has lasted for the timeout. After a hang it may be called
   * again to go on waiting. The thread keeps the process alive only while somebody waits.
   */
  async wait(): Promise<Outcome> {
    if (this.#early !== null) {
      const outcome = this.#early;
      this.#early = null;
      return outcome;
    }
    this.#worker.ref();
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.#settle = resolve;
    const stop = this.#watch();
    try {
      return await promise;
    } finally {
      stop();
      this.#settle = null;
      this.#worker.unref();
    }
  }

  /** Gives the worker up: it ends by itself if the driver ever returns. */
  abandon(): void {
    this.#progress.abandon();
    // For the case that it has returned just now, and waits for the next request.
    this.#worker.postMessage({ type: 'close' } satisfies Request);
  }

  /** Resolves when the worker has released the driver, or when that takes too long. */
  async close(): Promise<void> {
    if (this.#hasEnded) return;
    this.#worker.postMessage({ type: 'close' } satisfies Request);
    this.#worker.ref();
    // One that is known to hang is not waited for.
    let stop: Stop = () => {};
    const late = new Promise<void>((resolve) => {
      stop = this.#clock.after(this.#hangs ? 0 : CLOSE_MS, resolve);
    });
    await Promise.race([this.#ended.promise, late]);
    stop();
    this.#worker.unref();
    if (!this.#hasEnded) {
      this.#progress.abandon();
      this.#noteHang(this.#callInProgress());
    }
    this.#settle?.({ kind: 'died', detail: 'closed' });
  }

  #finish(outcome: Outcome): void {
    this.#isBusy = false;
    this.#hangs = false;
    noteReturned(this);
    if (this.#settle === null) this.#early ??= outcome;
    else this.#settle(outcome);
    this.#settle = null;
  }

  /** Watches for a call that lasts too long: a sequence number that stands still. */
  #watch(): Stop {
    return this.#clock.every(this.#hangTimeoutMs / LOOKS, () => {
      const { sequence } = this.#progress.read();
      const now = this.#clock.monotonic();
      if (sequence !== this.#seen) {
        this.#seen = sequence;
        this.#since = now;
      } else if (now - this.#since >= this.#hangTimeoutMs) {
        const hang = this.#callInProgress();
        this.#noteHang(hang);
        this.#settle?.({ kind: 'hang', hang });
      }
    });
  }

  #noteHang(hang: Hang): void {
    this.#hangs = true;
    noteStuck(this, hang);
  }

  #callInProgress(): Hang {
    const { call, gpu } = this.#progress.read();
    return { call: symbolName(call), gpu, since: this.#since };
  }
}
