import type { GpuProcess } from '../../model/process.ts';
import type { Absent } from '../../model/reading.ts';
import type { ReadingSet } from '../../model/reading-set.ts';
import { xidSeverity } from '../../model/xid-table.ts';
import type { Identity, LogDevice, Slice } from './log-devices.ts';
import type { FormatContext } from './rows.ts';
import { dateLine, WrittenDates } from './written-dates.ts';

/** No machine has more devices: what has is misread, and is not kept until memory is full. */
export const MOST_DEVICES = 1024;

/** Greater numbers are no Xids. */
const MOST_XID = 999;

/** A MIG instance of a device of a snapshot. */
export interface SnapshotSlice {
  readonly slice: Slice;
  readonly readings: ReadingSet;
  readonly processes: readonly GpuProcess[] | Absent;
  readonly line: number;
}

/** One device of a snapshot. */
export interface SnapshotDevice {
  readonly identity: Identity;
  readonly readings: ReadingSet;
  readonly processes: readonly GpuProcess[] | Absent;
  readonly lost: boolean;
  readonly line: number;
  /** MIG instances of the device. */
  readonly slices?: readonly SnapshotSlice[];
  /** The last Xid the driver has reported, 0 for none; missing in logs that do not tell. */
  readonly lastXid?: number;
}

/**
 * Gives out what a tool printed about all devices at once: every snapshot is a tick. Where the tool prints no time, a
 * date on a line of its own in front of the snapshot is taken for it.
 */
export class Snapshots {
  readonly dates: WrittenDates;
  readonly #context: FormatContext;
  #clock: 'absolute' | 'none' | null = null;
  /** A date that stood between two snapshots. */
  #dateBefore = Number.NaN;
  #lastTime = Number.NaN;
  readonly #lastXids = new Map<LogDevice, number>();

  constructor(context: FormatContext) {
    this.#context = context;
    this.dates = new WrittenDates(context.zone, context.report);
  }

  /** True if the line was a date, which is kept for the next snapshot. */
  takeDate(line: string): boolean {
    const written = dateLine(line);
    const at = written === null ? Number.NaN : this.dates.read(written);
    if (Number.isNaN(at)) return false;
    this.#dateBefore = at;
    return true;
  }

  /** True for a line that {@link takeDate} would take. */
  isDate(line: string): boolean {
    const written = dateLine(line);
    return written !== null && !Number.isNaN(this.dates.read(written));
  }

  /** When a snapshot that follows was taken: `time`, or the date that stood in front of it where that is NaN. */
  timeOf(time: number): number {
    return Number.isNaN(time) ? this.#dateBefore : time;
  }

  /** `time` is epoch milliseconds, or NaN where the snapshot itself has none. */
  emit(time: number, found: readonly SnapshotDevice[]): void {
    const { sink, devices, report } = this.#context;
    const at = this.timeOf(time);
    this.#dateBefore = Number.NaN;
    this.#enter(at);
    // Devices that were asked for one by one are one instant.
    if (at !== this.#lastTime) sink.instant();
    this.#lastTime = at;
    const rows: (SnapshotDevice & { device: LogDevice })[] = [];
    for (const row of found) {
      const device = devices.resolve(row.identity);
      const isTwice = device !== null && rows.some((other) => other.device === device);
      if (device === null || isTwice) report.skip('unknown-device', row.line);
      else rows.push({ ...row, device });
    }
    rows.sort((a, b) => a.device.order - b.device.order);
    for (const { device, readings, processes, lost, line, slices = [] } of rows) {
      sink.row({ time: at, device, name: null, lost, readings, process: null, processes, line });
      for (const part of slices) this.#emitSlice(at, device, part);
    }
    for (const { device, lastXid } of rows) this.#noteXid(at, device, lastXid);
  }

  #emitSlice(time: number, card: LogDevice, { slice, readings, processes, line }: SnapshotSlice): void {
    const { sink, devices, report } = this.#context;
    const device = devices.slice(card, slice);
    if (device === null) report.skip('unknown-device', line);
    else sink.row({ time, device, name: null, lost: false, readings, process: null, processes, line });
  }

  /** The last Xid stays until the next one: only where it is new something has happened. */
  #noteXid(time: number, device: LogDevice, xid: number | undefined): void {
    if (xid === undefined || this.#lastXids.get(device) === xid) return;
    this.#lastXids.set(device, xid);
    if (!Number.isInteger(xid) || xid <= 0 || xid > MOST_XID) return;
    const params = { index: device.device.index, xid, raw: `last Xid ${xid}` };
    this.#context.sink.event({ time, device, kind: 'xid', severity: xidSeverity(xid, ''), params, isLoss: false });
  }

  #enter(at: number): void {
    const clock = Number.isNaN(at) ? 'none' : 'absolute';
    // A snapshot without a time among others that have one comes one interval after the one before.
    if (this.#clock === clock || this.#clock === 'absolute') return;
    this.#clock = clock;
    this.#context.sink.section({ clock, intervalMs: null, places: null, isMarked: true });
  }
}
