/** Longest wait between two attempts, before jitter. */
const MAX_MS = 5000;
const FIRST_MS = 1000;

/**
 * Wait before attempt `attempt` (1 for the first retry): 1 s, 2 s, 4 s, 5 s, of which the upper half is random, so
 * that pages do not come back in step. It stays short, as only a page that someone looks at connects at all. `random` is in [0, 1).
 */
export function retryDelay(attempt: number, random: number): number {
  const ceiling = Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(attempt - 1, 10));
  return Math.round(ceiling * (0.5 + random / 2));
}
