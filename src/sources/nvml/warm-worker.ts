import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { WorkerOptions } from './protocol.ts';

/** A source file while gpulse runs from source, else the bundle beside this one. */
const WORKER = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './nvml-worker.js', import.meta.url);

/** The worker's heap holds a few hundred kilobytes; a limit near that keeps the engine from letting garbage pile up. */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2 } as const;

/** One that lives for a moment is done before its first garbage would have to be collected. */
const SHORT_LIVED_LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 32 } as const;

let warm: Worker | null = null;

/**
 * Starts a worker that loads what it needs and then waits to be told what for, so that this takes no time later. It does not
 * touch the driver, and does not keep the process alive.
 */
export function warmUpWorker(): void {
  if (warm !== null) return;
  const worker = launch(null);
  // One that fails before it is needed is not used: the next one fails in front of whoever needs it.
  const drop = (): void => {
    if (warm === worker) warm = null;
  };
  worker.once('error', drop).once('exit', drop);
  warm = worker;
}

/** A worker with these options: the one that was warmed up, if there is one left. */
export function startWorker(options: WorkerOptions): Worker {
  const ready = warm;
  warm = null;
  if (ready === null) return launch(options);
  ready.postMessage(options);
  return ready;
}

function launch(workerData: WorkerOptions | null): Worker {
  // The cache of compiled code is that of this thread; its folder is below the one that is told.
  const cache = getCompileCacheDir();
  const env = cache === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(cache) };
  // Options of the main thread, such as `--input-type`, are not for a worker that is a file.
  const resourceLimits = workerData === null ? SHORT_LIVED_LIMITS : HEAP_LIMITS;
  const worker = new Worker(WORKER, { name: 'nvml', workerData, env, resourceLimits, execArgv: [] });
  worker.unref();
  return worker;
}
