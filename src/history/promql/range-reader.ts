import type { Extent, RangeQuery } from '../../model/ports.ts';
import type { Millis } from '../../model/reading.ts';
import { SUMMED } from '../engine/sum.ts';
import { GridBuilder } from '../grid-builder.ts';
import type { Column, GridData } from '../protocol.ts';
import { type GridShape, gridShape } from '../range.ts';
import { Collection, type Sums } from './collection.ts';
import type { Engine, Result } from './engine.ts';
import type { Marks } from './marks.ts';
import { type Identity, OWN_SERIES, selector, seriesName } from './names.ts';
import { ceilEven } from './passes.ts';
import { type Density, MOST_SAMPLES, type Piece, planRange } from './range-plan.ts';

/** Distance of two samples where nothing is known of it. */
const USUAL_MS = 1000;

interface RangeReaderParts {
  readonly engine: Engine;
  readonly marks: Marks;
  readonly identity: Identity;
  readonly columns: readonly Column[];
  /** Grows whenever there may be new series. */
  readonly generation: () => number;
  /** What the engine has, as far as that is known. */
  readonly extent: () => Promise<Extent | null>;
  readonly now: () => Millis;
}

/** Part of a query that is asked in one go. */
interface Target {
  readonly devices: readonly string[];
  readonly columns: readonly Column[];
  readonly shape: GridShape;
}

/** Answers range queries from what an engine has. */
export class RangeReader {
  readonly #parts: RangeReaderParts;
  readonly #columns: ReadonlyMap<string, Column>;

  constructor(parts: RangeReaderParts) {
    this.#parts = parts;
    this.#columns = new Map(parts.columns.map((column) => [column.id, column]));
  }

  /** The answer to a query, device by device and within it metric by metric. Rejects like {@link Engine.query}. */
  async read({ devices, metrics, from, to, points }: RangeQuery): Promise<GridData> {
    const { marks, now, extent } = this.#parts;
    const intervalMs = await marks.typicalInterval(from, to, await extent());
    const shape = gridShape(from, to, points, intervalMs);
    const columns = metrics.map((id) => this.#columns.get(id)!);
    const grid = new GridBuilder(shape, devices.length, columns);
    if (columns.length > 0) {
      const density = { series: devices.length * columns.length, intervalMs: intervalMs ?? USUAL_MS, now: now() };
      const pieces = planRange(from, to, shape, density);
      for (const [first, some] of inParts(devices, columns.length * shape.buckets)) {
        const collection = new Collection({ devices: some, columns, shape });
        for (const piece of pieces)
          await this.#readPiece(piece, { devices: some, columns, shape }, collection, density);
        await this.#readResets({ devices: some, columns, shape }, collection);
        collection.fill(grid, first);
      }
    }
    return grid.finish(intervalMs ?? shape.bucketMs);
  }

  async #readPiece(piece: Piece, target: Target, collection: Collection, { intervalMs }: Density): Promise<void> {
    if (piece.kind !== 'samples') {
      collection.addSums(await this.#sums(piece, target));
      return;
    }
    const perMs = (target.devices.length * target.columns.length) / intervalMs;
    const most = Math.max(60_000, Math.floor(MOST_SAMPLES / perMs));
    for (let from = piece.from; from < piece.to; from += most) {
      collection.addSamples(await this.#samples(from, Math.min(piece.to, from + most), target));
    }
  }

  /** Buckets in which a counter started again are read sample by sample: sums do not tell how it grew. */
  async #readResets(target: Target, collection: Collection): Promise<void> {
    for (const { from, to, device, column } of collection.resets()) {
      const some = { ...target, devices: [device], columns: [column] };
      collection.addSamples(await this.#samples(from, to, some));
    }
  }

  #samples(from: Millis, to: Millis, target: Target): Promise<readonly Result[]> {
    const { first, end } = windowOf(from, to);
    if (end <= first) return Promise.resolve([]);
    return this.#parts.engine.query(`${this.#select(target)}[${end - first}ms]`, end - 1);
  }

  async #sums(piece: Piece, target: Target): Promise<Sums> {
    const counters = target.columns.filter(({ summed }) => summed === SUMMED.counter);
    const bits = target.columns.filter(({ summed }) => summed === SUMMED.bits);
    const ask = (name: string, selected: string) => this.#over(name, selected, piece, target.shape.bucketMs);
    const none = Promise.resolve<readonly Result[]>([]);
    const all = this.#select(target);
    const [count, min, max, sum, resets, set] = await Promise.all([
      ask('count', all),
      ask('min', all),
      ask('max', all),
      ask('sum', all),
      counters.length === 0 ? none : ask('resets', this.#select({ ...target, columns: counters })),
      bits.length === 0 ? none : ask('count', this.#bits({ ...target, columns: bits })),
    ]);
    return { from: piece.from, to: piece.to, count, min, max, sum, resets, set };
  }

  /** A function over one window, or over that of each bucket. Its value stands at the last odd millisecond of the window. */
  #over(name: string, selected: string, { kind, from, to }: Piece, bucketMs: number): Promise<readonly Result[]> {
    const call = (ms: number) => `${name === 'resets' ? name : `${name}_over_time`}(${selected}[${ms}ms])`;
    const { engine } = this.#parts;
    if (kind === 'buckets') return engine.queryRange(call(bucketMs), from + bucketMs - 1, to - 1, bucketMs);
    const { first, end } = windowOf(from, to);
    return end <= first ? Promise.resolve([]) : engine.query(call(end - first), end - 1);
  }

  #select({ devices, columns }: Target): string {
    const { identity, generation } = this.#parts;
    const names = columns.map(({ id }) => seriesName(id));
    return selector(identity, generation(), { __name__: names, uuid: devices });
  }

  #bits({ devices, columns }: Target): string {
    const { identity, generation } = this.#parts;
    const metric = columns.map(({ id }) => id);
    return selector(identity, generation(), { __name__: [OWN_SERIES.bit], uuid: devices, metric });
  }
}

/** The even times that a window holds: those from `first` on and before `end`. */
function windowOf(from: Millis, to: Millis): { readonly first: Millis; readonly end: Millis } {
  return { first: ceilEven(from), end: ceilEven(to) };
}

/** Devices in parts of so many that the answer for one part is no larger than it should be. */
function* inParts(
  devices: readonly string[],
  cells: number,
): Generator<readonly [first: number, some: readonly string[]]> {
  const most = Math.max(1, Math.floor(MOST_SAMPLES / Math.max(cells, 1)));
  for (let first = 0; first < devices.length; first += most) yield [first, devices.slice(first, first + most)];
}
