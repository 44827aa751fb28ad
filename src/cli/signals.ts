/** Resolves at the first SIGINT or SIGTERM; a second one ends the process at once, as it would without a handler. */
export function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
}
