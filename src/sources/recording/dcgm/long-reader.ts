import { absent } from '../../../model/reading.ts';
import { UNKNOWN_IDENTITY } from '../log-devices.ts';
import { plainLine } from '../plain-line.ts';
import { RowReadings } from '../row-readings.ts';
import type { FormatContext, FormatReader } from '../rows.ts';
import { type SnapshotDevice, Snapshots } from '../snapshots.ts';
import { fieldOfTag } from './names.ts';
import { DcgmValues } from './values.ts';

const HEADER = /^\s*gpu_?id\s*,\s*time_?stamp(_?us)?\s*,\s*field(_?name)?\s*,\s*values?\s*$/i;
const ROW = /^\s*(\d{1,4})\s*,\s*(\d{13,19})\s*,\s*([A-Za-z_]\w*)\s*,\s*(\S.*?)\s*$/;

export function isLongHeader(line: string): boolean {
  return HEADER.test(line);
}

export function isLongRow(line: string): boolean {
  return ROW.test(line);
}

interface LongRecord {
  readonly gpu: number;
  /** Epoch milliseconds. */
  readonly time: number;
  readonly field: string;
  readonly written: string;
  readonly line: number;
}

/** Rows are put into order within so many; a row that is later than that by more stays where it is. */
const REORDERED = 65_536;

/** Intervals of a log whose fields are never read twice: all of it is one moment. */
const ONE_MOMENT = Number.POSITIVE_INFINITY;

/** The library gives the rows of one field after those of another, so that their times go back and forth. */
export class DcgmLongReader implements FormatReader {
  readonly isHolding = false;
  readonly #context: FormatContext;
  readonly #snapshots: Snapshots;
  readonly #readings: RowReadings;
  readonly #values: DcgmValues;
  #records: LongRecord[] = [];
  /** Distance of two readings of a field; null until rows have shown it. */
  #intervalMs: number | null = null;
  /** Records of the tick that is being put together, by GPU and field. */
  #open = new Map<number, Map<string, LongRecord>>();
  #openSince = 0;

  constructor(context: FormatContext) {
    this.#context = context;
    this.#snapshots = new Snapshots(context);
    this.#readings = new RowReadings(context.report);
    this.#values = new DcgmValues(this.#readings);
  }

  line(bytes: Uint8Array, start: number, end: number, number: number, terminated: boolean): void {
    const line = plainLine(bytes, start, end);
    if (line.trim() === '' || HEADER.test(line)) return;
    const row = ROW.exec(line);
    if (row === null || !terminated) {
      this.#context.report.skip(terminated ? 'stray-text' : 'truncated', number);
      return;
    }
    const [, gpu = '', stamp = '', name = '', written = ''] = row;
    const field = fieldOfTag(name) ?? name;
    this.#records.push({ gpu: Number(gpu), time: millisOf(stamp), field, written, line: number });
    if (this.#records.length >= REORDERED) this.#drain(REORDERED / 2);
  }

  settle(): void {}

  end(): void {
    this.#drain(this.#records.length);
    this.#flush();
  }

  #drain(count: number): void {
    this.#records.sort((a, b) => a.time - b.time);
    this.#intervalMs ??= typicalInterval(this.#records);
    for (const record of this.#records.splice(0, count)) this.#add(record);
  }

  #add(record: LongRecord): void {
    const isAgain = this.#open.get(record.gpu)?.has(record.field) === true;
    const isLater = this.#open.size > 0 && record.time - this.#openSince >= (this.#intervalMs ?? ONE_MOMENT);
    if (isAgain || isLater) this.#flush();
    if (this.#open.size === 0) this.#openSince = record.time;
    const fields = this.#open.get(record.gpu) ?? new Map<string, LongRecord>();
    fields.set(record.field, record);
    this.#open.set(record.gpu, fields);
  }

  #flush(): void {
    const devices: SnapshotDevice[] = [];
    for (const [gpu, fields] of [...this.#open].sort(([a], [b]) => a - b)) {
      const device = this.#device(gpu, [...fields.values()]);
      if (device !== null) devices.push(device);
    }
    this.#open = new Map();
    if (devices.length > 0) this.#snapshots.emit(this.#openSince, devices);
  }

  /** Null where none of the fields is a metric. */
  #device(gpu: number, records: readonly LongRecord[]): SnapshotDevice | null {
    const line = records[0]!.line;
    this.#readings.begin(line);
    this.#values.begin();
    const known = records.filter(({ field, written }) => this.#values.add(field, written, field));
    if (known.length === 0) return null;
    return {
      identity: { ...UNKNOWN_IDENTITY, index: gpu },
      readings: this.#values.take(),
      processes: absent('not-collected'),
      lost: false,
      line,
      ...this.#values.xid(),
    };
  }
}

/** Milli-, micro- or nanoseconds since 1970. */
function millisOf(stamp: string): number {
  return Math.floor(Number(stamp) / 10 ** (3 * Math.floor((stamp.length - 13) / 3)));
}

/** Middle of the distances between two readings of the same field of the same GPU. */
function typicalInterval(records: readonly LongRecord[]): number {
  const last = new Map<string, number>();
  const gaps: number[] = [];
  for (const { gpu, field, time } of records) {
    const key = `${gpu} ${field}`;
    const before = last.get(key);
    if (before !== undefined && time > before) gaps.push(time - before);
    last.set(key, time);
  }
  gaps.sort((a, b) => a - b);
  return gaps[Math.floor(gaps.length / 2)] ?? ONE_MOMENT;
}
