import type { Clock, Stop } from '../../model/clock.ts';
import { detailOf } from '../../model/errors.ts';
import { startDriverThread } from './driver-thread.ts';
import { type Hang, noteReturned, noteStuck } from './exit.ts';
import { GpmLock } from './gpm-lock.ts';
import { NONE, Progress } from './progress.ts';
import type { DriverThread, Reply, Request, WorkerOptions } from './protocol.ts';
import { symbolName } from './symbols.ts';

const GPM_LOCK = new GpmLock();

/** How long a worker may take to release the driver when it is closed. */
const CLOSE_MS = 1000;

/** What a worker is started with, less what it shares with its link. */
export interface LinkOptions extends Omit<WorkerOptions, 'progress' | 'gpmLock'> {
  /** See {@link startDriverThread}. */
  readonly isDeadlined: boolean;
}

/** Who hears of what a worker does. Neither is called after close(). */
export interface WorkerListener {
  reply(reply: Reply): void;
  /** The thread has ended, though nobody closed it. */
  died(detail: string): void;
}

/**
 * One worker thread seen from the main thread. One request at a time; the first reply, to being started, is whether the
 * driver could be opened. The thread does not keep the process alive.
 */
export class WorkerLink {
  readonly #worker: DriverThread;
  readonly #progress = new Progress();
  readonly #clock: Clock;
  readonly #listener: WorkerListener;
  #isBusy = true;
  /** The last sequence number of the calls that was seen, and since when it has stood still. */
  #seen = 0;
  #since: number;
  /** The GPU that was seen to be read last, and since when. */
  #gpu = NONE;
  #gpuSince = 0;
  #hangs = false;
  #isClosed = false;
  readonly #ended = Promise.withResolvers<void>();
  #hasEnded = false;

  constructor(options: LinkOptions, clock: Clock, listener: WorkerListener) {
    this.#clock = clock;
    this.#listener = listener;
    this.#since = clock.monotonic();
    const { isDeadlined, ...rest } = options;
    const shared = { progress: this.#progress.buffer, gpmLock: GPM_LOCK.buffer };
    this.#worker = startDriverThread({ ...rest, ...shared }, isDeadlined);
    this.#worker.onReply((reply) => this.#answered(reply));
    this.#worker.onError((error) => this.#died(detailOf(error)));
    this.#worker.onExit(() => {
      this.#hasEnded = true;
      this.#died('the worker ended');
      this.#ended.resolve();
    });
  }

  /** A request is under way, so that no other can be made. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  send(request: Request): void {
    this.#isBusy = true;
    this.#seen = this.#progress.read().sequence;
    this.#since = this.#clock.monotonic();
    this.#gpu = NONE;
    this.#worker.ask(request);
  }

  /** The call in which a busy worker is now, and since when, as exactly as it is looked at. */
  look(): Hang {
    const { sequence, call, gpu } = this.#progress.read();
    const now = this.#clock.monotonic();
    if (sequence !== this.#seen) {
      this.#seen = sequence;
      this.#since = now;
    }
    if (gpu !== this.#gpu) {
      this.#gpu = gpu;
      this.#gpuSince = now;
    }
    return { call: symbolName(call), isInCall: call !== NONE, gpu, since: this.#since };
  }

  /** Since when it has been looked at reading the same GPU, with however many calls. */
  get gpuSince(): number {
    return this.#gpuSince;
  }

  /** Notes that the call it is in does not return: the process will not wait for it when it ends. */
  noteHang(hang: Hang): void {
    this.#hangs = true;
    noteStuck(this, hang);
  }

  /** The call has returned after all. */
  noteReturn(): void {
    this.#hangs = false;
    noteReturned(this);
  }

  /** Leaves it one GPU, by NVML index, also if it hangs now. */
  restrict(gpu: number): void {
    this.#progress.restrict(gpu);
  }

  /** Resolves when the worker has released the driver, or when that takes too long. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#hasEnded) return;
    this.#worker.ask({ type: 'close' });
    // One that is known to hang is not waited for.
    let stop: Stop = () => {};
    const late = new Promise<void>((resolve) => {
      stop = this.#clock.after(this.#hangs ? 0 : CLOSE_MS, resolve);
    });
    this.#worker.ref();
    await Promise.race([this.#ended.promise, late]);
    this.#worker.unref();
    stop();
    if (this.#hasEnded) return;
    this.#progress.abandon();
    this.noteHang(this.look());
  }

  #answered(reply: Reply): void {
    this.#settle();
    if (!this.#isClosed) this.#listener.reply(reply);
  }

  #died(detail: string): void {
    this.#settle();
    if (!this.#isClosed) this.#listener.died(detail);
    this.#isClosed = true;
  }

  #settle(): void {
    this.#isBusy = false;
    this.#hangs = false;
    noteReturned(this);
  }
}
