import type { DatabaseSync } from 'node:sqlite';
import type { Millis } from '../model/reading.ts';
import type { BlockInfo, BlockTable } from './engine/block-table.ts';
import { LEVELS } from './engine/tiers.ts';

/** How much is kept of one kind of data: what is older goes, and the oldest while there is more. */
interface Limits {
  readonly ageMs: Millis;
  readonly bytes: number;
}

/** Limits by level: ticks, then minutes, five minutes and hours; and the age of events. */
export interface Retention {
  readonly levels: readonly Limits[];
  readonly eventsMs: Millis;
}

const DAY = 86_400_000;
const MIB = 2 ** 20;

/** A laptop with one GPU stays below 100 MB, a server with eight below 1 GB. */
export const USUAL_RETENTION: Retention = {
  levels: [
    { ageMs: 14 * DAY, bytes: 1024 * MIB },
    { ageMs: 60 * DAY, bytes: 256 * MIB },
    { ageMs: 365 * DAY, bytes: 256 * MIB },
    { ageMs: 1825 * DAY, bytes: 128 * MIB },
  ],
  eventsMs: 365 * DAY,
};

const FOREVER = Number.POSITIVE_INFINITY;

/** For a recording, whose times are long past. */
export const KEEP_ALL: Retention = {
  levels: Array.from({ length: LEVELS }, () => ({ ageMs: FOREVER, bytes: FOREVER })),
  eventsMs: FOREVER,
};

/** True where nothing is ever deleted. */
export function isEndless({ levels, eventsMs }: Retention): boolean {
  return eventsMs === FOREVER && levels.every(({ ageMs, bytes }) => ageMs === FOREVER && bytes === FOREVER);
}

/** Blocks, or rows of events, deleted in one transaction: a few milliseconds. */
const BLOCKS_PER_STEP = 8;
const ROWS_PER_STEP = 1000;
/** Pages given back to the file system in one step. */
const PAGES_PER_STEP = 200;
/** Free pages worth giving back. Fewer than this are soon filled again, and moving pages for them would be in vain. */
const FREE_SHARE = 0.1;

/**
 * Deletes what is beyond the limits at the time `now`, then shrinks the file if much of it is empty. Ends early on a
 * failing disk, with an error; the next round goes on where this one stopped.
 */
export function* pruneSteps(
  db: DatabaseSync,
  blocks: BlockTable,
  { levels, eventsMs }: Retention,
  now: Millis,
): Generator<void, null> {
  for (let level = 0; level < LEVELS; level++) {
    const expired = expiredBlocks(blocks, level, levels, now);
    for (let at = 0; at < expired.length; at += BLOCKS_PER_STEP) {
      blocks.remove(expired.slice(at, at + BLOCKS_PER_STEP));
      yield;
    }
  }
  yield* pruneEvents(db, now - eventsMs);
  yield* shrink(db);
  return null;
}

function expiredBlocks(
  blocks: BlockTable,
  level: number,
  limits: readonly Limits[],
  now: Millis,
): readonly BlockInfo[] {
  const { ageMs, bytes: most } = limits[level]!;
  const sorted = [...blocks.ofLevel(level)].sort((a, b) => a.to - b.to);
  let bytes = sorted.reduce((sum, block) => sum + block.bytes, 0);
  return sorted.filter((block) => {
    if (block.to >= now - ageMs && bytes <= most) return false;
    bytes -= block.bytes;
    return true;
  });
}

function* pruneEvents(db: DatabaseSync, before: Millis): Generator<void, void> {
  if (!Number.isFinite(before)) return;
  const remove = db.prepare(
    'DELETE FROM events WHERE sequence IN (SELECT sequence FROM events WHERE at < ? ORDER BY at LIMIT ?)',
  );
  while (Number(remove.run(before, ROWS_PER_STEP).changes) === ROWS_PER_STEP) yield;
  yield;
}

function* shrink(db: DatabaseSync): Generator<void, void> {
  while (pragma(db, 'freelist_count') > pragma(db, 'page_count') * FREE_SHARE) {
    db.exec(`PRAGMA incremental_vacuum(${PAGES_PER_STEP})`);
    yield;
  }
}

function pragma(db: DatabaseSync, name: 'freelist_count' | 'page_count'): number {
  return Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);
}

/**
 * For how many days of ticks there is room, at the pace of the newest day; null while nothing is sealed. `freeBytes` is
 * what is left on the disk.
 */
export function daysThatFit(blocks: BlockTable, { levels }: Retention, freeBytes: number): number | null {
  const ticks = [...blocks.ofLevel(0)];
  const newest = ticks.reduce((latest, { to }) => Math.max(latest, to), Number.NEGATIVE_INFINITY);
  const recent = ticks.filter(({ to }) => to > newest - DAY);
  const groups = new Set(recent.map(({ group }) => group)).size;
  const perDay = (recent.reduce((sum, block) => sum + bytesPerDay(block), 0) / recent.length) * groups;
  if (!(perDay > 0)) return null;
  const used = ticks.reduce((sum, { bytes }) => sum + bytes, 0);
  return Math.min(levels[0]!.bytes, used + freeBytes) / perDay;
}

/** Bytes that blocks like this one take a day. */
function bytesPerDay({ bytes, from, to, intervalMs }: BlockInfo): number {
  const span = to - from + intervalMs;
  return span > 0 ? (bytes / span) * DAY : 0;
}
