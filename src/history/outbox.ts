import { CATALOGUE } from '../model/catalogue.ts';
import type { Device } from '../model/device.ts';
import type { GpuEvent } from '../model/event.ts';
import type { Tick } from '../model/tick.ts';
import type { Batch, DeviceFacts } from './protocol.ts';

/** Numbers of a tick and of a row besides the values: time and rows, and the handle of the device. */
const TICK_CELLS = 2;
const ROW_CELLS = 1 + CATALOGUE.length;
/** Room for 100 rows or so, enough for live ticks. */
const INITIAL_CELLS = 4096;
/** One MiB, for recordings that come much faster than real time: few large transactions cost less than many small ones. */
const MOST_CELLS = 131_072;

/** Packs ticks into batches for the worker. The one buffer is used again and again; what leaves it is a copy. */
export class Outbox {
  #cells = new Float64Array(INITIAL_CELLS);
  #used = 0;
  #ticks = 0;
  #devices: DeviceFacts[] = [];
  #events: GpuEvent[] = [];
  readonly #known = new Map<string, DeviceFacts>();

  get ticks(): number {
    return this.#ticks;
  }

  /** True where the tick has to wait until what is here has been taken. */
  isFullFor(tick: Tick): boolean {
    return this.#ticks > 0 && this.#used + cellsOf(tick) > MOST_CELLS;
  }

  add(tick: Tick): void {
    this.#makeRoom(this.#used + cellsOf(tick));
    this.#cells[this.#used++] = tick.at;
    this.#cells[this.#used++] = tick.devices.length;
    for (const { device, readings } of tick.devices) {
      this.#cells[this.#used++] = this.#handleOf(device);
      this.#cells.set(readings.values, this.#used);
      const { codes } = readings;
      for (let slot = 0; slot < codes.length; slot++) {
        if (codes[slot] !== 0) this.#cells[this.#used + slot] = Number.NaN;
      }
      this.#used += codes.length;
    }
    if (tick.events.length > 0) this.#events.push(...tick.events);
    this.#ticks++;
  }

  /** Everything added since the last time. */
  take(): Batch {
    const batch = {
      ticks: this.#ticks,
      cells: this.#cells.slice(0, this.#used),
      devices: this.#devices,
      events: this.#events,
    };
    this.#used = 0;
    this.#ticks = 0;
    this.#devices = [];
    this.#events = [];
    return batch;
  }

  #makeRoom(cells: number): void {
    if (cells <= this.#cells.length) return;
    const larger = new Float64Array(Math.max(cells, 2 * this.#cells.length));
    larger.set(this.#cells);
    this.#cells = larger;
  }

  #handleOf(device: Device): number {
    const known = this.#known.get(device.uuid);
    if (known?.device === device) return known.handle;
    const facts = { handle: known?.handle ?? this.#known.size, device };
    this.#known.set(device.uuid, facts);
    if (known === undefined || !hasSameFacts(known.device, device)) this.#devices.push(facts);
    return facts.handle;
  }
}

/** Bytes a tick takes on its way to the disk. */
export function bytesOf(tick: Tick): number {
  return cellsOf(tick) * Float64Array.BYTES_PER_ELEMENT;
}

function cellsOf(tick: Tick): number {
  return TICK_CELLS + tick.devices.length * ROW_CELLS;
}

function hasSameFacts(a: Device, b: Device): boolean {
  return (
    a.uuid === b.uuid &&
    a.uuidIsDerived === b.uuidIsDerived &&
    a.vendor === b.vendor &&
    a.name === b.name &&
    a.index === b.index &&
    a.pciBusId === b.pciBusId &&
    a.minor === b.minor &&
    a.serial === b.serial &&
    a.driverVersion === b.driverVersion
  );
}
