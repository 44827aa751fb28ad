/** How long what a command still waits for after a signal, such as a driver that does not start, may hold it up. */
const GRACE_MS = 3000;

/**
 * Resolves at the first SIGINT, SIGTERM or SIGHUP (the terminal was closed). A second one ends the process at once, as it
 * would without a handler; so does the first where the command has not ended after `graceMs` milliseconds.
 */
export function untilSignal(graceMs = GRACE_MS): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.once(signal, () => {
        resolve();
        endAfter(signal, graceMs);
      });
    }
  });
}

/** Ends the process by this signal after some milliseconds, unless it has ended by then. */
export function endAfter(signal: NodeJS.Signals, ms = GRACE_MS): void {
  setTimeout(() => {
    process.removeAllListeners(signal);
    // Leaving it to Node would mean to wait for a thread that hangs in the driver.
    process.kill(process.pid, signal);
  }, ms).unref();
}
