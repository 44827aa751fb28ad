import type { Extent, RangeQuery } from '../model/ports.ts';
import type { Millis } from '../model/reading.ts';
import type { BlockInfo, BlockTable } from './engine/block-table.ts';
import { fillGrid, type Wanted, type WantedColumn } from './engine/fill-grid.ts';
import { intervalOf, type SampleLog } from './engine/sample-log.ts';
import { Segment } from './engine/segment.ts';
import { LEVELS, TIERS, widthOf } from './engine/tiers.ts';
import { GridBuilder } from './grid-builder.ts';
import type { GridData } from './protocol.ts';
import { type GridShape, gridShape, weightedMedian } from './range.ts';

/** Where ranges are read from: blocks on the disk, and what is not sealed in memory. */
export interface Samples {
  readonly blocks: BlockTable;
  readonly log: SampleLog;
}

/** What a range asks for: ids of devices by group, and the columns. */
export interface RangeTarget {
  readonly groups: ReadonlyMap<number, Wanted['devices']>;
  /** Devices of the query, unknown ones included. */
  readonly devices: number;
  readonly columns: readonly WantedColumn[];
}

/**
 * The answer to a range query, device by device and within it metric by metric. It reads the coarsest level whose rows
 * fall whole into the buckets, and finer ones where the range cuts a row. Yields every millisecond or so.
 */
export function* scanRange(
  samples: Samples,
  { from, to, points }: RangeQuery,
  { groups, devices, columns }: RangeTarget,
): Generator<void, GridData> {
  const known = [...groups.keys()];
  const measured = typicalInterval(samples, known, from, to);
  const [shape, level] = gridFor(samples, known, { from, to, points }, measured);
  const grid = new GridBuilder(shape, devices, columns);
  const plans = [...groups].map(([group, wanted]) => {
    const plan = new Plan(samples, group);
    plan.read(level, from, to);
    return { steps: plan.steps, wanted: { devices: wanted, columns } };
  });
  for (const { steps, wanted } of plans) {
    for (const step of steps) {
      const table = step.table instanceof Segment ? step.table : samples.blocks.read(step.table);
      yield;
      if (table !== null) yield* fillGrid(grid, table, step, wanted);
    }
  }
  return grid.finish(measured ?? shape.bucketMs);
}

/** The grid, and the level to read it from: no finer than what the range still has at its beginning. */
function gridFor(
  samples: Samples,
  groups: readonly number[],
  { from, to, points }: Pick<RangeQuery, 'from' | 'to' | 'points'>,
  intervalMs: Millis | null,
): readonly [GridShape, number] {
  let shape = gridShape(from, to, points, intervalMs);
  for (;;) {
    const level = levelFor(shape.bucketMs);
    const start = oldest(samples, groups, level);
    const older = TIERS.slice(level).find(({ widthMs }, above) => {
      const first = oldest(samples, groups, level + above + 1);
      return first + widthMs <= start && first < to;
    });
    if (from >= start || older === undefined) return [shape, level];
    shape = gridShape(from, to, points, older.widthMs);
  }
}

/** The coarsest level whose rows never straddle two buckets. */
function levelFor(bucketMs: Millis): number {
  return TIERS.filter(({ widthMs }) => bucketMs % widthMs === 0).length;
}

/** Start of what the groups have of a level; infinite where they have nothing. */
function oldest({ blocks, log }: Samples, groups: readonly number[], level: number): Millis {
  let first = Number.POSITIVE_INFINITY;
  for (const group of groups) {
    for (const { from } of blocks.list(level, group)) first = Math.min(first, from);
    for (const { from } of log.segments(level, group)) first = Math.min(first, from);
  }
  return first;
}

/** The median distance of neighbouring ticks in the range; null where there are no two. */
function typicalInterval({ blocks, log }: Samples, groups: readonly number[], from: Millis, to: Millis): Millis | null {
  const found: [interval: Millis, rows: number][] = [];
  for (const group of groups) {
    for (let level = 0; level < LEVELS && found.length === 0; level++) {
      for (const block of blocks.list(level, group)) {
        if (overlaps(block, from, to) && block.intervalMs > 0) found.push([block.intervalMs, block.rows]);
      }
    }
    for (const segment of log.segments(0, group)) {
      const inside = intervalOf(segment, from, to);
      if (inside > 0) found.push([inside, segment.rows]);
    }
  }
  return weightedMedian(found);
}

function overlaps(block: Extent, from: Millis, to: Millis): boolean {
  return block.from < to && block.to >= from;
}

/** A table to be read from, with the rows it had when the query began: what comes later may hold the same ticks summed up. */
interface Step {
  readonly table: BlockInfo | Segment;
  readonly rows: number;
  /** Of its first row. */
  readonly sequence: number;
  readonly level: number;
  readonly from: Millis;
  readonly to: Millis;
}

/** Decides at once what a query reads of one group, so that what is sealed meanwhile is neither missed nor read twice. */
class Plan {
  readonly steps: Step[] = [];
  readonly #samples: Samples;
  readonly #group: number;

  constructor(samples: Samples, group: number) {
    this.#samples = samples;
    this.#group = group;
  }

  /** Everything in [from, to), from rows of this level as far as they fit. */
  read(level: number, from: Millis, to: Millis): void {
    if (from >= to) return;
    const [start, end] = level === 0 ? [from, to] : this.#wholeRows(level, from, to);
    if (start >= end) {
      this.read(level - 1, from, to);
      return;
    }
    this.read(level - 1, from, start);
    const [first, last] = [Math.max(from, start), Math.min(to, end)];
    const steps = [...this.#blocks(level, start, end), ...this.#segments(level, start, end)];
    // What is not sealed is not summed up yet.
    for (let finer = level - 1; finer >= 0; finer--) steps.push(...this.#segments(finer, first, last));
    // In the order in which the ticks came, so that counters are followed as they grew.
    this.steps.push(...steps.sort((a, b) => a.sequence - b.sequence));
    this.read(level - 1, end, to);
  }

  /** The part of a range that whole rows cover. Where nothing finer is left a row that is cut is taken as a whole. */
  #wholeRows(level: number, from: Millis, to: Millis): readonly [Millis, Millis] {
    const width = widthOf(level);
    let finer = Number.POSITIVE_INFINITY;
    for (let below = 0; below < level; below++) finer = Math.min(finer, oldest(this.#samples, [this.#group], below));
    const before = Math.floor(from / width) * width;
    const after = Math.ceil(to / width) * width;
    const start = before === from || before + width <= finer ? before : before + width;
    const end = after === to || after <= finer ? after : after - width;
    return [start, end];
  }

  #blocks(level: number, from: Millis, to: Millis): readonly Step[] {
    const blocks = this.#samples.blocks.list(level, this.#group).filter((block) => overlaps(block, from, to));
    return blocks.map((table) => ({ table, rows: table.rows, sequence: table.firstSequence, level, from, to }));
  }

  #segments(level: number, from: Millis, to: Millis): readonly Step[] {
    const segments = this.#samples.log.segments(level, this.#group).filter((segment) => overlaps(segment, from, to));
    return segments.map((table) => ({ table, rows: table.rows, sequence: table.sequence[0]!, level, from, to }));
  }
}
