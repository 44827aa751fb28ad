import type { DatabaseSync } from 'node:sqlite';
import type { Origin } from '../model/ports.ts';
import { StoreError } from './store-error.ts';

/** Raised when an older gpulse could not read the database any more. A new metric does not raise it. */
const FORMAT = 2;
/** The format whose samples are one row per device and tick. */
const ROWS_FORMAT = 1;

const DEVICES = `
  CREATE TABLE devices (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    uuid_is_derived INTEGER NOT NULL,
    vendor TEXT NOT NULL,
    name TEXT NOT NULL,
    "index" INTEGER NOT NULL,
    pci_bus_id TEXT,
    minor INTEGER,
    serial TEXT,
    driver_version TEXT,
    more TEXT
  ) STRICT;`;

const EVENTS = `
  CREATE TABLE events (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    severity TEXT NOT NULL,
    uuid TEXT,
    params TEXT NOT NULL,
    key TEXT
  ) STRICT;
  CREATE INDEX events_by_time ON events (at);`;

const SAMPLES = `
  CREATE UNIQUE INDEX events_by_key ON events (key) WHERE key IS NOT NULL;
  CREATE TABLE metrics (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE hot (id INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT;
  CREATE TABLE blocks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    level INTEGER NOT NULL,
    grp INTEGER NOT NULL,
    from_at INTEGER NOT NULL,
    to_at INTEGER NOT NULL,
    first_sequence INTEGER NOT NULL,
    last_sequence INTEGER NOT NULL,
    rows INTEGER NOT NULL,
    interval_ms INTEGER NOT NULL,
    body BLOB NOT NULL
  ) STRICT;`;

const TABLES = `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value ANY NOT NULL) WITHOUT ROWID, STRICT;
  ${DEVICES} ${EVENTS} ${SAMPLES}`;

/** The samples of the older format wait under another name until they have become blocks. */
const FROM_ROWS = `
  ALTER TABLE samples RENAME TO old_samples;
  ALTER TABLE devices ADD COLUMN more TEXT;
  ALTER TABLE events ADD COLUMN key TEXT;
  ${SAMPLES}
  INSERT INTO metrics (name) SELECT name FROM pragma_table_info('old_samples')
    WHERE name NOT IN ('device', 'at', 'sequence') ORDER BY cid;`;

/**
 * Small pages: what a block does not fill of its last page is lost, and a laptop with one GPU has blocks of a few kilobytes.
 * Taken, as the mode of the vacuum, only by a database without tables.
 */
const NEW_FILE = 'PRAGMA page_size = 2048; PRAGMA auto_vacuum = INCREMENTAL';

/** Makes the database of an opened file ready for one origin, or refuses what must not be written to. */
export function prepareSchema(db: DatabaseSync, path: string, origin: Origin): void {
  const isNew = db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
  const format = isNew ? FORMAT : checkedFormat(db, path, origin);
  if (isNew) db.exec(NEW_FILE);
  db.exec('PRAGMA journal_mode = WAL');
  if (!isNew && format === FORMAT) return;
  db.exec('BEGIN IMMEDIATE');
  db.exec(isNew ? TABLES : FROM_ROWS);
  writeMeta(db, 'format', FORMAT);
  writeMeta(db, 'origin', origin);
  db.exec('COMMIT');
}

/** Makes sure that a database is one that can be read as it is; fails as {@link prepareSchema} does, or with NO_HISTORY. */
export function checkSchema(db: DatabaseSync, path: string): void {
  const format = formatOf(db, path);
  if (format < FORMAT) throw new StoreError('HISTORY_OLD_FORMAT', { path });
}

/** True while samples of the older format wait to become blocks. */
export function hasOldRows(db: DatabaseSync): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'old_samples'").get() !== undefined;
}

export function readMeta(db: DatabaseSync, key: string): number | string | null {
  const row = db.prepare('SELECT value FROM meta WHERE key = ?').get(key);
  const value = row?.['value'];
  return typeof value === 'number' || typeof value === 'string' ? value : null;
}

export function writeMeta(db: DatabaseSync, key: string, value: number | string): void {
  // A JavaScript number would be stored as 1.0.
  const stored = typeof value === 'number' ? BigInt(value) : value;
  db.prepare('INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value').run(key, stored);
}

export function removeMeta(db: DatabaseSync, key: string): void {
  db.prepare('DELETE FROM meta WHERE key = ?').run(key);
}

function checkedFormat(db: DatabaseSync, path: string, origin: Origin): number {
  const format = formatOf(db, path);
  const found = readMeta(db, 'origin');
  if (found !== origin) {
    throw new StoreError('HISTORY_OTHER_ORIGIN', { path, found: found ?? '?', wanted: origin });
  }
  return format;
}

function formatOf(db: DatabaseSync, path: string): number {
  const hasMeta = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'meta'").get() !== undefined;
  const format = hasMeta ? readMeta(db, 'format') : null;
  if (typeof format !== 'number' || format < ROWS_FORMAT) {
    throw new StoreError('HISTORY_UNUSABLE', { path, detail: 'history.db is a database of another program' });
  }
  if (format > FORMAT) throw new StoreError('HISTORY_NEWER_FORMAT', { path, found: format, known: FORMAT });
  return format;
}
