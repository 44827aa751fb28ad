import type { GpuEvent } from '../../model/event.ts';
import type { GpuProcess } from '../../model/process.ts';
import { absent } from '../../model/reading.ts';
import { ReadingSet } from '../../model/reading-set.ts';
import type { DeviceSample, Tick } from '../../model/tick.ts';
import { type Identity, type LogDevice, type LogDevices, UNKNOWN_IDENTITY } from './log-devices.ts';
import { type PlacedRow, PlacedRows } from './placed-rows.ts';
import { MemoryCheck } from './plausible-memory.ts';
import type { RecordingReport } from './report.ts';
import type { LogEvent, LogRow, LogSection, RowSink } from './rows.ts';
import type { Moment, Timeline } from './timeline.ts';

const NO_PROCESSES = absent('not-collected');

const NO_EVENTS: readonly GpuEvent[] = [];
const NO_SAMPLES: readonly DeviceSample[] = [];

/** Events of one moment: a log that has more is shown with so many. */
const MOST_EVENTS = 1000;

/**
 * Puts the rows of one sampling instant together to a tick: rows go into the same tick until a device comes again or
 * the time jumps. Rows are never reordered.
 */
export class TickBuilder implements RowSink {
  rows = 0;
  readonly #devices: LogDevices;
  readonly #timeline: Timeline;
  readonly #report: RecordingReport;
  readonly #memory: MemoryCheck;
  readonly #publish: (tick: Tick) => void;
  #placed: PlacedRows | null = null;
  #isMarked = false;
  /** Of the open tick or the last one, and of the one before it. */
  #moment: Moment | null = null;
  #before: Moment | null = null;
  #isOpen = false;
  #samples: DeviceSample[] = [];
  readonly #processes = new Map<LogDevice, GpuProcess[]>();
  #tick = 0;
  #lastTime = Number.NaN;
  /** The same as the log gives it. */
  #lastRowTime = Number.NaN;
  #last: LogDevice | null = null;
  /** Devices said to be lost since the open tick began, and between it and the one before. */
  #lost: LogDevice[] = [];
  #lostBefore: LogDevice[] = [];
  /** Devices said to be lost that have not been seen since. */
  readonly #away = new Set<LogDevice>();
  /** Of a log of events: those of the open tick, and the devices that are off the bus. */
  #events: GpuEvent[] = [];
  readonly #gone = new Set<LogDevice>();
  /** What stood among the rows of the open tick, or in front of the next one. */
  #beside: LogEvent[] = [];

  constructor(devices: LogDevices, timeline: Timeline, report: RecordingReport, publish: (tick: Tick) => void) {
    this.#devices = devices;
    this.#timeline = timeline;
    this.#report = report;
    this.#memory = new MemoryCheck(report);
    this.#publish = publish;
  }

  section(section: LogSection): void {
    this.#placed?.finish();
    this.#finish();
    this.#placed =
      section.places === null ? null : new PlacedRows(section.places, this.#report, (rows) => this.#addInstant(rows));
    this.#isMarked = section.isMarked === true;
    this.#timeline.section(section);
  }

  header(): void {
    this.#timeline.header();
  }

  row(row: LogRow): void {
    this.#memory.check(row.readings, row.line);
    if (this.#placed !== null && row.device === null) {
      this.#placed.prepare(row);
      this.#placed.add(row, this.#timeline.timeOf(row.time));
      return;
    }
    // A MIG instance stands in the row of its card, if the log has one.
    const parent = row.device?.device.mig?.parent;
    if (parent === undefined || !this.#devices.isKnown(parent)) this.rows++;
    const time = this.#timeline.timeOf(row.time);
    if (this.#isMarked && row.device !== null) {
      if (!this.#isOpen || this.#isRepeated(row.device, row)) this.#begin(time);
      this.#lastTime = time;
      this.#add(row.device, row);
      return;
    }
    const isApart = !this.#isOpen || Math.abs(time - this.#lastTime) > this.#timeline.halfInterval;
    const device = row.device ?? this.#nextUnseen(isApart);
    if ((isApart && !this.#isNextInOrder(device, row, time)) || this.#isAgain(device, row)) this.#begin(time);
    this.#lastTime = time;
    this.#lastRowTime = row.time;
    this.#last = device;
    this.#add(device, row);
  }

  lost(device: LogDevice): void {
    if (!this.#lost.includes(device)) this.#lost.push(device);
    this.#away.add(device);
  }

  instant(): void {
    this.#placed?.finish();
    this.#finish();
  }

  event(event: LogEvent): void {
    const { time: logTime, device, kind, severity, params, isLoss } = event;
    if (event.isBeside === true) {
      if (this.#beside.length < MOST_EVENTS) this.#beside.push(event);
      if (device !== null && isLoss) this.lost(device);
      return;
    }
    const time = this.#timeline.timeOf(logTime);
    if (!this.#isOpen || !Object.is(time, this.#lastTime) || this.#events.length >= MOST_EVENTS) this.#begin(time);
    if (this.#samples.length === 0) this.rows++;
    this.#lastTime = time;
    if (device !== null && isLoss) this.#gone.add(device);
    if (this.#moment === null) return;
    const { at } = this.#moment;
    this.#events.push({ at, kind, severity, uuid: device?.device.uuid ?? null, params });
  }

  tick(tick: Tick): void {
    this.#finish();
    this.rows += tick.devices.filter(({ device }) => device.mig === undefined).length;
    this.#timeline.note(tick);
    this.#publish(tick);
  }

  /** No row follows. */
  end(): void {
    this.#placed?.finish();
    this.#finish();
    if (this.#lost.length === 0) return;
    this.#begin(Number.NaN);
    this.#finish();
  }

  #begin(time: number): void {
    this.#finish();
    this.#before = this.#moment;
    this.#moment = this.#timeline.next(time);
    if (this.#moment.events.some(({ kind }) => kind === 'recording-restarted')) {
      // A clock that was set back brings nothing back: only a count that begins anew is a machine that was started.
      if (this.#moment.isCountedAnew) this.#gone.clear();
      // What was said between the two runs is about the new one.
      for (const device of this.#away) if (!this.#lost.includes(device)) this.#away.delete(device);
    }
    this.#isOpen = true;
    if (this.#lost.length > 0) {
      this.#lostBefore = this.#lost;
      this.#lost = [];
    }
    this.#tick++;
  }

  #finish(): void {
    if (!this.#isOpen || this.#moment === null) return;
    this.#isOpen = false;
    const isSeen = ({ place }: LogDevice): boolean => place.seenInTick === this.#tick;
    if (this.#lostBefore.length > 0) {
      this.#publishAbsence(this.#lostBefore.filter(isSeen), this.#moment);
      this.#lostBefore = [];
    }
    const { at, monotonic } = this.#moment;
    const bystanders = this.#events.length === 0 ? NO_SAMPLES : this.#bystanders();
    const devices = chained(this.#samples, bystanders, this.#missing(), this.#otherHosts());
    this.#publish({ at, monotonic, devices, events: chained(this.#moment.events, this.#events, this.#besideAt(at)) });
    if (this.#events.length > 0) this.#events = [];
    if (this.#lost.length > 0) this.#lost = this.#lost.filter(isSeen);
    for (const device of this.#away) if (isSeen(device) && !this.#lost.includes(device)) this.#away.delete(device);
    this.#samples = [];
    if (this.#processes.size > 0) this.#processes.clear();
  }

  /** Lost after the tick before and here again: that they were away in between must be seen. */
  #publishAbsence(returned: readonly LogDevice[], moment: Moment): void {
    if (returned.length === 0) return;
    this.#publish({ ...halfway(this.#before ?? moment, moment), devices: returned.map(lostSample) });
  }

  /** Devices said to be lost that the open tick has no row of. */
  #missing(): readonly DeviceSample[] {
    if (this.#away.size === 0) return NO_SAMPLES;
    return [...this.#away].filter(({ place }) => place.seenInTick !== this.#tick).map(lostSample);
  }

  #besideAt(at: number): readonly GpuEvent[] {
    if (this.#beside.length === 0) return NO_EVENTS;
    const found = this.#beside;
    this.#beside = [];
    return found.map(({ device, kind, severity, params }) => {
      const uuid = device?.device.uuid ?? null;
      return { at, kind, severity, uuid, params };
    });
  }

  /** True if the open tick has a row of the same device or process already. */
  #isRepeated(device: LogDevice, { process }: LogRow): boolean {
    if (process !== null) return this.#processes.get(device)?.some(({ pid }) => pid === process.pid) === true;
    return device.place.seenInTick === this.#tick;
  }

  /** True if the row cannot be of the same instant as the rows of the open tick. */
  #isAgain(device: LogDevice, row: LogRow): boolean {
    const { process, time } = row;
    if (this.#isRepeated(device, row)) return true;
    if (process !== null) return false;
    // Where times do not tell instants apart the order does: devices are printed in the same order every time.
    const isOrderAll = !this.#timeline.hasTimes || (isWholeSecond(time) && isWholeSecond(this.#lastRowTime));
    return isOrderAll && this.#last !== null && device.order < this.#last.order;
  }

  /** With times in whole seconds, the rows of one instant may lie on both sides of a second. */
  #isNextInOrder(device: LogDevice, row: LogRow, time: number): boolean {
    if (!this.#isOpen || this.#last === null || device.order <= this.#last.order) return false;
    return time - this.#lastTime === 1000 && isWholeSecond(row.time);
  }

  /** A log of events reads no device: all known ones are listed without a reading. */
  #bystanders(): readonly DeviceSample[] {
    if (this.#samples.length > 0) return NO_SAMPLES;
    return this.#devices.all.map((known) => {
      if (this.#gone.has(known)) return lostSample(known);
      return { device: known.device, state: 'ok', readings: new ReadingSet(), processes: NO_PROCESSES };
    });
  }

  /** Machines that report at another moment stay listed, without a reading of this one. */
  #otherHosts(): readonly DeviceSample[] {
    if (!this.#devices.hasSeveralHosts || this.#samples.length === 0) return NO_SAMPLES;
    const { all } = this.#devices;
    const present = new Set(all.filter(({ place }) => place.seenInTick === this.#tick).map(({ host }) => host));
    return all
      .filter((known) => known.host !== null && !present.has(known.host) && !this.#away.has(known))
      .map(({ device }) => ({ device, state: 'ok', readings: new ReadingSet(), processes: NO_PROCESSES }));
  }

  #add(device: LogDevice, { lost, readings, process, processes: listed }: LogRow): void {
    const isSeen = device.place.seenInTick === this.#tick;
    device.place.seenInTick = this.#tick;
    if (process === null) {
      const state = lost ? 'lost' : 'ok';
      this.#samples.push({ device: device.device, state, readings, processes: listed ?? NO_PROCESSES });
      return;
    }
    const processes = isSeen ? (this.#processes.get(device) ?? []) : [];
    processes.push(process);
    if (isSeen) return;
    this.#processes.set(device, processes);
    this.#samples.push({ device: device.device, state: 'ok', readings, processes });
  }

  /** The rows of one instant, whose places tell their devices. */
  #addInstant(rows: readonly PlacedRow[]): void {
    this.#begin(rows[0]?.time ?? Number.NaN);
    for (const [index, { name, lost, readings }] of rows.entries()) {
      const { device, place } = this.#known({ ...UNKNOWN_IDENTITY, index, name });
      place.seenInTick = this.#tick;
      this.#samples.push({ device, state: lost ? 'lost' : 'ok', readings, processes: NO_PROCESSES });
      this.rows++;
    }
    this.#finish();
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

function lostSample({ device }: LogDevice): DeviceSample {
  return { device, state: 'lost', readings: ReadingSet.allAbsent('gpu-lost'), processes: absent('gpu-lost') };
}

function halfway(first: Moment, second: Moment): Moment {
  return {
    at: Math.floor((first.at + second.at) / 2),
    monotonic: (first.monotonic + second.monotonic) / 2,
    isCountedAnew: false,
    events: [],
  };
}

/** The lists one after the other; the only one of them that has anything in it is given as it is. */
function chained<T>(...lists: readonly (readonly T[])[]): readonly T[] {
  let only: readonly T[] | null = null;
  for (const list of lists) {
    if (list.length === 0) continue;
    if (only !== null) return lists.flat();
    only = list;
  }
  return only ?? lists[0] ?? [];
}

function isWholeSecond(time: number): boolean {
  return time % 1000 === 0;
}
