import { CATALOGUE, slotOf } from '../../../model/catalogue.ts';
import { CLOCK_EVENT_REASONS } from '../../../model/clock-events.ts';
import type { AbsenceReason } from '../../../model/reading.ts';
import { absenceCode, ReadingSet } from '../../../model/reading-set.ts';
import { absenceOf } from '../csv/absence-words.ts';
import { markMig } from '../mig-absence.ts';
import { asciiText } from '../number-cell.ts';
import { ReadingSlab } from '../reading-slab.ts';
import type { RecordingReport } from '../report.ts';
import type { SmiField } from './fields.ts';
import { sumEcc } from './sum-ecc.ts';

const REASONS_SLOT = slotOf('clock_event_reasons');
/** The last one that nvidia-smi lists. */
const LAST_REASON = CLOCK_EVENT_REASONS.find(({ id }) => id === 'display-clocks')?.bit;

/** Behind every value comes every word for a missing one, in the order of the ranks. */
const ABSENT_RANK = 100;
const NOTHING = 255;

/** Longest word for a missing value, and characters of an unreadable value that are quoted to the user. */
const LONGEST_WORD = 64;
const LONGEST_QUOTE = 40;

/** The readings of one device after the other, from values as nvidia-smi prints them. */
export class SmiReadings {
  readonly #report: RecordingReport;
  readonly #slab = new ReadingSlab();
  readonly #ranks = new Uint8Array(CATALOGUE.length).fill(NOTHING);
  readonly #scratch = new Uint8Array(LONGEST_WORD);
  #set: ReadingSet;
  #isLost = false;
  #hasError = false;
  #values = 0;
  #mask = 0;
  #knownReasons = 0;
  #reasonAbsence: AbsenceReason | null = null;

  constructor(report: RecordingReport) {
    this.#report = report;
    this.#set = this.#slab.take();
  }

  /** The value of a field. `line` is for the report. */
  put(field: SmiField, bytes: Uint8Array, start: number, end: number, line: number): void {
    if (field.reason !== 0) this.#putReason(field.reason, bytes, start, end);
    const { values, codes } = this.#set;
    let isReported = false;
    for (const { column, rank } of field.targets) {
      const value = column.read(bytes, start, end);
      const { slot } = column;
      if (!Number.isNaN(value)) {
        this.#values++;
        if (rank >= this.#ranks[slot]!) continue;
        this.#ranks[slot] = rank;
        values[slot] = value;
        codes[slot] = 0;
        continue;
      }
      if (column.fault === 'none') this.#noteAbsence(column.absence);
      else if (!isReported) {
        isReported = true;
        this.#fault(column.fault, field, bytes, start, end, line);
      }
      if (rank + ABSENT_RANK >= this.#ranks[slot]!) continue;
      this.#ranks[slot] = rank + ABSENT_RANK;
      codes[slot] = absenceCode(column.absence);
    }
  }

  /** {@link put} for a text; only its first characters count, and only ASCII. */
  putText(field: SmiField, text: string, line: number): void {
    const length = Math.min(text.length, LONGEST_WORD);
    for (let at = 0; at < length; at++) this.#scratch[at] = Math.min(text.charCodeAt(at), 127);
    this.put(field, this.#scratch, 0, length, line);
  }

  /** All values of a field are missing for this reason. */
  putAbsent(field: SmiField, reason: AbsenceReason): void {
    for (const { column, rank } of field.targets) {
      if (rank + ABSENT_RANK >= this.#ranks[column.slot]!) continue;
      this.#ranks[column.slot] = rank + ABSENT_RANK;
      this.#set.codes[column.slot] = absenceCode(reason);
    }
    if (field.reason !== 0) this.#reasonAbsence = reason;
    this.#noteAbsence(reason);
  }

  /** The driver said that the device is lost. */
  markLost(): void {
    this.#isLost = true;
  }

  /** The list of reasons is complete: until then a reason that is not in it may still come. */
  endReasons(): void {
    if (this.#knownReasons > 0) this.#set.setValue(REASONS_SLOT, this.#mask);
    else if (this.#reasonAbsence !== null) this.#set.setAbsent(REASONS_SLOT, this.#reasonAbsence);
  }

  /** What was put in since the last call. The readings are given away. `isMig`: the device is cut into instances. */
  take(line: number, isMig: boolean): { readonly readings: ReadingSet; readonly lost: boolean } {
    const set = this.#set;
    const lost = this.#isLost;
    sumEcc(set);
    if (isMig) markMig(set);
    if (this.#values === 0 && this.#hasError && !lost) this.#report.fault('error-rows', line);
    this.#clear();
    return { readings: lost ? ReadingSet.allAbsent('gpu-lost') : set, lost };
  }

  #clear(): void {
    this.#set = this.#slab.take();
    this.#ranks.fill(NOTHING);
    this.#isLost = false;
    this.#hasError = false;
    this.#values = 0;
    this.#mask = 0;
    this.#knownReasons = 0;
    this.#reasonAbsence = null;
  }

  #putReason(bit: number, bytes: Uint8Array, start: number, end: number): void {
    const word = asciiText(bytes, start, Math.min(end, start + LONGEST_WORD));
    if (word === 'Active') this.#mask |= bit;
    if (word === 'Active' || word === 'Not Active') {
      this.#knownReasons++;
      this.#values++;
      if (bit === LAST_REASON) this.endReasons();
      return;
    }
    const why = absenceOf(bytes, start, end);
    if (why === null) return;
    this.#reasonAbsence = why;
    this.#noteAbsence(why);
  }

  #noteAbsence(reason: AbsenceReason): void {
    if (reason === 'error') this.#hasError = true;
    if (reason === 'gpu-lost') this.#isLost = true;
  }

  #fault(
    fault: 'unreadable' | 'impossible',
    { title }: SmiField,
    bytes: Uint8Array,
    start: number,
    end: number,
    line: number,
  ): void {
    const value = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start)
      .toString()
      .slice(0, LONGEST_QUOTE)
      .replaceAll(/\p{Cc}/gu, ' ');
    this.#report.fault(fault === 'impossible' ? 'impossible-values' : 'unreadable-cells', line, {
      column: title,
      value,
    });
  }
}
