import { CATALOGUE, DEVICE_METRICS, type MetricId, slotOf } from '../../model/catalogue.ts';
import type { Device } from '../../model/device.ts';
import type { GpuEvent } from '../../model/event.ts';
import type { DeviceSample, Tick } from '../../model/tick.ts';
import { Columns, GpuLog } from './gpu-log.ts';

/** Values held at most, 4 bytes each for the most part: 128 MiB. */
const MOST_VALUES = 2 ** 25;

/** Ticks at most, whatever they hold. */
const MOST_TICKS = 2 ** 21;

/** Events kept at most; of those that go on only the newest state. */
const MOST_EVENTS = 20_000;

/** How often the size is looked at, in ticks. */
const LOOK_EVERY = 1024;

const HOST_SLOT = DEVICE_METRICS.length;

interface TickLogOptions {
  readonly mostValues?: number;
  /** Only these metrics; all that there are by default. */
  readonly metrics?: readonly MetricId[];
  /** Ticks that share a cell from the start. */
  readonly perCell?: number;
}

/**
 * Collects ticks in columns. Memory stays bounded: when there is too much, every two neighbouring ticks become one, so
 * that a long recording is seen less finely rather than in part. Who wants the newest only lets it forget the oldest.
 */
export class TickLog {
  readonly gpus = new Map<string, GpuLog>();
  host = new Columns();
  times = new Float64Array(4096);
  length = 0;
  /** Device samples so far. */
  rows = 0;
  /** Cells at which the log was started again. */
  restarts: number[] = [];
  droppedEvents = 0;
  /** UUIDs of devices that were known by their place only, and those under which they are now. Another map when it changes. */
  names: ReadonlyMap<string, string> = new Map();
  /** Devices that are known by their place only. */
  readonly #nameless = new Set<string>();
  #perCell: number;
  #ticks = 0;
  #lastAt = Number.NaN;
  #noted = 0;
  readonly #events = new Map<string | number, GpuEvent>();
  /** Those of the last tick in their order, which is that of the next tick for the most part. */
  #row: GpuLog[] = [];
  readonly #mostValues: number;
  readonly #deviceSlots: readonly number[] | null;
  readonly #hostSlots: readonly number[] | null;

  constructor({ mostValues = MOST_VALUES, metrics, perCell = 1 }: TickLogOptions = {}) {
    this.#mostValues = mostValues;
    this.#perCell = perCell;
    const slots = metrics?.map(slotOf);
    this.#deviceSlots = slots?.filter((slot) => slot < HOST_SLOT) ?? null;
    this.#hostSlots = slots?.filter((slot) => slot >= HOST_SLOT) ?? null;
  }

  get events(): readonly GpuEvent[] {
    return [...this.#events.values()];
  }

  /** Values that take room. */
  get room(): number {
    let room = this.host.room;
    for (const gpu of this.gpus.values()) room += gpu.room;
    return room;
  }

  add(tick: Tick): void {
    const { at, devices, host, events } = tick;
    const isSame = at === this.#lastAt;
    this.#lastAt = at;
    for (const event of events) this.#note(event);
    if (devices.length === 0 && host === undefined) return;
    if (!isSame || this.#ticks === 0) this.#ticks++;
    const cell = Math.floor((this.#ticks - 1) / this.#perCell);
    const nth = (this.#ticks - 1) % this.#perCell;
    this.#open(cell, at);
    if (this.#nameless.size > 0) this.#giveNames(devices);
    for (let at = 0; at < devices.length; at++) {
      const sample = devices[at]!;
      let gpu = this.#row[at];
      if (gpu?.device !== sample.device) {
        gpu = this.#gpuOf(sample.device);
        this.#row[at] = gpu;
      }
      gpu.add(cell, nth, sample, this.#deviceSlots);
    }
    this.rows += devices.length;
    if (host !== undefined) {
      if (this.#hostSlots === null) this.host.add(cell, nth, host.readings, HOST_SLOT, CATALOGUE.length);
      else this.host.addThese(cell, nth, host.readings, this.#hostSlots);
    }
    if (this.#ticks % LOOK_EVERY === 0) this.#fit();
  }

  /** Drops the first `cells` cells, what happened before the rest, and devices that are not in it. */
  forget(cells: number): void {
    this.#row = [];
    this.times.copyWithin(0, cells, this.length);
    this.length -= cells;
    this.#ticks -= cells * this.#perCell;
    this.restarts = this.restarts.filter((cell) => cell >= cells).map((cell) => cell - cells);
    for (const [uuid, gpu] of this.gpus) {
      gpu.forget(cells);
      if (!gpu.states.isEmpty) continue;
      this.gpus.delete(uuid);
      this.#nameless.delete(uuid);
    }
    this.host.forget(cells);
    const since = this.times[0]!;
    for (const [key, { at }] of this.#events) if (at < since) this.#events.delete(key);
  }

  /** A log of its own with the cells from `from` on. */
  tail(from: number): TickLog {
    const part = new TickLog();
    part.times = this.times.slice(from, this.length);
    part.length = this.length - from;
    part.restarts = this.restarts.filter((cell) => cell >= from).map((cell) => cell - from);
    for (const [uuid, gpu] of this.gpus) {
      const rest = gpu.tail(from);
      if (rest.states.isEmpty) continue;
      part.gpus.set(uuid, rest);
      part.rows += rest.samples;
    }
    part.host = this.host.tail(from);
    for (const [key, event] of this.#events) if (event.at >= part.times[0]!) part.#events.set(key, event);
    return part;
  }

  #gpuOf(device: Device): GpuLog {
    const { uuid } = device;
    const known = this.gpus.get(uuid);
    if (known !== undefined) return known;
    const gpu = new GpuLog(device);
    this.gpus.set(uuid, gpu);
    if (device.uuidIsDerived === true) this.#nameless.add(uuid);
    return gpu;
  }

  /** A device that was known by its place only is the one that is in that place and tells who it is. */
  #giveNames(devices: readonly DeviceSample[]): void {
    for (const was of this.#nameless) {
      const { vendor, index, mig } = this.gpus.get(was)?.device ?? {};
      const named = devices.find(
        ({ device }) => device.vendor === vendor && device.index === index && device.uuidIsDerived !== true,
      );
      const isGone = devices.every(({ device }) => device.uuid !== was);
      if (named !== undefined && mig === undefined && named.device.mig === undefined && isGone) {
        this.#rename(was, named.device.uuid);
      }
    }
  }

  #rename(was: string, uuid: string): void {
    const gpu = this.gpus.get(was)!;
    this.#row = [];
    this.#nameless.delete(was);
    this.gpus.delete(was);
    // Where it had told who it is before, there was nothing to read of it in between.
    if (!this.gpus.has(uuid)) this.gpus.set(uuid, gpu);
    for (const [key, event] of this.#events) if (event.uuid === was) this.#events.set(key, { ...event, uuid });
    this.names = new Map(this.names).set(was, uuid);
  }

  #open(cell: number, at: number): void {
    if (cell < this.length) return;
    if (cell >= this.times.length) {
      const wider = new Float64Array(2 * this.times.length);
      wider.set(this.times);
      this.times = wider;
    }
    this.times[cell] = at;
    this.length = cell + 1;
  }

  #note(event: GpuEvent): void {
    if (event.kind === 'recording-restarted') this.restarts.push(this.length);
    if (this.#events.size >= MOST_EVENTS && (event.key === undefined || !this.#events.has(event.key))) {
      this.droppedEvents++;
      return;
    }
    this.#events.set(event.key ?? this.#noted++, event);
  }

  #fit(): void {
    if (this.length <= MOST_TICKS && this.room <= this.#mostValues) return;
    this.#perCell *= 2;
    for (const gpu of this.gpus.values()) gpu.coarsen();
    this.host.coarsen();
    const half = Math.ceil(this.length / 2);
    for (let i = 0; i < half; i++) this.times[i] = this.times[2 * i]!;
    this.length = half;
    this.restarts = this.restarts.map((cell) => Math.floor(cell / 2));
    // The next tick begins a cell of its own.
    this.#ticks = half * this.#perCell;
  }
}
