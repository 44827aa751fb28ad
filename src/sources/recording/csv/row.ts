import { ReadingSet } from '../../../model/reading-set.ts';
import type { LogHosts } from '../hosts.ts';
import { ReadingSlab } from '../reading-slab.ts';
import type { SkipReason } from '../report.ts';
import type { FormatContext, LogRow } from '../rows.ts';
import { TimestampReader } from '../timestamps.ts';
import { absenceOf } from './absence-words.ts';
import { Cells, type ColumnReader } from './cells.ts';
import type { DatesBetween } from './dates-between.ts';
import { DeviceCells } from './device.ts';
import { isPieceOfName } from './free-text.ts';
import { isBusId, isUuid } from './identity.ts';
import type { CutVerdict } from './last-cell.ts';
import type { CsvPlan } from './plan.ts';
import { ProcessCells } from './process.ts';
import { CsvReadings } from './readings.ts';
import type { TimeColumn } from './time-column.ts';

/** What became of a record: `read`, `open` if it goes on in the next line, or why it was not read. */
export type RowOutcome = 'read' | 'open' | SkipReason;

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Reads the records of one header and passes them on as rows. */
export class CsvRowReader {
  readonly #plan: CsvPlan;
  readonly #context: FormatContext;
  readonly #dates: DatesBetween;
  readonly #cells: Cells;
  readonly #time: TimestampReader;
  readonly #device: DeviceCells;
  readonly #readings: CsvReadings;
  readonly #processes: ProcessCells | null;
  readonly #slab = new ReadingSlab();
  /** Filled anew for every record. */
  readonly #row: Mutable<LogRow> = {
    time: 0,
    device: null,
    name: null,
    lost: false,
    readings: ReadingSet.allAbsent('not-collected'),
    process: null,
    line: 0,
  };

  constructor(
    plan: CsvPlan,
    context: FormatContext,
    shared: { readonly hosts: LogHosts; readonly dates: DatesBetween },
  ) {
    this.#plan = plan;
    this.#context = context;
    this.#dates = shared.dates;
    this.#time = new TimestampReader(context.zone);
    this.#cells = new Cells(plan.separator, columnReaders(plan, this.#time));
    this.#device = new DeviceCells(plan.identity, context.devices, shared.hosts);
    this.#readings = new CsvReadings(plan, context.report);
    this.#processes = plan.process === null ? null : new ProcessCells(plan.process);
  }

  /** `isWhole` is false for a last line without a line end, which may have been cut. */
  read(bytes: Uint8Array, start: number, end: number, line: number, isWhole: boolean): RowOutcome {
    const cells = this.#cells;
    if (!cells.split(bytes, start, end)) return 'open';
    if (this.#plan.kind === 'other') return cells.count === this.#plan.columnCount ? 'other-query' : 'stray-text';
    const isJoined = cells.count !== this.#plan.columnCount;
    if (isJoined && !this.#joinName(bytes)) return 'wrong-columns';
    const cut = isWhole ? 'whole' : this.#cutVerdict(bytes);
    if (cut === 'row') return 'truncated';
    const time = this.#readTime(bytes);
    if (time === null) return 'no-time';
    return this.#processes === null
      ? this.#readDevice(bytes, time, line, cut === 'cell', isJoined)
      : this.#readProcess(bytes, time, line, this.#processes);
  }

  /** Whether the cell that the file ends with can be believed. */
  #cutVerdict(bytes: Uint8Array): CutVerdict {
    const last = this.#plan.columnCount - 1;
    return this.#cells.isClosed(bytes, last) ? 'whole' : this.#plan.lastCell.judge(this.#cells.text(bytes, last));
  }

  /**
   * A command or a product name with commas makes too many cells: those between its column and the next ones belong
   * together. A name is taken only if every piece of it can be one and the identity beside it is whole.
   */
  #joinName(bytes: Uint8Array): boolean {
    const cells = this.#cells;
    const { freeText, columnCount, kind, identity } = this.#plan;
    const more = cells.count - columnCount;
    if (freeText === -1 || more < 1) return false;
    if (kind === 'processes') {
      cells.merge(freeText, more);
      return true;
    }
    for (let piece = freeText; piece <= freeText + more; piece++) {
      if (!isPieceOfName(cells.text(bytes, piece))) return false;
    }
    cells.merge(freeText, more);
    const fits = (position: number, is: (text: string) => boolean) =>
      position === -1 || is(cells.text(bytes, position));
    return fits(identity.uuid, isUuid) && fits(identity.busId, isBusId);
  }

  /** NaN where the log has no time, null where it has one that cannot be read. */
  #readTime(bytes: Uint8Array): number | null {
    const { time, section } = this.#plan;
    if (time === null) return this.#dates.next();
    const value = this.#cells.isRead(time.position) ? this.#time.again() : this.#readTimeCell(bytes, time);
    return Number.isNaN(value) || this.#time.isElapsed !== (section.clock === 'elapsed') ? null : value;
  }

  #readTimeCell(bytes: Uint8Array, { position, unitMs }: TimeColumn): number {
    const start = this.#cells.starts[position]!;
    const end = this.#cells.ends[position]!;
    return unitMs === null ? this.#time.read(bytes, start, end) : this.#time.readElapsed(bytes, start, end, unitMs);
  }

  #readDevice(bytes: Uint8Array, time: number, line: number, isCut: boolean, isJoined: boolean): RowOutcome {
    const isByPlace = this.#plan.section.places !== null;
    const readings = this.#readings.read(bytes, this.#cells);
    if (readings === null) return 'stray-text';
    if (isJoined && this.#readings.hasUnreadable) return 'wrong-columns';
    if (isCut) this.#readings.leaveOutLast(bytes, this.#cells, readings);
    const device = isByPlace ? null : this.#device.find(bytes, this.#cells);
    const { isLost, hasError } = this.#readings;
    // A driver that has lost a device may answer every field with an error, the identity among them.
    if (device === null && !isByPlace && !isLost && !hasError) return 'unknown-device';
    this.#readings.reportFaults(line);
    const name = device === null ? this.#nameIn(bytes) : null;
    const row = this.#row;
    row.time = time;
    row.device = device;
    row.name = name;
    row.lost = isLost;
    row.readings = readings;
    row.line = line;
    this.#context.sink.row(row);
    return 'read';
  }

  #nameIn(bytes: Uint8Array): string | null {
    const { name } = this.#plan.identity;
    if (name === -1) return null;
    const isAbsent = absenceOf(bytes, this.#cells.starts[name]!, this.#cells.ends[name]!) !== null;
    return isAbsent ? null : this.#cells.text(bytes, name);
  }

  #readProcess(bytes: Uint8Array, time: number, line: number, processes: ProcessCells): RowOutcome {
    const process = processes.read(bytes, this.#cells);
    if (process === null) return 'stray-text';
    const device = this.#device.find(bytes, this.#cells);
    if (device === null) return 'unknown-device';
    this.#context.sink.row({ ...this.#row, time, line, device, readings: this.#slab.take(), process });
    return 'read';
  }
}

/** What reads the cells of each column as they are found: those that are read for one thing only. */
function columnReaders(
  { metrics, time, columnCount }: CsvPlan,
  times: TimestampReader,
): readonly (ColumnReader | null)[] {
  return Array.from({ length: columnCount }, (_, position) => {
    const readers: ColumnReader[] = metrics.filter((metric) => metric.position === position);
    if (time?.position === position && time.unitMs === null) readers.push(times);
    const [reader = null, ...others] = readers;
    return others.length === 0 ? reader : null;
  });
}
