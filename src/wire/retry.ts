import type { Millis } from '../model/reading.ts';

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;
/** A receiver that asks for more patience than this is asked again all the same. */
const LONGEST_RETRY_AFTER_MS = 15 * 60_000;

/**
 * How long to wait after so many failures in a row, 1 or more: twice as long each time, and between a half and the whole
 * of it, so that many hosts do not come back at the same moment. `random` is 0…1; `longest` are the milliseconds after
 * which waits grow no more, where a minute is too long, and never less than a second.
 */
export function backOffMs(failures: number, random: number, longest: number = LONGEST_WAIT_MS): number {
  const limit = Math.max(FIRST_WAIT_MS, Math.min(LONGEST_WAIT_MS, longest));
  const most = Math.min(limit, FIRST_WAIT_MS * 2 ** (failures - 1));
  return most * (0.5 + random / 2);
}

/** What a `Retry-After` header asks for, in seconds or as a date; null where there is none that makes sense. */
export function retryAfterMs(header: string | null, now: Millis): number | null {
  if (header === null || header.trim() === '') return null;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - now;
  return ms >= 0 ? Math.min(ms, LONGEST_RETRY_AFTER_MS) : null;
}
