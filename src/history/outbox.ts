import { CATALOGUE } from '../model/catalogue.ts';
import type { Device } from '../model/device.ts';
import type { GpuEvent } from '../model/event.ts';
import type { ReadingSet } from '../model/reading-set.ts';
import type { Tick } from '../model/tick.ts';
import { DEVICE_STATES } from './device-states.ts';
import { HOST_DEVICE } from './host-device.ts';
import type { Batch, Cells, DeviceFacts } from './protocol.ts';

/** Cells of a tick and of a row besides the values: time and rows, and the handle of the device. */
const TICK_CELLS = 2;
const ROW_CELLS = 1 + CATALOGUE.length;
/** A cell is a number and a code. */
const CELL_BYTES = Float64Array.BYTES_PER_ELEMENT + 1;
/** Room for a few dozen rows, enough for live ticks. */
const INITIAL_CELLS = 4096;
/** One MiB, for recordings that come much faster than real time: few large transactions cost less than many small ones. */
const MOST_CELLS = 131_072;
const STATES = new Map(DEVICE_STATES.map((state, code) => [state, code]));

/** Room that is kept for later: one on its way back while the other is filled. */
const MOST_SPARE = 2;

/** Packs ticks into batches for the worker. */
export class Outbox {
  #cells = new Float64Array(INITIAL_CELLS);
  #codes = new Uint8Array(INITIAL_CELLS);
  readonly #spare: Cells[] = [];
  #used = 0;
  #ticks = 0;
  /** Cells of the newest tick. */
  #usual = 0;
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
    this.#usual = cellsOf(tick);
    this.#makeRoom(this.#used + this.#usual);
    this.#cells[this.#used++] = tick.at;
    this.#cells[this.#used++] = rowsOf(tick);
    for (const { device, state, readings } of tick.devices) this.#addRow(device, STATES.get(state)!, readings);
    if (tick.host !== undefined) this.#addRow(HOST_DEVICE, 0, tick.host.readings);
    if (tick.events.length > 0) this.#events.push(...tick.events);
    this.#ticks++;
  }

  #addRow(device: Device, state: number, { values, codes }: ReadingSet): void {
    this.#codes[this.#used] = state;
    this.#cells[this.#used++] = this.#handleOf(device);
    this.#cells.set(values, this.#used);
    this.#codes.set(codes, this.#used);
    this.#used += values.length;
  }

  /** Everything added since the last time. The room it is in is gone until it is given back. */
  take(): Batch {
    const batch = {
      ticks: this.#ticks,
      used: this.#used,
      cells: this.#cells,
      codes: this.#codes,
      devices: this.#devices,
      events: this.#events,
    };
    const { cells, codes } = this.#spare.pop() ?? {
      cells: new Float64Array(INITIAL_CELLS),
      codes: new Uint8Array(INITIAL_CELLS),
    };
    this.#cells = cells;
    this.#codes = codes;
    this.#used = 0;
    this.#ticks = 0;
    this.#devices = [];
    this.#events = [];
    return batch;
  }

  /** Room that has been emptied. What a flood made large is not kept for the trickle after it. */
  giveBack(room: Cells): void {
    const isUsual = room.cells.length <= Math.max(INITIAL_CELLS, 2 * this.#usual);
    if (isUsual && this.#spare.length < MOST_SPARE) this.#spare.push(room);
  }

  #makeRoom(cells: number): void {
    if (cells <= this.#cells.length) return;
    const room = Math.max(cells, 2 * this.#cells.length);
    const [larger, codes] = [new Float64Array(room), new Uint8Array(room)];
    larger.set(this.#cells);
    codes.set(this.#codes);
    this.#cells = larger;
    this.#codes = codes;
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
  return bytesIn(cellsOf(tick));
}

export function bytesIn(cells: number): number {
  return cells * CELL_BYTES;
}

function cellsOf(tick: Tick): number {
  return TICK_CELLS + rowsOf(tick) * ROW_CELLS;
}

function rowsOf({ devices, host }: Tick): number {
  return devices.length + (host === undefined ? 0 : 1);
}

function hasSameFacts(a: Device, b: Device): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
