import type { Millis } from '../../model/reading.ts';
import { SUMMED } from '../engine/sum.ts';
import type { GridBuilder } from '../grid-builder.ts';
import type { Column } from '../protocol.ts';
import type { GridShape } from '../range.ts';
import type { Result } from './engine.ts';

/** What an engine says of one window, or of each bucket of a stretch. */
export interface Sums {
  readonly from: Millis;
  readonly to: Millis;
  readonly count: readonly Result[];
  readonly min: readonly Result[];
  readonly max: readonly Result[];
  readonly sum: readonly Result[];
  /** How often counters started again. */
  readonly resets: readonly Result[];
  /** How often each bit was set. */
  readonly set: readonly Result[];
}

interface Target {
  readonly devices: readonly string[];
  readonly columns: readonly Column[];
  readonly shape: GridShape;
}

/** A sum of the samples from `at`, the start of its window, to the end of that. */
interface Entry {
  readonly at: Millis;
  readonly to: Millis;
  count: number;
  min: number;
  max: number;
  sum: number;
  resets: number;
  /** Bits that were set at any sample, and at every one. */
  any: number;
  all: number;
}

/** A stretch in which a counter started again. */
interface Reset {
  readonly from: Millis;
  readonly to: Millis;
  readonly device: string;
  readonly column: Column;
}

/** One metric of one device in one pass. */
interface Line {
  readonly device: number;
  readonly column: number;
  readonly pass: number;
  readonly samples: (readonly [at: Millis, value: number])[];
  readonly sums: Map<Millis, Entry>;
}

/**
 * What an engine answered about some series, piece by piece. It is put into the grid in the order in which the ticks came:
 * pass by pass and within a pass by time, since a counter is followed from one sample to the next.
 */
export class Collection {
  readonly #target: Target;
  readonly #lines = new Map<string, Line>();

  constructor(target: Target) {
    this.#target = target;
  }

  addSamples(results: readonly Result[]): void {
    for (const { labels, values } of results) {
      const line = this.#lineOf(labels);
      if (line === null) continue;
      for (const sample of values) {
        // A request that was sent twice may be kept twice.
        if (line.samples.at(-1)?.[0] !== sample[0]) line.samples.push(sample);
      }
    }
  }

  addSums(sums: Sums): void {
    const put = (results: readonly Result[], set: (entry: Entry, value: number, labels: Result['labels']) => void) => {
      for (const { labels, values } of results) {
        const line = this.#lineOf(labels);
        if (line === null) continue;
        for (const [at, value] of values) set(this.#entryOf(line, at, sums), value, labels);
      }
    };
    put(sums.count, (entry, value) => {
      entry.count = value;
    });
    put(sums.min, (entry, value) => {
      entry.min = value;
    });
    put(sums.max, (entry, value) => {
      entry.max = value;
    });
    put(sums.sum, (entry, value) => {
      entry.sum = value;
    });
    put(sums.resets, (entry, value) => {
      entry.resets = value;
    });
    put(sums.set, (entry, value, labels) => {
      const bit = (1 << Number(labels['bit'])) >>> 0;
      entry.any = (entry.any | bit) >>> 0;
      if (value >= entry.count) entry.all = (entry.all | bit) >>> 0;
    });
  }

  /** Sums of counters that started again, which are taken out: their samples are wanted instead. */
  resets(): readonly Reset[] {
    const { devices, columns } = this.#target;
    const found = new Map<string, Reset>();
    for (const { device, column, sums } of this.#lines.values()) {
      for (const { at, to, resets } of sums.values()) {
        if (resets === 0) continue;
        found.set(`${device} ${column} ${at}`, { from: at, to, device: devices[device]!, column: columns[column]! });
      }
    }
    for (const { device, column, sums } of this.#lines.values()) {
      for (const at of sums.keys()) if (found.has(`${device} ${column} ${at}`)) sums.delete(at);
    }
    return [...found.values()].sort((a, b) => a.from - b.from);
  }

  /** Puts everything into a grid, in which the first device has the number `first`. */
  fill(grid: GridBuilder, first: number): void {
    let sequence = 0;
    const lines = [...this.#lines.values()].sort((a, b) => a.pass - b.pass);
    for (const line of lines) {
      const series = grid.seriesOf(first + line.device, line.column);
      const summed = this.#target.columns[line.column]!.summed;
      const sums = [...line.sums.values()].filter(({ count }) => count > 0);
      for (const item of inOrder(line.samples, sums)) {
        sequence++;
        if ('count' in item) addSum(grid, series, item, summed, sequence);
        else grid.add(series, grid.bucketOf(item[0]), item[1], sequence);
      }
    }
  }

  #lineOf(labels: Result['labels']): Line | null {
    const { devices, columns } = this.#target;
    const [uuid = '', metric = '', pass = ''] = [labels['uuid'], labels['metric'], labels['pass']];
    const key = `${uuid}\n${metric}\n${pass}`;
    const known = this.#lines.get(key);
    if (known !== undefined) return known;
    const [device, column] = [devices.indexOf(uuid), columns.findIndex(({ id }) => id === metric)];
    if (device < 0 || column < 0) return null;
    const line: Line = { device, column, pass: Number(pass), samples: [], sums: new Map() };
    this.#lines.set(key, line);
    return line;
  }

  #entryOf(line: Line, valueAt: Millis, { from, to }: Sums): Entry {
    const { start, bucketMs } = this.#target.shape;
    const bucket = start + Math.floor((valueAt - start) / bucketMs) * bucketMs;
    const at = Math.max(from, bucket);
    const known = line.sums.get(at);
    if (known !== undefined) return known;
    const entry: Entry = {
      ...{ at, to: Math.min(to, bucket + bucketMs) },
      ...{ count: 0, min: 0, max: 0, sum: 0, resets: 0, any: 0, all: 0 },
    };
    line.sums.set(at, entry);
    return entry;
  }
}

/** Samples and sums by time. */
function inOrder(samples: Line['samples'], sums: readonly Entry[]): readonly (Line['samples'][number] | Entry)[] {
  if (sums.length === 0) return [...samples].sort(([a], [b]) => a - b);
  const timeOf = (item: Line['samples'][number] | Entry) => ('count' in item ? item.at : item[0]);
  return [...samples, ...sums].sort((a, b) => timeOf(a) - timeOf(b));
}

function addSum(grid: GridBuilder, series: number, entry: Entry, summed: number, sequence: number): void {
  const { at, count, min, max, sum, any, all } = entry;
  const bucket = grid.bucketOf(at);
  if (summed === SUMMED.bits) {
    grid.addBitSum(series, bucket, count, all, any);
    return;
  }
  grid.addSum(series, bucket, count, min, max, sum);
  // It did not start again within the window, so that it went from the smallest value to the largest.
  if (summed === SUMMED.counter) grid.addGrowth(series, bucket, sequence, min, max, max - min);
}
