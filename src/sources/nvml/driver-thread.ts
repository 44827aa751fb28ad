import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Reply, Request, WorkerOptions } from './protocol.ts';
import { SameThread } from './same-thread.ts';

/** Who calls the driver, as seen by who asks for it. */
export interface DriverThread {
  postMessage(request: Request): void;
  on(event: 'message', listener: (reply: Reply) => void): unknown;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  on(event: 'exit', listener: () => void): unknown;
  /** Whether the process stays for it. */
  ref(): void;
  unref(): void;
}

/** A source file while gpulse runs from source, else the bundle beside this one. */
const WORKER = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './nvml-worker.js', import.meta.url);

/** The worker's heap holds a few hundred kilobytes; a limit near that keeps the engine from letting garbage pile up. */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2 } as const;

/**
 * Starts a thread that opens the driver and answers. `isDeadlined` makes it the calling one instead, which takes half the
 * time to start: for a process that may be ended where the driver hangs, see {@link SameThread}.
 */
export function startDriverThread(options: WorkerOptions, isDeadlined: boolean): DriverThread {
  if (isDeadlined) return new SameThread(options);
  // The cache of compiled code is that of this thread; its folder is below the one that is told.
  const cache = getCompileCacheDir();
  const env = cache === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(cache) };
  // Options of the main thread, such as `--input-type`, are not for a worker that is a file.
  const worker = new Worker(WORKER, {
    ...{ name: 'nvml', workerData: options, env, execArgv: [] },
    resourceLimits: HEAP_LIMITS,
  });
  worker.unref();
  return worker;
}
