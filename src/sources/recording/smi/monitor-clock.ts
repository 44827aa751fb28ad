import type { FormatContext, LogSection } from '../rows.ts';
import type { MonitorColumns } from './monitor-columns.ts';

const DATE = /^(\d{4})[-/]?(\d{2})[-/]?(\d{2})$/;
const TIME = /^(\d{2}):(\d{2}):(\d{2})$/;
const DAY_MS = 86_400_000;

/** The clock goes back by about a day at midnight. */
const MIDNIGHT_MS = DAY_MS / 2;

/**
 * Reads the time columns that `-o D`, `-o T` and `-o DT` add to `dmon` and `pmon`. A time without a date is of the day on
 * which the log began, and after midnight of the next one.
 */
export class MonitorClock {
  readonly #context: FormatContext;
  #datePosition = -1;
  #timePosition = -1;
  #day = Number.NaN;
  #lastClock = 0;
  #previous = Number.NaN;

  constructor(context: FormatContext) {
    this.#context = context;
  }

  /** The kind of clock of the rows below a header. */
  use({ names }: MonitorColumns): LogSection['clock'] {
    this.#datePosition = names.indexOf('date');
    this.#timePosition = names.indexOf('time');
    if (this.#timePosition === -1) return 'none';
    const { report, zone, anchor } = this.#context;
    report.remark('notice.times-local', { zone: zone.zone });
    if (this.#datePosition === -1 && Number.isNaN(this.#day)) {
      this.#day = Math.floor(zone.toLocal(anchor) / DAY_MS) * DAY_MS;
      report.remark('notice.date-assumed', { date: new Date(this.#day).toISOString().slice(0, 10) });
    }
    return 'absolute';
  }

  /** Epoch milliseconds of a row, NaN where the log has no times, null where it has one that cannot be read. */
  read(cells: readonly string[]): number | null {
    if (this.#timePosition === -1) return Number.NaN;
    const time = TIME.exec(cells[this.#timePosition] ?? '');
    if (time === null) return null;
    const [hour, minute, second] = [Number(time[1]), Number(time[2]), Number(time[3])];
    if (hour > 23 || minute > 59 || second > 60) return null;
    const clock = ((hour * 60 + minute) * 60 + second) * 1000;
    const day = this.#datePosition === -1 ? this.#dayOf(clock) : dayIn(cells[this.#datePosition] ?? '');
    if (day === null) return null;
    this.#previous = this.#context.zone.toUtc(day + clock, this.#previous);
    return this.#previous;
  }

  #dayOf(clock: number): number {
    if (clock < this.#lastClock - MIDNIGHT_MS) this.#day += DAY_MS;
    this.#lastClock = clock;
    return this.#day;
  }
}

function dayIn(text: string): number | null {
  const date = DATE.exec(text);
  if (date === null) return null;
  const day = Date.UTC(Number(date[1]), Number(date[2]) - 1, Number(date[3]));
  return new Date(day).getUTCDate() === Number(date[3]) ? day : null;
}
