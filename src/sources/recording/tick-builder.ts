import type { GpuProcess } from '../../model/process.ts';
import { absent } from '../../model/reading.ts';
import { ReadingSet } from '../../model/reading-set.ts';
import type { DeviceSample, Tick } from '../../model/tick.ts';
import { type Identity, type LogDevice, type LogDevices, UNKNOWN_IDENTITY } from './log-devices.ts';
import type { LogRow, LogSection, RowSink } from './rows.ts';
import type { Moment, Timeline } from './timeline.ts';

const NO_PROCESSES = absent('not-collected');

/**
 * Puts the rows of one sampling instant together to a tick: rows go into the same tick until a device comes again or
 * the time jumps. Rows are never reordered or dropped.
 */
export class TickBuilder implements RowSink {
  rows = 0;
  readonly #devices: LogDevices;
  readonly #timeline: Timeline;
  readonly #publish: (tick: Tick) => void;
  #rowsPerInstant = 1;
  #moment: Moment | null = null;
  #samples: DeviceSample[] = [];
  readonly #processes = new Map<LogDevice, GpuProcess[]>();
  #tick = 0;
  #lastTime = Number.NaN;
  #last: LogDevice | null = null;
  /** Place of the next row within its instant, for rows that do not name their device. */
  #place = 0;
  readonly #placed: LogDevice[] = [];
  #lost: LogDevice[] = [];

  constructor(devices: LogDevices, timeline: Timeline, publish: (tick: Tick) => void) {
    this.#devices = devices;
    this.#timeline = timeline;
    this.#publish = publish;
  }

  section(section: LogSection): void {
    this.#finish();
    this.#rowsPerInstant = section.rowsPerInstant;
    this.#timeline.section(section);
  }

  header(): void {
    this.#timeline.header();
  }

  row(row: LogRow): void {
    this.rows++;
    const time = this.#timeline.timeOf(row.time);
    if (row.device !== null && this.#lost.includes(row.device)) this.#showLost(this.#timeline.before(time));
    const isApart = this.#moment === null || Math.abs(time - this.#lastTime) > this.#timeline.halfInterval;
    const device = row.device ?? this.#deviceInPlace(row, isApart);
    if ((isApart && !this.#isNextInOrder(device, time)) || this.#isAgain(device, row, time)) this.#begin(time);
    this.#lastTime = time;
    this.#last = device;
    this.#add(device, row);
  }

  lost(device: LogDevice): void {
    if (!this.#lost.includes(device)) this.#lost.push(device);
  }

  /** No row follows. */
  end(): void {
    this.#showLost(Number.NaN);
    this.#finish();
  }

  #begin(time: number): void {
    this.#finish();
    this.#moment = this.#timeline.next(time);
    this.#tick++;
  }

  #finish(): void {
    if (this.#moment === null) return;
    const isUnseen = ({ place }: LogDevice): boolean => place.seenInTick !== this.#tick;
    for (const { device } of this.#lost.filter(isUnseen)) {
      const readings = ReadingSet.allAbsent('gpu-lost');
      this.#samples.push({ device, state: 'lost', readings, processes: absent('gpu-lost') });
    }
    this.#lost = this.#lost.filter((device) => !isUnseen(device));
    const { at, monotonic, events } = this.#moment;
    this.#publish({ at, monotonic, devices: this.#samples, events });
    this.#moment = null;
    this.#samples = [];
    this.#processes.clear();
  }

  /** Devices said to be lost after their row of the last tick get a tick of their own, at `time`. */
  #showLost(time: number): void {
    this.#finish();
    if (this.#lost.length === 0) return;
    this.#begin(time);
    this.#finish();
  }

  /** True if the row cannot be of the same instant as the rows of the open tick. */
  #isAgain(device: LogDevice, { process }: LogRow, time: number): boolean {
    if (process !== null) return this.#processes.get(device)?.some(({ pid }) => pid === process.pid) === true;
    if (device.place.seenInTick === this.#tick) return true;
    // Where times do not tell instants apart the order does: devices are printed in the same order every time.
    const isOrderAll = !this.#timeline.hasTimes || (isWholeSecond(time) && isWholeSecond(this.#lastTime));
    return isOrderAll && this.#last !== null && device.order < this.#last.order;
  }

  /** With times in whole seconds, the rows of one instant may lie on both sides of a second. */
  #isNextInOrder(device: LogDevice, time: number): boolean {
    if (this.#moment === null || this.#last === null || device.order <= this.#last.order) return false;
    return time - this.#lastTime === 1000 && isWholeSecond(time);
  }

  #add(device: LogDevice, { lost, readings, process }: LogRow): void {
    const isSeen = device.place.seenInTick === this.#tick;
    device.place.seenInTick = this.#tick;
    if (process === null) {
      const state = lost ? 'lost' : 'ok';
      this.#samples.push({ device: device.device, state, readings, processes: NO_PROCESSES });
      return;
    }
    const processes = isSeen ? (this.#processes.get(device) ?? []) : [];
    processes.push(process);
    if (isSeen) return;
    this.#processes.set(device, processes);
    this.#samples.push({ device: device.device, state: 'ok', readings, processes });
  }

  /** The device of a row that names none: by the place of the row among those of its instant. */
  #deviceInPlace(row: LogRow, isApart: boolean): LogDevice {
    if (this.#rowsPerInstant === 1) return this.#nextUnseen(isApart);
    let place = isApart || this.#place >= this.#rowsPerInstant ? 0 : this.#place;
    const expected = this.#placed[place];
    if (row.name !== null && expected !== undefined && expected.device.name !== row.name) {
      // A row is missing: the name tells where the order goes on.
      const later = this.#placed.findIndex(({ device }) => device.name === row.name);
      if (later !== -1) place = later;
    }
    this.#place = place + 1;
    const device = this.#placed[place] ?? this.#known({ ...UNKNOWN_IDENTITY, index: place, name: row.name });
    this.#placed[place] = device;
    return device;
  }

  /** A row in which the driver could not even say who it is about: the next device that has not had its row. */
  #nextUnseen(isApart: boolean): LogDevice {
    const { all } = this.#devices;
    const unseen = isApart ? all[0] : all.find(({ place }) => place.seenInTick !== this.#tick);
    return unseen ?? all[0] ?? this.#known({ ...UNKNOWN_IDENTITY, index: 0 });
  }

  #known(identity: Identity): LogDevice {
    return this.#devices.resolve(identity) ?? this.#devices.all[0]!;
  }
}

function isWholeSecond(time: number): boolean {
  return time % 1000 === 0;
}
