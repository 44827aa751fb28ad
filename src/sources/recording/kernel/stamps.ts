import type { Millis } from '../../../model/reading.ts';
import { monthOf } from '../months.ts';
import type { RecordingReport } from '../report.ts';
import type { WrittenDates } from '../written-dates.ts';

/** When a line was written: since 1970 (`absolute`), since the start of the machine (`elapsed`), or unknown. */
export interface Stamp {
  readonly clock: 'absolute' | 'elapsed' | 'none';
  readonly time: number;
}

const DAY_MS = 86_400_000;
/** A year has passed where the month goes back by more than this. */
const NEW_YEAR_MONTHS = 6;
/** Where in the line a date may begin. */
const LONGEST_PREFIX = 48;

const DATE = /\d{4}[-/]\d{2}[-/]\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?:Z|[+-]\d{2}:?\d{2}| (?:UTC|GMT)\b)?/;
const FULL = /^(?:<\d+>)?\[([^\]]{18,40}\d{4})\] /;
const NO_YEAR = /^(?:<\d+>)?(\p{L}{3,12})\.?\s+(\d{1,2})\.? (\d{2}):(\d{2}):(\d{2})(?:[.,](\d{1,9}))?\s/u;
const SINCE_START = /^(?:<\d+>)?\[\s*(\d+\.\d{1,9})(?:@\d+)?\]/;
const SINCE_LAST = /^(?:<\d+>)?\[\s*\+(\d+\.\d{1,9})\]/;
const RECORD = /^\d{1,3},\d+,(\d+),[^;]{1,40};/;
const EPOCH = /^(\d{10})\.(\d{1,9})\s/;

/** Reads the stamps of a log; what has none has the one of the line before. */
export class KernelStamps {
  readonly #dates: WrittenDates;
  readonly #report: RecordingReport;
  readonly #anchor: Millis;
  #last: Stamp = { clock: 'none', time: Number.NaN };
  #year: number | null = null;
  #month = 0;

  /** `anchor` is when the log was written down: no line of it is from a later year. */
  constructor(dates: WrittenDates, report: RecordingReport, anchor: Millis) {
    this.#dates = dates;
    this.#report = report;
    this.#anchor = anchor;
  }

  read(line: string): Stamp {
    this.#last = this.#find(line) ?? this.#last;
    return { ...this.#last, time: Math.floor(this.#last.time) };
  }

  #find(line: string): Stamp | null {
    const noYear = NO_YEAR.exec(line);
    const dated = noYear === null ? null : this.#withoutYear(noYear);
    if (dated !== null) return dated;
    const record = RECORD.exec(line);
    if (record !== null) return elapsed(Number(record[1]) / 1000);
    const sinceStart = SINCE_START.exec(line);
    if (sinceStart !== null) return elapsed(Number(sinceStart[1]) * 1000);
    const sinceLast = SINCE_LAST.exec(line);
    if (sinceLast !== null) return this.#after(Number(sinceLast[1]) * 1000);
    const epoch = EPOCH.exec(line);
    if (epoch !== null) return absolute(Number(`${epoch[1]}.${epoch[2]}`) * 1000);
    return this.#date(line);
  }

  #date(line: string): Stamp | null {
    const full = FULL.exec(line)?.[1];
    const at = full === undefined ? Number.NaN : this.#dates.read(full);
    if (!Number.isNaN(at)) return absolute(at);
    const written = DATE.exec(line.slice(0, LONGEST_PREFIX + 40));
    if (written === null || written.index > LONGEST_PREFIX) return null;
    const time = this.#dates.read(written[0]);
    return Number.isNaN(time) ? null : absolute(time);
  }

  #after(millis: number): Stamp {
    const { clock, time } = this.#last;
    return clock === 'none' ? elapsed(millis) : { clock, time: time + millis };
  }

  #withoutYear([
    ,
    name = '',
    day = '',
    hour = '',
    minute = '',
    second = '',
    fraction = '0',
  ]: RegExpExecArray): Stamp | null {
    const month = monthOf(name);
    if (month === null || Number(day) > 31 || Number(hour) > 23) return null;
    const wall = (year: number): number =>
      Date.UTC(year, month - 1, Number(day), Number(hour), Number(minute), Number(second)) +
      Math.floor(Number(`0.${fraction}`) * 1000);
    const year = this.#yearOf(month, wall);
    return absolute(this.#dates.fromLocal(wall(year)));
  }

  #yearOf(month: number, wall: (year: number) => number): number {
    if (this.#year === null) {
      const latest = new Date(this.#anchor + DAY_MS).getUTCFullYear();
      this.#year = wall(latest) > this.#anchor + DAY_MS ? latest - 1 : latest;
      this.#report.remark('notice.times-no-year', { year: this.#year });
    } else if (month < this.#month - NEW_YEAR_MONTHS) {
      this.#year++;
    }
    this.#month = month;
    return this.#year;
  }
}

function absolute(time: number): Stamp {
  return { clock: 'absolute', time };
}

function elapsed(time: number): Stamp {
  return { clock: 'elapsed', time };
}
