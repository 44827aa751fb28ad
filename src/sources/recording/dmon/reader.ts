import { absent } from '../../../model/reading.ts';
import { UNKNOWN_IDENTITY } from '../log-devices.ts';
import type { FormatContext, FormatReader } from '../rows.ts';
import type { SmiField } from '../smi/fields.ts';
import { MonitorClock } from '../smi/monitor-clock.ts';
import { isUnitLine, type MonitorColumns, monitorCells, monitorHeader } from '../smi/monitor-columns.ts';
import { SmiReadings } from '../smi/readings.ts';
import { type SnapshotDevice, Snapshots } from '../snapshots.ts';
import { skipLine } from '../stray-line.ts';
import { identityLine } from '../table/identity-line.ts';
import { dmonAbsence, dmonField, INSTANCE_COLUMNS, leftOut } from './columns.ts';
import { Violations } from './violations.ts';

const INDEX = /^\d{1,3}$/;
/** Nothing but numbers, and not as many as there are columns. */
const TORN_ROW = /^\s*\d[\d\s,.:-]*$/;
const NO_PROCESSES = absent('not-collected');

/** Rows of one sample may be written on both sides of a second. */
const STRADDLE_MS = 1000;

/** How the rows below a header are read. */
interface Plan {
  readonly columns: MonitorColumns;
  readonly index: number;
  readonly instances: readonly number[];
  readonly fields: readonly (SmiField | null)[];
}

/** Reads `nvidia-smi dmon`: a row for every GPU, again and again, below a header that is repeated. */
export class DmonReader implements FormatReader {
  readonly #context: FormatContext;
  readonly #snapshots: Snapshots;
  readonly #clock: MonitorClock;
  readonly #readings: SmiReadings;
  readonly #violations: Violations;
  #plan: Plan | null = null;
  #headerText = '';
  /** A header was printed since the last sample began. */
  #hasNewHeader = false;
  #rows: SnapshotDevice[] = [];
  #lastIndex = -1;
  #time = Number.NaN;
  #isTimeless = true;

  constructor(context: FormatContext) {
    this.#context = context;
    this.#snapshots = new Snapshots(context);
    this.#clock = new MonitorClock(context);
    this.#readings = new SmiReadings(context.report);
    this.#violations = new Violations(context.report);
  }

  readonly isHolding = false;

  settle(): void {}

  line(bytes: Uint8Array, start: number, end: number, number: number, isWhole: boolean): void {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString();
    if (text.trim() === '' || isUnitLine(text)) return;
    if (isWhole && this.#readHeader(text)) return;
    if (this.#plan !== null && this.#readRow(this.#plan, text, number, isWhole)) return;
    if (this.#isTimeless && isWhole && this.#snapshots.isDate(text)) {
      this.#flush();
      this.#snapshots.takeDate(text);
      return;
    }
    const identity = isWhole ? identityLine(text) : null;
    if (identity !== null) this.#context.devices.resolve(identity);
    else if (this.#plan !== null && TORN_ROW.test(text)) {
      this.#context.report.skip(isWhole ? 'wrong-columns' : 'truncated', number);
    } else skipLine(text, 'stray-text', { number, isWhole }, this.#context);
  }

  end(): void {
    this.#flush();
  }

  #readHeader(text: string): boolean {
    if (text === this.#headerText) {
      this.#hasNewHeader = true;
      return true;
    }
    const columns = monitorHeader(text);
    if (columns?.kind !== 'dmon') return false;
    this.#flush();
    this.#headerText = text;
    const { names } = columns;
    const instances = INSTANCE_COLUMNS.map((name) => names.indexOf(name)).filter((at) => at !== -1);
    this.#plan = { columns, index: names.indexOf('gpu'), instances, fields: names.map(dmonField) };
    this.#violations.use(names);
    this.#isTimeless = this.#clock.use(columns) === 'none';
    this.#hasNewHeader = true;
    const ignored = leftOut(names);
    if (ignored.length > 0)
      this.#context.report.remark('notice.columns-without-metric', { columns: ignored.join(', ') });
    return true;
  }

  #readRow(
    { columns, index: indexAt, instances, fields }: Plan,
    text: string,
    line: number,
    isWhole: boolean,
  ): boolean {
    const cells = monitorCells(text, columns, false);
    if (cells === null || !INDEX.test(cells[indexAt]!)) return false;
    const time = this.#clock.read(cells);
    if (time === null) return false;
    if (instances.some((at) => INDEX.test(cells[at]!))) {
      // It has ids of its own that the other columns do not explain.
      this.#context.report.skip('unknown-device', line);
      return true;
    }
    const index = Number(cells[indexAt]);
    this.#begin(index, time);
    // The last cell of a file without a line end may be cut.
    const count = isWhole ? cells.length : cells.length - 1;
    for (let at = 0; at < count; at++) {
      const field = fields[at];
      if (field == null) continue;
      if (cells[at] === '-') this.#readings.putAbsent(field, dmonAbsence(columns.names[at]!));
      else this.#readings.putText(field, cells[at]!, line);
    }
    if (!isWhole) this.#reportCut(columns.names.at(-1) ?? '', cells.at(-1) ?? '', line);
    const { readings, lost } = this.#readings.take(line, false);
    if (!lost) this.#violations.put(readings, cells, count, index, line);
    this.#rows.push({ identity: { ...UNKNOWN_IDENTITY, index }, readings, lost, processes: NO_PROCESSES, line });
    return true;
  }

  /** A sample lists the GPUs in their order: one that comes too early is of the next sample. */
  #begin(index: number, time: number): void {
    if (index <= this.#lastIndex || Math.abs(time - this.#time) > STRADDLE_MS) this.#flush();
    if (this.#rows.length === 0) {
      this.#time = time;
      this.#violations.begin(this.#snapshots.timeOf(time));
      if (this.#hasNewHeader) this.#context.sink.header();
      this.#hasNewHeader = false;
    }
    this.#lastIndex = index;
  }

  #flush(): void {
    const rows = this.#rows;
    this.#rows = [];
    this.#lastIndex = -1;
    if (rows.length > 0) this.#snapshots.emit(this.#time, rows);
  }

  #reportCut(column: string, value: string, line: number): void {
    this.#context.report.fault('cut-cells', line, { column, value });
  }
}
