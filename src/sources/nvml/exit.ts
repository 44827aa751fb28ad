import { ffi } from './ffi.ts';

/**
 * Ends the process at once, without waiting for its threads.
 *
 * A thread that hangs inside the driver cannot be stopped: `process.exit()` waits for it for ever, since it joins every
 * worker. `_exit` of the C library leaves that to the kernel. Standard output is written by then, because Node writes to
 * files, pipes and terminals synchronously on Linux.
 */
function exitNow(code: number): never {
  ffi().load(null).func('_exit', 'void', ['int'])(code);
  throw new Error('BUG: _exit returned');
}

/** A driver call that does not return. */
export interface Hang {
  readonly call: string;
  /** False where the thread is between two calls. */
  readonly isInCall: boolean;
  /** NVML index of the GPU it is on; negative where it is on none. */
  readonly gpu: number;
  /** Since when, on the monotonic clock. */
  readonly since: number;
}

/**
 * The threads of this process that hang now, over every source it ever opened: like file descriptors they belong to the
 * process. While there is one, the process ends by {@link exitNow}, however its end comes about.
 */
const stuck = new Map<object, Hang>();

/** Notes that a thread hangs; until {@link noteReturned} the process will not wait for it at its end. */
export function noteStuck(thread: object, hang: Hang): void {
  if (stuck.size === 0) process.on('exit', exitNow);
  stuck.set(thread, hang);
}

/** Harmless for a thread that does not hang. */
export function noteReturned(thread: object): void {
  if (stuck.delete(thread) && stuck.size === 0) process.off('exit', exitNow);
}

export function stuckThreads(): number {
  return stuck.size;
}

/** A hang of the driver as a whole rather than of one GPU, or null: another thread would only hang as well. */
export function driverHang(): Hang | null {
  return [...stuck.values()].find(({ gpu }) => gpu < 0) ?? null;
}
