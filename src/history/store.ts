import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { Extent, RangeQuery } from '../model/ports.ts';
import type { Millis } from '../model/reading.ts';
import { DeviceTable } from './device-table.ts';
import { makeDirectory } from './directory.ts';
import { EventTable } from './event-table.ts';
import { lockDirectory, type Release } from './lock.ts';
import type { Batch, Column, GridData, StoreOptions } from './protocol.ts';
import { pruneSteps } from './retention.ts';
import { scanRange } from './scan.ts';
import { prepareSchema, readMeta, writeMeta } from './schema.ts';
import { storeError } from './store-error.ts';

/** Sequence numbers set aside at once: the counter is written once per so many ticks, and none is ever used twice. */
const SEQUENCE_BLOCK = 4096;
/** Another program may hold the database for a moment, such as somebody's sqlite3 that writes to it. */
const BUSY_MS = 1000;

/**
 * A commit is safe against the death of the process at once, against a power cut with the next checkpoint. The page
 * cache is small because the kernel caches the file anyway.
 */
const PRAGMAS = 'PRAGMA synchronous = NORMAL; PRAGMA cache_size = -2048; PRAGMA journal_size_limit = 8388608';

/** The history in one directory, single-threaded and blocking: the worker owns one. Every failure is a StoreError. */
export class Store {
  readonly path: string;
  readonly devices: DeviceTable;
  readonly events: EventTable;
  readonly #columns: readonly Column[];
  readonly #db: DatabaseSync;
  readonly #release: Release;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #insert: StatementSync;
  readonly #oldest: StatementSync;
  readonly #newest: StatementSync;
  /** Device ids by the handle a batch uses. */
  readonly #ids: number[] = [];
  #sequence: number;
  #sequenceEnd: number;

  /** Opens or creates it. Fails with HISTORY_LOCKED, _UNUSABLE, _OTHER_ORIGIN, _NEWER_FORMAT or _DISK_FULL. */
  static open(options: StoreOptions): Store {
    const { directory, origin, columns } = options;
    const undo: Release[] = [];
    try {
      makeDirectory(directory);
      const release = lockDirectory(directory);
      undo.push(release);
      const db = new DatabaseSync(join(directory, 'history.db'), { timeout: BUSY_MS });
      undo.push(() => db.close());
      db.exec(PRAGMAS);
      prepareSchema(db, directory, origin, columns);
      return new Store(directory, columns, db, release);
    } catch (error) {
      for (const step of undo.reverse()) step();
      throw storeError(error, directory, 'HISTORY_UNUSABLE');
    }
  }

  private constructor(path: string, columns: readonly Column[], db: DatabaseSync, release: Release) {
    this.path = path;
    this.#columns = columns;
    this.#db = db;
    this.#release = release;
    this.devices = new DeviceTable(db);
    this.events = new EventTable(db);
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    const names = ['device', 'at', 'sequence', ...columns.map(({ id }) => `"${id}"`)];
    const marks = names.map(() => '?');
    this.#insert = db.prepare(`INSERT OR REPLACE INTO samples (${names.join()}) VALUES (${marks.join()})`);
    this.#oldest = db.prepare('SELECT min(at) AS at FROM samples WHERE device = ?');
    this.#newest = db.prepare('SELECT max(at) AS at FROM samples WHERE device = ?');
    this.#sequence = Number(readMeta(db, 'sequence') ?? 0);
    this.#sequenceEnd = this.#sequence;
  }

  /** Writes the samples and events of a batch in one transaction: all of them or, when this throws, none. */
  write(batch: Batch): void {
    const sequence = this.#sequence;
    try {
      // On their own, since later batches count on them whatever becomes of this one.
      for (const { handle, device } of batch.devices) this.#ids[handle] = this.devices.put(device);
      this.#begin.run();
      this.#writeSamples(batch.cells);
      for (const event of batch.events) this.events.add(event);
      const end = this.#reserve(this.#sequence);
      this.#commit.run();
      this.#sequenceEnd = end;
    } catch (error) {
      this.#sequence = sequence;
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw storeError(error, this.path, 'HISTORY_WRITE_FAILED');
    }
  }

  #writeSamples(cells: Float64Array): void {
    const width = this.#columns.length;
    const row: SQLInputValue[] = new Array(3 + width).fill(null);
    for (let at = 0; at < cells.length; ) {
      row[1] = cells[at++]!;
      row[2] = this.#sequence++;
      for (let rows = cells[at++]!; rows > 0; rows--) {
        row[0] = this.#ids[cells[at++]!]!;
        for (let slot = 0; slot < width; slot++) {
          const value = cells[at++]!;
          row[3 + slot] = Number.isNaN(value) ? null : value;
        }
        this.#insert.run(...row);
      }
    }
  }

  /** Writes the counter where the block set aside is used up; returns the end of the block that then holds. */
  #reserve(used: number): number {
    if (used <= this.#sequenceEnd) return this.#sequenceEnd;
    const end = used + SEQUENCE_BLOCK;
    writeMeta(this.#db, 'sequence', end);
    return end;
  }

  /** Reads in steps of some 20 ms, so that writing can go on in between. */
  range(query: RangeQuery): Generator<void, GridData> {
    const ids = query.devices.map((uuid) => this.devices.idOf(uuid));
    const columns = query.metrics.map((id) => this.#columns.find((column) => column.id === id) ?? null);
    return scanRange(this.#db, query, ids, columns);
  }

  /** Deletes what is older, in small steps. */
  prune(before: Millis): Generator<void, null> {
    return pruneSteps(this.#db, this.devices.ids(), before);
  }

  extent(): Extent | null {
    const ends = (statement: StatementSync) =>
      this.devices
        .ids()
        .map((id) => statement.get(id)?.['at'])
        .filter((at) => typeof at === 'number');
    const oldest = ends(this.#oldest);
    return oldest.length === 0 ? null : { from: Math.min(...oldest), to: Math.max(...ends(this.#newest)) };
  }

  /** What it takes on the disk, the log of fresh writes included. */
  bytes(): number {
    const file = join(this.path, 'history.db');
    return [file, `${file}-wal`].reduce((sum, name) => sum + (statSync(name, { throwIfNoEntry: false })?.size ?? 0), 0);
  }

  /** Leaves one file without a log beside it, and the directory free for others. */
  close(): void {
    try {
      this.#db.close();
    } finally {
      this.#release();
    }
  }
}
