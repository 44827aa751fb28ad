import { ReadingSet } from '../../../model/reading-set.ts';
import { ReadingSlab } from '../reading-slab.ts';
import type { SkipReason } from '../report.ts';
import type { FormatContext, LogRow } from '../rows.ts';
import { TimestampReader } from '../timestamps.ts';
import { absenceOf, Cells } from './cells.ts';
import { DeviceCells } from './device.ts';
import type { CsvPlan } from './plan.ts';
import { ProcessCells } from './process.ts';
import { CsvReadings } from './readings.ts';

/** What became of a record: `read`, `open` if it goes on in the next line, or why it was not read. */
export type RowOutcome = 'read' | 'open' | SkipReason;

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Reads the records of one header and passes them on as rows. */
export class CsvRowReader {
  readonly #plan: CsvPlan;
  readonly #context: FormatContext;
  readonly #cells = new Cells();
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
  };

  constructor(plan: CsvPlan, context: FormatContext) {
    this.#plan = plan;
    this.#context = context;
    this.#time = new TimestampReader(context.zone);
    this.#device = new DeviceCells(plan.identity, context.devices);
    this.#readings = new CsvReadings(plan, context.report);
    this.#processes = plan.process === null ? null : new ProcessCells(plan.process);
  }

  /** `isWhole` is false for a last line without a line end, which may have been cut. */
  read(bytes: Uint8Array, start: number, end: number, line: number, isWhole: boolean): RowOutcome {
    const cells = this.#cells;
    if (!cells.split(bytes, start, end)) return 'open';
    if (this.#plan.kind === 'other') return cells.count === this.#plan.columnCount ? 'other-query' : 'stray-text';
    if (cells.count !== this.#plan.columnCount && !this.#hasCommaInName()) return 'wrong-columns';
    const time = this.#readTime(bytes);
    if (time === null) return 'no-time';
    return this.#processes === null
      ? this.#readDevice(bytes, time, line, isWhole)
      : this.#readProcess(bytes, time, this.#processes);
  }

  /** A command with commas makes too many cells: those between its column and the next ones belong together. */
  #hasCommaInName(): boolean {
    const name = this.#plan.process?.name ?? -1;
    const more = this.#cells.count - this.#plan.columnCount;
    if (name === -1 || more < 1) return false;
    this.#cells.merge(name, more);
    return true;
  }

  /** NaN where the log has no time, null where it has one that cannot be read. */
  #readTime(bytes: Uint8Array): number | null {
    const { time, section } = this.#plan;
    if (time === null) return Number.NaN;
    const start = this.#cells.starts[time.position]!;
    const end = this.#cells.ends[time.position]!;
    const value =
      time.unitMs === null
        ? this.#time.read(bytes, start, end)
        : this.#time.readElapsed(bytes, start, end, time.unitMs);
    return Number.isNaN(value) || this.#time.isElapsed !== (section.clock === 'elapsed') ? null : value;
  }

  #readDevice(bytes: Uint8Array, time: number, line: number, isWhole: boolean): RowOutcome {
    const { isByPlace } = this.#plan;
    const readings = this.#readings.read(bytes, this.#cells);
    if (readings === null) return 'stray-text';
    if (!isWhole && this.#readings.isCut(bytes, this.#cells)) return 'truncated';
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
    this.#context.sink.row(row);
    return 'read';
  }

  #nameIn(bytes: Uint8Array): string | null {
    const { name } = this.#plan.identity;
    if (name === -1) return null;
    const isAbsent = absenceOf(bytes, this.#cells.starts[name]!, this.#cells.ends[name]!) !== null;
    return isAbsent ? null : this.#cells.text(bytes, name);
  }

  #readProcess(bytes: Uint8Array, time: number, processes: ProcessCells): RowOutcome {
    const process = processes.read(bytes, this.#cells);
    if (process === null) return 'stray-text';
    const device = this.#device.find(bytes, this.#cells);
    if (device === null) return 'unknown-device';
    this.#context.sink.row({ ...this.#row, time, device, readings: this.#slab.take(), process });
    return 'read';
  }
}
