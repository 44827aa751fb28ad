import { RecordingReport } from '../report.ts';
import type { FormatContext } from '../rows.ts';
import { dateLine, WrittenDates } from '../written-dates.ts';

/** `Sat, 02 Nov 2024`: the only commas in a date that is no record. */
const MAIL_DATE = /^[A-Z][a-z]{2}, \d/;
const CLOCK = /\d:\d\d:\d\d/;

/** The dates that a script prints on lines of their own, each in front of the records of its moment. */
export class DatesBetween {
  /** The date that is waiting for its records, or null, and its line. */
  #waiting: string | null = null;
  #line = 0;
  readonly #report: RecordingReport;
  readonly #dates: WrittenDates;
  /** Only tries: what is no time of a record is not remarked on. */
  readonly #trial: WrittenDates;

  constructor({ zone, report }: FormatContext) {
    this.#report = report;
    this.#dates = new WrittenDates(zone, report);
    this.#trial = new WrittenDates(zone, new RecordingReport());
  }

  /** True for a line that is nothing but a date; a record may begin with one. */
  isDate(line: string): boolean {
    return CLOCK.test(line) && (!/[,;\t]/.test(line) || MAIL_DATE.test(line)) && dateLine(line) !== null;
  }

  /** True if the line is a date, which is the time of the records behind it. */
  take(line: string, number: number): boolean {
    const written = this.isDate(line) ? dateLine(line) : null;
    if (written === null || Number.isNaN(this.#trial.read(written))) return false;
    this.#waiting = written;
    this.#line = number;
    return true;
  }

  get isWaiting(): boolean {
    return this.#waiting !== null;
  }

  /** Epoch milliseconds for the first record behind a date; NaN for the others, which are of the same moment or later. */
  next(): number {
    const written = this.#waiting;
    this.#waiting = null;
    return written === null ? Number.NaN : this.#dates.read(written);
  }

  /** The date was the first line of nvidia-smi's table. */
  drop(): void {
    if (this.#waiting !== null) this.#report.skip('table', this.#line);
    this.#waiting = null;
  }
}
