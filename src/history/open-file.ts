import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DeviceTable } from './device-table.ts';
import { makeDirectory } from './directory.ts';
import { EventTable } from './event-table.ts';
import { lockDirectory, type Release } from './lock.ts';
import type { StoreOptions } from './protocol.ts';
import { finishReplacing, isSalvaging, replaceDamaged } from './salvage/salvage.ts';
import { prepareSchema, readMeta } from './schema.ts';
import { storeError } from './store-error.ts';

/** Another program may hold the database for a moment, such as somebody's sqlite3 that writes to it. */
const BUSY_MS = 1000;

/**
 * A commit is safe against the death of the process at once, against a power cut with the next checkpoint. The page
 * cache is small because the kernel caches the file anyway, and the log is short because it counts as used space.
 */
const PRAGMAS =
  'PRAGMA synchronous = NORMAL; PRAGMA cache_size = -1024; PRAGMA wal_autocheckpoint = 500; PRAGMA journal_size_limit = 4194304';

/** The database of a directory that this process alone writes. */
export interface OpenFile {
  readonly db: DatabaseSync;
  readonly release: Release;
  readonly devices: DeviceTable;
  readonly events: EventTable;
  /** Ticks are numbered from here on at least. */
  readonly firstSequence: number;
}

/**
 * Locks the directory and opens or creates its database. A new one takes the place of one that is known to be damaged, if
 * that holds anything of ours. Fails with a StoreError.
 */
export function openFile({ directory, origin, columns, isDamaged = false }: StoreOptions): OpenFile {
  const undo: Release[] = [];
  try {
    makeDirectory(directory);
    const release = lockDirectory(directory);
    undo.push(release);
    finishReplacing(directory);
    if (isDamaged) replaceDamaged(directory, origin, columns);
    const db = new DatabaseSync(join(directory, 'history.db'), { timeout: BUSY_MS });
    undo.push(() => db.close());
    db.exec(PRAGMAS);
    prepareSchema(db, directory, origin);
    return { db, release, devices: new DeviceTable(db), events: new EventTable(db), firstSequence: firstSequence(db) };
  } catch (error) {
    for (const step of undo.reverse()) step();
    throw storeError(error, directory, 'HISTORY_UNUSABLE');
  }
}

/** Behind every number that was given before, those in a damaged file included: these count ticks, not milliseconds. */
function firstSequence(db: DatabaseSync): number {
  return isSalvaging(db) ? Date.now() : Number(readMeta(db, 'sequence') ?? 0);
}
