import { slotOf } from '../../../model/catalogue.ts';
import type { Notice } from '../../../model/ports.ts';
import type { AbsenceReason } from '../../../model/reading.ts';
import { absenceCode, ReadingSet } from '../../../model/reading-set.ts';
import { markMig } from '../mig-absence.ts';
import { asciiText, NumberCell } from '../number-cell.ts';
import { ReadingSlab } from '../reading-slab.ts';
import type { RecordingReport, RowFault } from '../report.ts';
import { absenceOf } from './absence-words.ts';
import type { Cells } from './cells.ts';
import type { MetricColumn } from './metric.ts';
import type { CsvPlan } from './plan.ts';

const REASONS_SLOT = slotOf('clock_event_reasons');
const MIG_MODE_SLOT = slotOf('mig_mode');
/** What is put together of several cells. */
const ADDED_SLOTS = [REASONS_SLOT, MIG_MODE_SLOT, slotOf('memory_total_bytes')];

/** Longest word that is looked at in a cell of a state. */
const LONGEST_WORD = 64;
/** Characters of an unreadable cell that are quoted to the user. */
const LONGEST_QUOTE = 40;

/** Reads what the cells of a record say about the state of a device. */
export class CsvReadings {
  /** True if the driver said that the device is lost. */
  isLost = false;
  /** True if a cell held an error of the driver. */
  hasError = false;
  readonly #plan: CsvPlan;
  readonly #report: RecordingReport;
  readonly #slab: ReadingSlab;
  readonly #number = new NumberCell();
  /** Faults of the record, kept until it is known to be one. */
  readonly #faults: { fault: RowFault; params: Notice['params'] }[] = [];
  /** Cells that hold a value or a word for its absence. */
  #readable = 0;
  #values = 0;

  constructor(plan: CsvPlan, report: RecordingReport) {
    this.#plan = plan;
    this.#slab = new ReadingSlab([...new Set([...plan.metrics.map(({ slot }) => slot), ...ADDED_SLOTS])]);
    this.#report = report;
  }

  /** The readings of a record, or null if not one of its cells can be read: it is no record at all. */
  read(bytes: Uint8Array, cells: Cells): ReadingSet | null {
    const { metrics, reasons, opaque } = this.#plan;
    this.isLost = false;
    this.hasError = false;
    this.#readable = 0;
    this.#values = 0;
    if (this.#faults.length > 0) this.#faults.length = 0;
    const readings = this.#slab.take();
    this.#readMetrics(bytes, cells, readings);
    if (reasons.length > 0) this.#readReasons(bytes, cells, readings);
    for (const position of opaque) this.#readOpaque(bytes, cells, position);
    if (this.#readable === 0 && metrics.length + reasons.length + opaque.length > 0) return null;
    if (this.isLost) return ReadingSet.allAbsent('gpu-lost');
    if (this.#values === 0 && this.hasError) {
      this.#faults.push({ fault: 'error-rows', params: {} });
      if (metrics.length === 0) return ReadingSet.allAbsent('error');
    }
    this.#readMigMode(bytes, cells, readings);
    return readings;
  }

  /** The record is taken: what was wrong with its cells goes to the report. */
  reportFaults(line: number): void {
    for (const { fault, params } of this.#faults) this.#report.fault(fault, line, params);
  }

  /** True if a cell of the record holds text where a number belongs. */
  get hasUnreadable(): boolean {
    return this.#faults.some(({ fault }) => fault === 'unreadable-cells');
  }

  /** The last cell of the record may have been cut off: a part of a number is another number. */
  leaveOutLast(bytes: Uint8Array, cells: Cells, readings: ReadingSet): void {
    const last = this.#plan.columnCount - 1;
    const [column, ...more] = this.#plan.metrics.filter(({ position }) => position === last);
    if (column === undefined) return;
    for (const { slot } of [column, ...more]) readings.setAbsent(slot, 'not-collected');
    const value = cells.text(bytes, last).slice(0, LONGEST_QUOTE);
    this.#faults.push({ fault: 'cut-cells', params: { column: column.title, value } });
  }

  #readMetrics(bytes: Uint8Array, cells: Cells, { values, codes }: ReadingSet): void {
    const { starts, ends } = cells;
    const { metrics } = this.#plan;
    let present = 0;
    for (let at = 0; at < metrics.length; at++) {
      const column = metrics[at]!;
      const { position, slot } = column;
      const value = cells.isRead(position) ? column.value : column.read(bytes, starts[position]!, ends[position]!);
      if (Number.isNaN(value)) {
        codes[slot] = absenceCode(column.absence);
        this.#noteAbsent(column, bytes, cells);
      } else {
        values[slot] = value;
        codes[slot] = 0;
        present++;
      }
      if (cells.isQuoted && column.isMultiLine) this.#faults.push({ fault: 'multi-line-cells', params: {} });
    }
    this.#readable += present;
    this.#values += present;
  }

  #noteAbsent({ absence, fault, title, position }: MetricColumn, bytes: Uint8Array, cells: Cells): void {
    if (fault === 'none') {
      this.#noteAbsence(absence);
      return;
    }
    if (fault === 'impossible') this.#readable++;
    const value = cells.text(bytes, position).slice(0, LONGEST_QUOTE);
    this.#faults.push({
      fault: fault === 'impossible' ? 'impossible-values' : 'unreadable-cells',
      params: { column: title, value },
    });
  }

  #noteAbsence(reason: AbsenceReason): void {
    if (reason === 'not-collected') return;
    this.#readable++;
    if (reason === 'error') this.hasError = true;
    if (reason === 'gpu-lost') this.isLost = true;
  }

  /** Puts single columns of `Active` and `Not Active` together to the bit set they were taken from. */
  #readReasons(bytes: Uint8Array, cells: Cells, readings: ReadingSet): void {
    let mask = 0;
    let known = 0;
    let absence: AbsenceReason = 'not-collected';
    for (const { position, bit } of this.#plan.reasons) {
      const word = wordAt(bytes, cells, position);
      if (word === 'Active') mask |= bit;
      if (word === 'Active' || word === 'Not Active') {
        known++;
        continue;
      }
      const why = absenceOf(bytes, cells.starts[position]!, cells.ends[position]!);
      if (why === null) continue;
      absence = why;
      this.#noteAbsence(why);
    }
    this.#readable += known;
    this.#values += known;
    if (known > 0) readings.setValue(REASONS_SLOT, mask);
    else readings.setAbsent(REASONS_SLOT, absence);
  }

  /** A cell of unknown meaning tells at least whether the driver failed. */
  #readOpaque(bytes: Uint8Array, cells: Cells, position: number): void {
    const start = cells.starts[position]!;
    const end = cells.ends[position]!;
    if (Number.isNaN(this.#number.read(bytes, start, end))) {
      const why = absenceOf(bytes, start, end);
      if (why !== null) this.#noteAbsence(why);
      return;
    }
    this.#readable++;
    this.#values++;
  }

  #readMigMode(bytes: Uint8Array, cells: Cells, readings: ReadingSet): void {
    const { migMode } = this.#plan;
    if (migMode === -1) return;
    const word = wordAt(bytes, cells, migMode);
    if (word === 'Enabled' || word === 'Disabled') readings.setValue(MIG_MODE_SLOT, word === 'Enabled' ? 1 : 0);
    else readings.setAbsent(MIG_MODE_SLOT, absenceOf(bytes, cells.starts[migMode]!, cells.ends[migMode]!) ?? 'error');
    if (word === 'Enabled') markMig(readings);
  }
}

function wordAt(bytes: Uint8Array, cells: Cells, position: number): string {
  const start = cells.starts[position]!;
  return asciiText(bytes, start, Math.min(cells.ends[position]!, start + LONGEST_WORD));
}
