import type { Millis } from '../../model/reading.ts';
import { medianOf } from '../range.ts';
import { encodeBlock } from './block-encoder.ts';
import type { BlockTable, NewBlock } from './block-table.ts';
import type { HotTable } from './hot-table.ts';
import { RollUp } from './roll-up.ts';
import { appendRow, type RowPart, replayRow, startsSegment } from './row-log.ts';
import { Segment } from './segment.ts';
import { SUMMED } from './sum.ts';
import { LEVELS, PARTS, TIERS, widthOf } from './tiers.ts';

/** Device ids that share segments and blocks: they lie side by side, and share times and what is the same for all. */
const GROUP_SIZE = 16;
/** Ticks of one block: an hour of one GPU, ten minutes of eight. More would hardly get smaller, but cost memory. */
const MOST_ROWS = 3600;
const LEAST_ROWS = 300;
const DEVICE_ROWS = 4800;
/** A block is tight in time: a step or a gap wider than this, and than so many intervals, starts a new one. */
const WIDE_MS = 3_600_000;
const WIDE_INTERVALS = 64;
const BACKWARDS_MS = 60_000;
/** A clock that jumps to and fro must not make blocks of single rows. */
const FEW_ROWS = 16;
/** Pairs of neighbours from which the typical distance of ticks is learnt. */
const MOST_PAIRS = 256;
/** Segments that may wait to be sealed. When more come, writing waits for them: the disk or the processor is too slow. */
const MOST_FROZEN = 2;

/** Runs a function in one transaction. */
export type Transaction = <Result>(run: () => Result) => Result;

export function groupOf(device: number): number {
  return Math.floor(device / GROUP_SIZE);
}

/** A full segment. `release` removes, in the transaction that stores its block, what it was made from. */
interface Frozen {
  readonly segment: Segment;
  readonly release: () => void;
}

interface Level {
  current: Segment;
  readonly frozen: Frozen[];
  /** One that has been sealed, to be filled again: memory that is allocated ever anew is given back late. */
  spare: Segment | null;
  /** Of the first row of the current segment in the table of hot rows, and of the next row. */
  firstKey: number;
  nextKey: number;
  /** Typical distance of the ticks behind it, as far as known. */
  intervalMs: Millis;
}

/** What is written but not sealed, level by level and group by group, and how it becomes blocks. */
export class SampleLog {
  readonly #blocks: BlockTable;
  readonly #hot: HotTable;
  readonly #widths: readonly number[];
  readonly #rollUp: RollUp;
  readonly #transaction: Transaction;
  readonly #blockRows: number | null;
  readonly #groups = new Map<number, readonly Level[]>();
  /** Segments that grew in the transaction under way, with their rows before. */
  #grown: [Segment, number][] = [];
  #sealing: Generator<void, void> | null = null;
  /** Rows that were damaged, and were left out when they were read again. */
  lostRows = 0;
  /** Queries under way, which may hold segments that have become blocks meanwhile. */
  readers = 0;

  /** `summed` tells by column how it is summed up; `blockRows` sets the length of blocks of every level. */
  constructor(
    blocks: BlockTable,
    hot: HotTable,
    summed: Uint8Array,
    transaction: Transaction,
    blockRows: number | null = null,
  ) {
    this.#blocks = blocks;
    this.#blockRows = blockRows;
    this.#hot = hot;
    this.#widths = Array.from({ length: LEVELS }, (_, level) => (level === 0 ? 1 : PARTS) * summed.length);
    this.#rollUp = new RollUp(summed);
    this.#transaction = (run) => {
      this.#grown = [];
      try {
        return transaction(run);
      } catch (error) {
        for (const [segment, rows] of this.#grown.reverse()) segment.cut(rows);
        throw error;
      }
    };
    this.#load();
    for (const group of this.#groups.keys()) this.#leaveUnknown(group, summed);
  }

  #load(): void {
    let broken: Segment | null = null;
    for (const { group, level: number, key, body } of this.#hot.rows()) {
      const level = this.#level(group, number);
      level.nextKey = key;
      if (startsSegment(body) && level.current.rows > 0) this.#freeze(group, number);
      if (level.current.rows === 0) level.firstKey = key;
      level.nextKey = key + 1;
      try {
        // A row says what changed since the row before it, and means nothing without that.
        if (broken === level.current && !startsSegment(body)) throw new RangeError('a row behind a damaged one');
        replayRow(level.current, body);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        this.lostRows++;
        broken = level.current;
      }
    }
  }

  /** A metric of another gpulse must not go on with the value it last had: what holds one is sealed as it is. */
  #leaveUnknown(group: number, summed: Uint8Array): void {
    const { current } = this.#level(group, 0);
    const holdsOne = current
      .deviceIds()
      .some((device) => current.columnsOf(device).some((column) => summed[column] === SUMMED.unknown));
    if (holdsOne) this.#freeze(group, 0);
  }

  /** One more than the highest number of a tick. */
  get nextSequence(): number {
    let last = -1;
    for (const { lastSequence } of this.#blocks.ofLevel(0)) last = Math.max(last, lastSequence);
    for (const group of this.groups()) {
      for (const { sequence, rows } of this.segments(0, group)) last = Math.max(last, sequence[rows - 1]!);
    }
    return last + 1;
  }

  /** Runs `run`, which appends rows, in a transaction; where it fails, memory is as it was. */
  write<Result>(run: () => Result): Result {
    return this.#transaction(run);
  }

  /** Appends a row to the ticks of a group, on the disk and in memory. */
  append(group: number, at: Millis, sequence: number, parts: readonly RowPart[]): void {
    this.#append(group, 0, at, sequence, parts);
  }

  #append(group: number, number: number, at: Millis, sequence: number, parts: readonly RowPart[]): void {
    const level = this.#level(group, number);
    this.#grown.push([level.current, level.current.rows]);
    const body = appendRow(level.current, at, sequence, parts);
    this.#hot.insert(group, number, level.nextKey++, body);
  }

  /** To be called between transactions: sets full segments aside, given the time of what comes next. */
  turnOver(group: number, at: Millis): void {
    if (!this.#isFull(group, 0, at)) return;
    this.#freeze(group, 0);
    while (this.#level(group, 0).frozen.length > MOST_FROZEN) this.sealStep();
  }

  /** Sets aside what is full at every level, and what nothing has been added to for long. */
  turnOverAll(now: Millis): void {
    for (const [group, levels] of this.#groups) {
      for (const level of levels.keys()) if (this.#isFull(group, level, now)) this.#freeze(group, level);
    }
  }

  /** Adds rows from elsewhere, oldest first, which `release` removes there once they are a block. */
  adopt(group: number, level: number, segment: Segment, release: () => void): void {
    this.#level(group, level).frozen.push({ segment, release });
  }

  /** An empty segment for rows of a level. */
  newSegment(level: number): Segment {
    return new Segment(this.#widths[level]!);
  }

  /** True where a segment should be sealed before a row at `at` comes; ticks are cut at full minutes, so that sums are whole. */
  #isFull(group: number, number: number, at: Millis): boolean {
    const { current } = this.#level(group, number);
    const { rows } = current;
    if (rows === 0) return false;
    const last = current.at[rows - 1]!;
    if (isApart(current, number, last, at)) return true;
    const limit = this.#blockRows ?? usualRows(current, number);
    if (number > 0) return rows >= limit;
    const minute = TIERS[0]!.widthMs;
    return rows >= limit && (rows >= 2 * limit || Math.floor(last / minute) !== Math.floor(at / minute));
  }

  #freeze(group: number, number: number): void {
    const level = this.#level(group, number);
    const [first, last] = [level.firstKey, level.nextKey - 1];
    level.frozen.push({ segment: level.current, release: () => this.#hot.remove(group, number, first, last) });
    // The next one will be about as long.
    level.current = level.spare ?? new Segment(this.#widths[number]!, Math.ceil(level.current.rows * 1.1));
    level.spare = null;
    level.firstKey = level.nextKey;
  }

  get hasFrozen(): boolean {
    for (const levels of this.#groups.values()) if (levels.some(({ frozen }) => frozen.length > 0)) return true;
    return false;
  }

  /** Does a small piece of the work of sealing; false where there is none left. */
  sealStep(): boolean {
    this.#sealing ??= this.#sealNext();
    if (this.#sealing === null) return false;
    try {
      if (this.#sealing.next().done) this.#sealing = null;
    } catch (error) {
      this.#sealing = null;
      throw error;
    }
    return true;
  }

  #sealNext(): Generator<void, void> | null {
    // Sums first: they are few, and are read the most.
    for (let number = LEVELS - 1; number >= 0; number--) {
      for (const [group, levels] of this.#groups) {
        const [next] = levels[number]!.frozen;
        if (next !== undefined) return this.#seal(group, number, next);
      }
    }
    return null;
  }

  *#seal(group: number, number: number, frozen: Frozen): Generator<void, void> {
    const { segment, release } = frozen;
    const level = this.#level(group, number);
    const intervalMs = number === 0 ? intervalOf(segment) : level.intervalMs;
    const block = { level: number, group, ...spanOf(segment), intervalMs };
    const body = yield* encodeBlock(segment);
    const info = this.#transaction(() => {
      release();
      if (number < TIERS.length) this.#sumUp(group, number, segment, intervalMs);
      return this.#blocks.insert(block, body);
    });
    this.#blocks.register(info);
    level.frozen.shift();
    if (this.readers > 0) return;
    segment.empty();
    level.spare = segment;
  }

  #sumUp(group: number, number: number, segment: Segment, intervalMs: Millis): void {
    const above = this.#level(group, number + 1);
    above.intervalMs = intervalMs;
    this.#rollUp.run(segment, number, widthOf(number + 1), (at, sequence, parts) => {
      if (this.#isFull(group, number + 1, at)) this.#freeze(group, number + 1);
      this.#append(group, number + 1, at, sequence, parts);
    });
  }

  #level(group: number, number: number): Level {
    let levels = this.#groups.get(group);
    if (levels === undefined) {
      levels = this.#widths.map((width) => ({
        current: new Segment(width),
        frozen: [],
        spare: null,
        firstKey: 0,
        nextKey: 0,
        intervalMs: 0,
      }));
      this.#groups.set(group, levels);
    }
    return levels[number]!;
  }

  groups(): readonly number[] {
    return [...this.#groups.keys()];
  }

  /** What is not sealed of a level, oldest first. */
  segments(level: number, group: number): readonly Segment[] {
    const found = this.#groups.get(group)?.[level];
    if (found === undefined) return [];
    const all = [...found.frozen.map(({ segment }) => segment), found.current];
    return all.filter(({ rows }) => rows > 0);
  }
}

function usualRows({ devices }: Segment, level: number): number {
  if (level > 0) return TIERS[level - 1]!.sealRows;
  return Math.min(MOST_ROWS, Math.max(LEAST_ROWS, Math.floor(DEVICE_ROWS / devices.size)));
}

/** True where time makes a jump. */
function isApart({ at, rows }: Segment, level: number, last: Millis, next: Millis): boolean {
  const interval = level > 0 ? widthOf(level) : rows > 1 ? last - at[rows - 2]! : 0;
  if (next >= last) return rows > 1 && next - last > Math.max(WIDE_MS, WIDE_INTERVALS * interval);
  return rows >= FEW_ROWS && last - next > Math.max(BACKWARDS_MS, 2 * widthOf(level));
}

function spanOf({ from, to, sequence, rows }: Segment): Omit<NewBlock, 'level' | 'group' | 'intervalMs'> {
  return { from, to, rows, firstSequence: sequence[0]!, lastSequence: sequence[rows - 1]! };
}

/**
 * The median distance of neighbouring ticks between two times, of a few hundred pairs if there are many; 0 where no two have
 * different times.
 */
export function intervalOf({ at, rows }: Segment, from = -Infinity, to = Infinity): Millis {
  const distances: number[] = [];
  const step = 1 + Math.floor(rows / MOST_PAIRS);
  for (let row = 1; row < rows; row += step) {
    if (at[row]! < from || at[row - 1]! < from || at[row]! >= to || at[row - 1]! >= to) continue;
    const distance = Math.abs(at[row]! - at[row - 1]!);
    if (distance > 0) distances.push(distance);
  }
  return medianOf(distances) ?? 0;
}
