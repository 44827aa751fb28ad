/**
 * Resolves at the first SIGINT, SIGTERM or SIGHUP (the terminal was closed). A second one ends the process at once, as it
 * would without a handler.
 */
export function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
}
