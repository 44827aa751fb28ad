import type { DatabaseSync } from 'node:sqlite';
import type { Origin } from '../model/ports.ts';
import type { Column } from './protocol.ts';
import { StoreError } from './store-error.ts';

/** Raised when an older gpulse could not read the database any more. A new metric column does not raise it. */
const FORMAT = 1;

/**
 * Samples are kept in the order device, time, sequence: a query for one device reads neighbouring pages once, which
 * makes a day four times as fast as a table in order of arrival with an index. The sequence grows by one with every
 * tick, so equal times and a clock that is set back never overwrite a row.
 */
const TABLES = `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value ANY NOT NULL) WITHOUT ROWID, STRICT;
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
    driver_version TEXT
  ) STRICT;
  CREATE TABLE samples (
    device INTEGER NOT NULL,
    at INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    PRIMARY KEY (device, at, sequence)
  ) WITHOUT ROWID;
  CREATE TABLE events (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    severity TEXT NOT NULL,
    uuid TEXT,
    params TEXT NOT NULL
  ) STRICT;
  CREATE INDEX events_by_time ON events (at);
`;

/**
 * Makes the database of an opened file ready for one origin: creates the tables in a new file, refuses what must not be
 * written to, and adds a column for every metric that has none. Columns of metrics this gpulse does not know stay.
 */
export function prepareSchema(db: DatabaseSync, path: string, origin: Origin, columns: readonly Column[]): void {
  const isNew = db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
  if (!isNew) checkIsOurs(db, path, origin);
  // Only a database without tables takes the mode of its vacuum.
  db.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL');
  const missing = isNew ? columns : missingColumns(db, columns);
  if (missing.length === 0) return;
  db.exec('BEGIN IMMEDIATE');
  if (isNew) {
    db.exec(TABLES);
    writeMeta(db, 'format', FORMAT);
    writeMeta(db, 'origin', origin);
  }
  for (const { id, isBits } of missing)
    db.exec(`ALTER TABLE samples ADD COLUMN "${id}" ${isBits ? 'INTEGER' : 'REAL'}`);
  db.exec('COMMIT');
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

function checkIsOurs(db: DatabaseSync, path: string, origin: Origin): void {
  const hasMeta = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'meta'").get() !== undefined;
  const format = hasMeta ? readMeta(db, 'format') : null;
  if (typeof format !== 'number') {
    throw new StoreError('HISTORY_UNUSABLE', { path, detail: 'history.db is a database of another program' });
  }
  if (format > FORMAT) throw new StoreError('HISTORY_NEWER_FORMAT', { path, found: format, known: FORMAT });
  const found = readMeta(db, 'origin');
  if (found !== origin) {
    throw new StoreError('HISTORY_OTHER_ORIGIN', { path, found: found ?? '?', wanted: origin });
  }
}

function missingColumns(db: DatabaseSync, columns: readonly Column[]): readonly Column[] {
  const rows = db.prepare("SELECT name FROM pragma_table_info('samples')").all();
  const present = new Set(rows.map((row) => row['name']));
  return columns.filter((column) => !present.has(column.id));
}
