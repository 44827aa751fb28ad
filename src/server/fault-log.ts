import { createHash } from 'node:crypto';
import type { Clock } from '../model/clock.ts';

const SILENCE_MS = 60_000;
const MOST_REMEMBERED = 100;

/**
 * Writes unexpected exceptions to the log, under an id that the client gets in place of the details. A fault that
 * repeats within a minute has the same id and is not written again, so that polling clients do not flood the log.
 */
export class FaultLog {
  readonly #write: (text: string) => void;
  readonly #clock: Clock;
  readonly #writtenAt = new Map<string, number>();

  constructor(write: (text: string) => void, clock: Clock) {
    this.#write = write;
    this.#clock = clock;
  }

  /** Returns the id, such as `#3fa2c1`. `where` must not hold what a client wants kept secret, such as a query. */
  report(error: unknown, where: string): string {
    const text = describe(error);
    const id = `#${createHash('sha256').update(text).digest('hex').slice(0, 6)}`;
    const now = this.#clock.monotonic();
    const last = this.#writtenAt.get(id);
    if (last === undefined || now - last >= SILENCE_MS) {
      if (this.#writtenAt.size >= MOST_REMEMBERED) this.#writtenAt.clear();
      this.#writtenAt.set(id, now);
      this.#write(`gpulse: fault ${id} in ${where}: ${text}\n`);
    }
    return id;
  }
}

/** Stack and causes of anything that was thrown. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? error.message;
  return error.cause === undefined ? own : `${own}\ncaused by ${describe(error.cause)}`;
}
