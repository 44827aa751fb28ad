const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Every zone changes its offset on a multiple of this. */
const BLOCK_MS = 15 * MINUTE_MS;

/** Rows may be out of order by this much without time having gone back. */
const DISORDER_MS = 5000;

/** How a host in UTC ends the text of a date, if its language is English. */
const IN_UTC = '(Coordinated Universal Time)';

/** Turns the local times of a log into UTC, through summer time and back. */
export class ZoneClock {
  readonly #named: string | null;
  /** Null for the zone of this host, which plain dates know too: making one of these takes 15 ms. */
  readonly #format: Intl.DateTimeFormat | null;
  #block = Number.NaN;
  #offsetMs = 0;

  /** `zone` is an IANA name such as `Asia/Shanghai`, null for the zone of this host. Throws a RangeError for one that does not exist. */
  constructor(zone: string | null) {
    this.#named = zone;
    this.#format =
      zone === null ? null : new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  }

  /** Name of the zone. */
  get zone(): string {
    if (this.#named !== null) return this.#named;
    // Most servers are there, and are spared the rest.
    if (new Date(0).toString().endsWith(IN_UTC)) return 'UTC';
    return new Intl.DateTimeFormat('en-US').resolvedOptions().timeZone;
  }

  /**
   * Epoch milliseconds of a local time, which is given as if it were UTC. In the hour that happens twice the first
   * pass is taken unless that would be a jump back from `previous`, the time of the row before (NaN for none).
   */
  toUtc(localMs: number, previous: number): number {
    const block = Math.floor(localMs / BLOCK_MS);
    if (block === this.#block) return localMs - this.#offsetMs;
    const before = this.#offsetAt(localMs - DAY_MS);
    const after = this.#offsetAt(localMs + DAY_MS);
    const [first, second] = [localMs - before, localMs - after];
    if (before === after) return this.#remember(block, before, localMs);
    const isFirst = this.#offsetAt(first) === before;
    const isSecond = this.#offsetAt(second) === after;
    if (isFirst && isSecond) return first < previous - DISORDER_MS ? second : first;
    return this.#remember(block, isSecond ? after : before, localMs);
  }

  /** Local time of an epoch time, given as if it were UTC. */
  toLocal(utcMs: number): number {
    return utcMs + this.#offsetAt(utcMs);
  }

  #remember(block: number, offsetMs: number, localMs: number): number {
    this.#block = block;
    this.#offsetMs = offsetMs;
    return localMs - offsetMs;
  }

  /** Milliseconds to add to UTC to get local time. */
  #offsetAt(utcMs: number): number {
    if (this.#format === null) return -new Date(utcMs).getTimezoneOffset() * MINUTE_MS;
    const name = this.#format.formatToParts(utcMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const match = /([+-])(\d{2}):?(\d{2})?/.exec(name);
    if (match === null) return 0;
    const minutes = Number(match[2]) * 60 + Number(match[3] ?? 0);
    return (match[1] === '-' ? -minutes : minutes) * MINUTE_MS;
  }
}
