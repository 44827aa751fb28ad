/**
 * The threads of this process that hang now inside the kernel. Node waits for every thread when it ends, for ever if need
 * be, so that while there is one the process ends by a signal instead: its exit code is lost, but it does end.
 */
const stuck = new Set<object>();

function endNow(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** Notes that a thread hangs; until {@link noteReturned} the process will not wait for it at its end. */
export function noteStuck(thread: object): void {
  if (stuck.size === 0) process.on('exit', endNow);
  stuck.add(thread);
}

/** Harmless for a thread that does not hang. */
export function noteReturned(thread: object): void {
  if (stuck.delete(thread) && stuck.size === 0) process.off('exit', endNow);
}
