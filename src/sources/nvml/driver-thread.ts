import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Progress } from './progress.ts';
import type { DriverThread, Reply, Request, WorkerOptions } from './protocol.ts';
import { SameThread } from './same-thread.ts';
import { TickReceiver, type WorkerMessage } from './tick-transfer.ts';

/** A source file while gpulse runs from source, else the bundle beside this one. */
const WORKER = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './nvml-worker.js', import.meta.url);

/** The worker's heap holds a few hundred kilobytes; a limit near that keeps the engine from letting garbage pile up. */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2 } as const;

/** A thread of its own, which sleeps between two requests: see {@link Progress}. */
class DriverWorker implements DriverThread {
  readonly #worker: Worker;
  readonly #progress: Progress;
  readonly #ticks: TickReceiver;

  constructor(options: WorkerOptions) {
    // The cache of compiled code is that of this thread; its folder is below the one that is told.
    const cache = getCompileCacheDir();
    const env = cache === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(cache) };
    // Options of the main thread, such as `--input-type`, are not for a worker that is a file.
    this.#worker = new Worker(WORKER, {
      ...{ name: 'nvml', workerData: options, env, execArgv: [] },
      resourceLimits: HEAP_LIMITS,
    });
    this.#progress = new Progress(options.progress);
    this.#ticks = new TickReceiver(Object.keys(options.facts).length);
    this.#worker.unref();
  }

  ask(request: Request): void {
    if (request.type === 'sample' && request.share === null) {
      this.#progress.askForTick(request.now);
      return;
    }
    this.#worker.postMessage(request);
    this.#progress.announceMessage();
  }

  onReply(listener: (reply: Reply) => void): void {
    this.#worker.on('message', (message: WorkerMessage) => listener(this.#ticks.replyOf(message)));
  }

  onError(listener: (error: unknown) => void): void {
    this.#worker.on('error', listener);
  }

  onExit(listener: () => void): void {
    this.#worker.on('exit', listener);
  }

  ref(): void {
    this.#worker.ref();
  }

  unref(): void {
    this.#worker.unref();
  }
}

/**
 * Starts a thread that opens the driver and answers. `isDeadlined` makes it the calling one instead, which takes half the
 * time to start: for a process that may be ended where the driver hangs, see {@link SameThread}.
 */
export function startDriverThread(options: WorkerOptions, isDeadlined: boolean): DriverThread {
  return isDeadlined ? new SameThread(options) : new DriverWorker(options);
}
