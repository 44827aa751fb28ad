import { CATALOGUE, DEVICE_METRICS } from '../../model/catalogue.ts';
import type { GpuEvent } from '../../model/event.ts';
import type { Tick } from '../../model/tick.ts';
import { Columns, GpuLog } from './gpu-log.ts';

/** Values held at most, 4 bytes each for the most part: 128 MiB. */
const MOST_VALUES = 2 ** 25;

/** Ticks at most, whatever they hold. */
const MOST_TICKS = 2 ** 21;

/** Events kept at most; of those that go on only the newest state. */
const MOST_EVENTS = 20_000;

/** How often the size is looked at, in ticks. */
const LOOK_EVERY = 1024;

/**
 * Collects ticks in columns. Memory stays bounded: when there is too much, every two neighbouring ticks become one, so
 * that a long recording is seen less finely rather than in part.
 */
export class TickLog {
  readonly gpus = new Map<string, GpuLog>();
  readonly host = new Columns();
  times = new Float64Array(4096);
  length = 0;
  /** Device samples so far. */
  rows = 0;
  /** Cells at which the log was started again. */
  restarts: number[] = [];
  droppedEvents = 0;
  /** Ticks that share a cell. */
  #perCell = 1;
  #ticks = 0;
  #lastAt = Number.NaN;
  readonly #events = new Map<string | number, GpuEvent>();
  readonly #mostValues: number;

  constructor(mostValues = MOST_VALUES) {
    this.#mostValues = mostValues;
  }

  get events(): readonly GpuEvent[] {
    return [...this.#events.values()];
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
    for (const sample of devices) {
      const { uuid } = sample.device;
      let gpu = this.gpus.get(uuid);
      if (gpu === undefined) {
        gpu = new GpuLog(sample.device);
        this.gpus.set(uuid, gpu);
      }
      gpu.add(cell, nth, sample);
    }
    this.rows += devices.length;
    if (host !== undefined) this.host.add(cell, nth, host.readings, DEVICE_METRICS.length, CATALOGUE.length);
    if (this.#ticks % LOOK_EVERY === 0) this.#fit();
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
    this.#events.set(event.key ?? this.#events.size, event);
  }

  #fit(): void {
    let room = 0;
    for (const { columns } of this.gpus.values()) room += columns.room;
    if (room <= this.#mostValues && this.length <= MOST_TICKS) return;
    this.#perCell *= 2;
    for (const gpu of this.gpus.values()) {
      gpu.columns.coarsen();
      gpu.states.coarsen();
      gpu.processes.coarsen();
    }
    this.host.coarsen();
    const half = Math.ceil(this.length / 2);
    for (let i = 0; i < half; i++) this.times[i] = this.times[2 * i]!;
    this.length = half;
    this.restarts = this.restarts.map((cell) => Math.floor(cell / 2));
    // The next tick begins a cell of its own.
    this.#ticks = half * this.#perCell;
  }
}
