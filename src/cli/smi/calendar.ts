import type { Millis } from '../../model/reading.ts';
import { ZoneClock } from '../../sources/recording/time-zone.ts';

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** Times as nvidia-smi prints them: local ones, in the zone of this host unless another is given. */
export class Calendar {
  readonly #zone: ZoneClock | null;

  /** Throws a RangeError for a zone that does not exist. */
  constructor(zone: string | null) {
    this.#zone = zone === null ? null : new ZoneClock(zone);
  }

  /** `2026/07/14 08:12:53.353` */
  query(at: Millis): string {
    const text = this.#local(at).toISOString();
    return `${text.slice(0, 10).replaceAll('-', '/')} ${text.slice(11, 23)}`;
  }

  /** `Fri Jul  3 22:22:26 2026` */
  report(at: Millis): string {
    const local = this.#local(at);
    const day = String(local.getUTCDate()).padStart(2);
    const clock = local.toISOString().slice(11, 19);
    return `${DAYS[local.getUTCDay()]} ${MONTHS[local.getUTCMonth()]} ${day} ${clock} ${local.getUTCFullYear()}`;
  }

  /** `20260714` */
  date(at: Millis): string {
    return this.#local(at).toISOString().slice(0, 10).replaceAll('-', '');
  }

  /** `08:12:53` */
  time(at: Millis): string {
    return this.#local(at).toISOString().slice(11, 19);
  }

  /** Local time, given as if it were UTC. */
  #local(at: Millis): Date {
    return new Date(this.#zone?.toLocal(at) ?? at - new Date(at).getTimezoneOffset() * 60_000);
  }
}
