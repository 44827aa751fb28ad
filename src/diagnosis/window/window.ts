import { CATALOGUE, type MetricId, slotOf } from '../../model/catalogue.ts';
import type { Device } from '../../model/device.ts';
import type { GpuEvent } from '../../model/event.ts';
import type { Millis } from '../../model/reading.ts';
import type { Stretch } from '../statistics/stretches.ts';
import type { Mask, Values } from '../statistics/summary.ts';
import type { Column, Spread } from './column.ts';
import type { Columns } from './gpu-log.ts';
import { type Grid, layGrid } from './grid.ts';
import type { ProcessTrack } from './process-log.ts';
import type { TickLog } from './tick-log.ts';

/** What the values of a gauge were, over all samples. */
export interface Extremes {
  readonly metric: MetricId;
  readonly count: number;
  readonly min: number;
  readonly mean: number;
  readonly max: number;
}

/** So many cells without a reading between others are bridged. */
const BRIDGED = 2;

/** The columns of one GPU, or of the host, on the grid of the window. */
export class Series {
  readonly #columns: Columns;
  readonly #window: Window;
  readonly #taken = new Map<number, Values>();
  readonly #spreads = new Map<number, Spread>();

  constructor(columns: Columns, window: Window) {
    this.#columns = columns;
    this.#window = window;
  }

  /** The values of a metric, NaN where absent; null where it has none at all. */
  column(id: MetricId): Values | null {
    const slot = slotOf(id);
    const known = this.#taken.get(slot);
    if (known !== undefined) return known;
    const column = this.#columns.bySlot[slot];
    if (column === undefined) return null;
    const values = this.#window.bridge(this.#window.place(column));
    this.#taken.set(slot, values);
    return values;
  }

  has(id: MetricId): boolean {
    return this.#columns.bySlot[slotOf(id)] !== undefined;
  }

  /** The values of a metric as they came, without what has been filled in; null where it has none at all. */
  collected(id: MetricId): Values | null {
    const column = this.#columns.bySlot[slotOf(id)];
    return column === undefined ? null : this.#window.asCollected(column);
  }

  /** Least, mean and greatest value of every gauge there is, in the order of the catalogue. */
  extremes(): readonly Extremes[] {
    return this.#columns.bySlot.flatMap((column, slot) => {
      const entry = CATALOGUE[slot]!;
      if (column === undefined || entry.kind !== 'gauge') return [];
      const { count, min, max, sum } = this.#spreadOf(slot, column);
      return [{ metric: entry.id, count, min, mean: sum / count, max }];
    });
  }

  /** The largest value of a metric; null where it has none. */
  peak(id: MetricId): number | null {
    const slot = slotOf(id);
    const column = this.#columns.bySlot[slot];
    return column === undefined ? null : this.#spreadOf(slot, column).max;
  }

  #spreadOf(slot: number, column: Column): Spread {
    const known = this.#spreads.get(slot);
    if (known !== undefined) return known;
    const spread = column.spread();
    this.#spreads.set(slot, spread);
    return spread;
  }
}

/** One GPU in the window. */
export class GpuSeries extends Series {
  readonly device: Device;
  readonly states: Values;
  readonly processes: readonly ProcessTrack[];
  /** What the listed processes hold together, in bytes; null where there never was a list. */
  readonly processBytes: Values | null;
  /** How many processes compute. */
  readonly computing: Values | null;
  readonly samples: number;

  constructor(log: TickLog, uuid: string, window: Window) {
    const gpu = log.gpus.get(uuid)!;
    super(gpu.columns, window);
    this.device = gpu.device;
    this.states = window.place(gpu.states);
    this.processes = gpu.processes.tracks;
    this.samples = gpu.samples;
    const { bytes, computing } = gpu.processes;
    this.processBytes = bytes.isEmpty ? null : window.place(bytes);
    this.computing = computing.isEmpty ? null : window.place(computing);
  }
}

/** Everything that was recorded, in columns on one grid: what detectors read. Nothing in it changes. */
export class Window {
  readonly #grid: Grid;
  readonly #ticks: number;
  readonly gpus: readonly GpuSeries[];
  readonly host: Series;
  readonly events: readonly GpuEvent[];
  readonly rows: number;
  /** Whether an Xid would be among the events, if there had been one. */
  readonly seesXids: boolean;

  constructor(log: TickLog, { seesXids }: { readonly seesXids: boolean }) {
    this.seesXids = seesXids;
    this.#grid = layGrid(log.times, log.length, log.restarts);
    this.#ticks = log.length;
    this.gpus = [...log.gpus.keys()]
      .map((uuid) => new GpuSeries(log, uuid, this))
      .sort((a, b) => a.device.index - b.device.index);
    this.host = new Series(log.host, this);
    this.events = log.events;
    this.rows = log.rows;
  }

  /** Cells of the grid. */
  get length(): number {
    return this.#grid.at.length;
  }

  /** Typical distance of two cells in milliseconds. */
  get stepMs(): number {
    return this.#grid.stepMs;
  }

  /** Time of each cell. */
  get at(): Float64Array {
    return this.#grid.at;
  }

  /** Time that each cell stands for, in seconds. */
  get seconds(): Float32Array {
    return this.#grid.seconds;
  }

  /** Stretches without a wide hole. */
  get pieces(): readonly Stretch[] {
    return this.#grid.pieces;
  }

  get from(): Millis {
    return this.length === 0 ? (this.events[0]?.at ?? 0) : Math.min(this.at[0]!, this.at[this.length - 1]!);
  }

  get to(): Millis {
    return this.length === 0 ? (this.events.at(-1)?.at ?? 0) : Math.max(this.at[0]!, this.at[this.length - 1]!);
  }

  /** Cells that make up a time in seconds, at least 1. */
  cells(seconds: number): number {
    return Math.max(1, Math.round((seconds * 1000) / this.stepMs));
  }

  /** Seconds that the cells for which `test` holds stand for. */
  secondsOf(test: (cell: number) => boolean, { start, end }: Stretch = { start: 0, end: this.length }): number {
    const { seconds } = this;
    let sum = 0;
    for (let cell = start; cell < end; cell++) if (test(cell)) sum += seconds[cell]!;
    return sum;
  }

  /** Seconds that the cells under a mask stand for. */
  secondsUnder(mask: Mask, { start, end }: Stretch = { start: 0, end: this.length }): number {
    const { seconds } = this;
    let sum = 0;
    for (let cell = start; cell < end; cell++) if (mask[cell] === 1) sum += seconds[cell]!;
    return sum;
  }

  /** The values of a column as they came, tick by tick. */
  asCollected(column: Column): Values {
    return column.take(this.#ticks);
  }

  /** A column in which a reading or two that failed between others count as the one before: a tick may miss one GPU only. */
  bridge(values: Values): Values {
    if (!values.includes(Number.NaN)) return values;
    let bridged: Values | null = null;
    for (const { start, end } of this.pieces) {
      let last = -1;
      for (let cell = start; cell < end; cell++) {
        if (Number.isNaN(values[cell]!)) continue;
        const hole = last < 0 ? 0 : cell - last - 1;
        if (hole > 0 && hole <= BRIDGED) {
          bridged ??= values.slice();
          bridged.fill(values[last]!, last + 1, cell);
        }
        last = cell;
      }
    }
    return bridged ?? values;
  }

  /** A column on the grid. A sample or two that were missed count as the one before, so that they end nothing. */
  place(column: Column): Values {
    const { places, at } = this.#grid;
    const values = column.take(this.#ticks);
    if (places === null) return values;
    const placed = new (values.constructor as new (length: number) => Values)(at.length).fill(Number.NaN);
    for (let tick = 0; tick < places.length; tick++) {
      const cell = places[tick]!;
      placed[cell] = values[tick]!;
      const before = tick === 0 ? cell - 1 : places[tick - 1]!;
      for (let hole = before + 1; hole < cell; hole++) placed[hole] = placed[before]!;
    }
    return placed;
  }
}
