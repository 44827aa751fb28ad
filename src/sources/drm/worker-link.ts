import { Worker } from 'node:worker_threads';
import type { Clock, Stop } from '../../model/clock.ts';
import { detailOf } from '../../model/errors.ts';
import { noteReturned, noteStuck } from './exit.ts';
import { Progress } from './progress.ts';
import type { DevicesReply, Reply, Request, TickReply, WorkerOptions } from './protocol.ts';

/** The worker's heap holds little; a limit near that keeps the engine from letting garbage pile up. */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2 } as const;

/** How often a silent worker is looked at, within the time after which it counts as hanging. */
const LOOKS = 5;

const CLOSE_MS = 1000;

/** How long a thread may take to start, before it reads anything. */
const START_MS = 10_000;

export type Outcome =
  | { readonly kind: 'tick'; readonly tick: TickReply }
  /** It has announced its GPUs and is ready for a request. */
  | { readonly kind: 'ready' }
  /** Position of the GPU on which it hangs, or EVERYTHING or PROCESSES. */
  | { readonly kind: 'hang'; readonly subject: number }
  | { readonly kind: 'died'; readonly detail: string };

/** One worker thread seen from the main thread, which it does not keep alive. One request at a time. */
export class WorkerLink {
  readonly #worker: Worker;
  readonly #progress = new Progress();
  readonly #clock: Clock;
  readonly #hangMs: number;
  readonly #announced: (reply: DevicesReply) => void;
  #settle: ((outcome: Outcome) => void) | null = null;
  /** What came while nobody was waiting. */
  #early: Outcome | null = null;
  #isBusy = true;
  #isReady = false;
  #hasEnded = false;
  readonly #ended = Promise.withResolvers<void>();
  #seen = 0;
  #since: number;

  constructor(
    file: URL,
    options: Omit<WorkerOptions, 'progress'>,
    facts: { clock: Clock; hangMs: number; announced: (reply: DevicesReply) => void },
  ) {
    this.#clock = facts.clock;
    this.#hangMs = facts.hangMs;
    this.#announced = facts.announced;
    this.#since = facts.clock.monotonic();
    const workerData: WorkerOptions = { ...options, progress: this.#progress.buffer };
    // Options of the main thread, such as `--input-type`, are not for a worker that is a file.
    this.#worker = new Worker(file, { workerData, resourceLimits: HEAP_LIMITS, execArgv: [] });
    this.#worker.on('message', (reply: Reply) => this.#receive(reply));
    this.#worker.on('error', (error) => this.#finish({ kind: 'died', detail: detailOf(error) }));
    this.#worker.on('exit', () => {
      this.#hasEnded = true;
      this.#finish({ kind: 'died', detail: 'the worker ended' });
      this.#ended.resolve();
    });
    this.#worker.unref();
  }

  /** A request is under way, or it is still starting. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Since when the read that is under way has lasted, as exactly as it is looked at. */
  get since(): number {
    return this.#since;
  }

  send(request: Extract<Request, { type: 'sample' }>): void {
    this.#isBusy = true;
    this.#seen = this.#progress.read().sequence;
    this.#since = this.#clock.monotonic();
    this.#worker.postMessage(request);
  }

  /** Resolves with what comes next, or as soon as one read has lasted too long; then it may be called again. */
  async wait(): Promise<Outcome> {
    const early = this.#early;
    this.#early = null;
    if (early !== null) return early;
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

  /** Resolves when the thread has ended, or when that takes too long. */
  async close(): Promise<void> {
    if (this.#hasEnded) return;
    this.#worker.postMessage({ type: 'close' } satisfies Request);
    let stop: Stop = () => {};
    const late = new Promise<void>((resolve) => {
      stop = this.#clock.after(CLOSE_MS, resolve);
    });
    this.#worker.ref();
    await Promise.race([this.#ended.promise, late]);
    stop();
    this.#worker.unref();
    if (!this.#hasEnded) noteStuck(this);
    this.#settle?.({ kind: 'died', detail: 'closed' });
  }

  /** Gives it up: it ends by itself when the read it hangs in returns, at which the promise resolves. */
  async abandon(): Promise<void> {
    noteStuck(this);
    this.#worker.postMessage({ type: 'close' } satisfies Request);
    await this.#ended.promise;
  }

  #receive(reply: Reply): void {
    if (reply.type === 'tick') {
      this.#finish({ kind: 'tick', tick: reply });
      return;
    }
    this.#announced(reply);
    // A list of GPUs in the middle of a round is no answer to it.
    if (!this.#isReady) this.#finish({ kind: 'ready' });
    this.#isReady = true;
  }

  #finish(outcome: Outcome): void {
    this.#isBusy = false;
    noteReturned(this);
    if (this.#settle === null) this.#early = outcome;
    else this.#settle(outcome);
    this.#settle = null;
  }

  /** Watches for a read that lasts too long: a sequence number that stands still. */
  #watch(): Stop {
    return this.#clock.every(this.#hangMs / LOOKS, () => {
      const { sequence, subject } = this.#progress.read();
      const now = this.#clock.monotonic();
      if (sequence !== this.#seen) {
        this.#seen = sequence;
        this.#since = now;
      } else if (now - this.#since >= (sequence === 0 ? START_MS : this.#hangMs)) {
        this.#settle?.({ kind: 'hang', subject });
      }
    });
  }
}
