import type { DatabaseSync } from 'node:sqlite';
import type { Millis } from '../model/reading.ts';

/** Rows deleted in one transaction: some 10 ms. */
const ROWS_PER_STEP = 1000;
/** Pages given back to the file system in one step. */
const PAGES_PER_STEP = 100;
/** Free pages worth giving back. Fewer than this are soon filled again, and moving pages for them would be in vain. */
const FREE_SHARE = 0.1;

/**
 * Deletes samples and events older than `before`, then shrinks the file if much of it is empty. Ends early on a failing
 * disk, with an error; the next round goes on where this one stopped.
 */
export function* pruneSteps(db: DatabaseSync, deviceIds: readonly number[], before: Millis): Generator<void, null> {
  for (const id of deviceIds) yield* deleteInSteps(db, 'samples', 'device = ? AND', [id], before);
  yield* deleteInSteps(db, 'events', '', [], before);
  yield* shrink(db);
  return null;
}

function* deleteInSteps(
  db: DatabaseSync,
  table: 'samples' | 'events',
  condition: string,
  args: readonly number[],
  before: Millis,
): Generator<void, void> {
  const findEnd = db.prepare(`SELECT at FROM ${table} WHERE ${condition} at < ? ORDER BY at LIMIT 1 OFFSET ?`);
  const remove = db.prepare(`DELETE FROM ${table} WHERE ${condition} at < ?`);
  for (let isLast = false; !isLast; ) {
    const end = findEnd.get(...args, before, ROWS_PER_STEP)?.['at'];
    isLast = typeof end !== 'number';
    remove.run(...args, typeof end === 'number' ? end + 1 : before);
    yield;
  }
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
