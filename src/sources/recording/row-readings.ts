import type { Metric } from '../../model/catalogue.ts';
import type { AbsenceReason } from '../../model/reading.ts';
import { absenceCode, type ReadingSet } from '../../model/reading-set.ts';
import { absenceIn } from './csv/absence-words.ts';
import { isSentinel, rangeOf, unitScale } from './csv/units.ts';
import { ReadingSlab } from './reading-slab.ts';
import type { RecordingReport } from './report.ts';

/** A number with its unit, as `35.0°C`, `(1725Mhz)` or `133 W`. */
const QUANTITY = /^\(?\s*([+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*[°\ufffd]*\s?([a-zA-Zµ%][a-zA-Z/%]*)?\s*\)?$/;

const NOT_COLLECTED = absenceCode('not-collected');

/** Characters of a value that are quoted to the user. */
const LONGEST_QUOTE = 40;

/** Fills the readings of one device after the other from words and numbers, and checks that they are possible. */
export class RowReadings {
  readonly #report: RecordingReport;
  readonly #slab = new ReadingSlab();
  #set: ReadingSet;
  #line = 0;
  #count = 0;

  constructor(report: RecordingReport) {
    this.#report = report;
    this.#set = this.#slab.take();
  }

  /** A device begins, in line `line`. */
  begin(line: number): void {
    if (this.#count > 0) this.#set = this.#slab.take();
    this.#line = line;
    this.#count = 0;
  }

  /** What was put in since the device began. It is given away. */
  take(): ReadingSet {
    const set = this.#set;
    this.#set = this.#slab.take();
    this.#count = 0;
    return set;
  }

  /** Whether the metric has a value already. */
  has(metric: Metric): boolean {
    return this.#set.codes[metric.slot] === 0;
  }

  /** Whether anything was said about the metric, a value or why there is none. */
  isSet(metric: Metric): boolean {
    return this.#set.codes[metric.slot] !== NOT_COLLECTED;
  }

  /** A number that is to be multiplied by `scale` to be in the base unit. `title` and `written` are for the report. */
  number(metric: Metric, value: number, scale: number, title: string, written = String(value)): void {
    // Dividing by a whole number rounds once: 29 % is 0.29.
    const base = scale < 1 ? value / Math.round(1 / scale) : value * scale;
    if (isPossible(metric, base)) {
      this.#count++;
      this.#set.setValue(metric.slot, base);
    } else {
      this.#fault(metric, 'impossible-values', title, written);
    }
  }

  /** A number with or without a unit, `scale` being that of one without, or a word for why there is none. */
  text(metric: Metric, written: string, scale: number, title: string): void {
    const text = written.trim();
    const found = QUANTITY.exec(text);
    if (found !== null) {
      const unit = found[2];
      const written = unit === undefined ? scale : unitScale(metric.unit, unit);
      if (written !== null) this.number(metric, Number(found[1]), written, title, text);
      else this.#fault(metric, 'unreadable-cells', title, text);
      return;
    }
    // Some tools keep the unit: `N/A mV`.
    const reason = absenceIn(text.replace(/^(N\/A) [^\d\s]{1,4}$/i, '$1'));
    if (reason !== null) this.absent(metric, reason);
    else this.#fault(metric, 'unreadable-cells', title, text);
  }

  /** Gives a metric the value of another one. */
  copy(from: Metric, to: Metric): void {
    this.#set.set(to.slot, this.#set.at(from.slot));
  }

  absent(metric: Metric, reason: AbsenceReason): void {
    this.#count++;
    this.#set.setAbsent(metric.slot, reason);
  }

  #fault(metric: Metric, fault: 'impossible-values' | 'unreadable-cells', column: string, written: string): void {
    this.absent(metric, 'error');
    this.#report.fault(fault, this.#line, { column, value: written.slice(0, LONGEST_QUOTE) });
  }
}

function isPossible({ id, unit, states }: Metric, value: number): boolean {
  const { min, max } = rangeOf(id, unit);
  if (!(value >= min && value <= max) || (unit === 'count' && isSentinel(value))) return false;
  return states === undefined || Number.isInteger(value);
}
