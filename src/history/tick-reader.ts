import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CATALOGUE, type MetricId } from '../model/catalogue.ts';
import type { Device } from '../model/device.ts';
import { toAppError } from '../model/errors.ts';
import type { GpuEvent } from '../model/event.ts';
import type { EventQuery, Extent, StoredSample, StoredTick, TickReader } from '../model/ports.ts';
import type { Millis } from '../model/reading.ts';
import type { ReadingSet } from '../model/reading-set.ts';
import { DeviceTable } from './device-table.ts';
import { BlockTable } from './engine/block-table.ts';
import { HotTable } from './engine/hot-table.ts';
import type { RowTable } from './engine/row-table.ts';
import { SampleLog } from './engine/sample-log.ts';
import { EventTable } from './event-table.ts';
import { extentOf } from './extent.ts';
import { GroupCursor, type StoredRow } from './group-cursor.ts';
import { HOST_UUID } from './host-device.ts';
import { MetricTable } from './metric-table.ts';
import { checkSchema, hasOldRows } from './schema.ts';
import { StoreError, storeError } from './store-error.ts';
import { appError } from './worker-link.ts';

const BUSY_MS = 5000;
/** Ticks between two turns of the event loop. */
const TICKS_PER_TURN = 256;

/**
 * Opens the history in a directory for reading, whether a process writes it or not. Throws NO_HISTORY, HISTORY_OLD_FORMAT,
 * HISTORY_NEWER_FORMAT or HISTORY_UNUSABLE.
 */
export function openTickReader(directory: string): TickReader {
  try {
    return openFile(directory);
  } catch (error) {
    throw appError(storeError(error, directory, 'HISTORY_UNUSABLE').data);
  }
}

function openFile(directory: string): TickReader {
  const file = join(directory, 'history.db');
  if (!existsSync(file)) throw new StoreError('NO_HISTORY', { path: directory });
  const db = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS });
  try {
    checkSchema(db, directory);
    // One moment of the file; blocks are read later, each for itself, so that the writer's log does not grow meanwhile.
    db.exec('BEGIN');
    const reader = new FileReader(db);
    db.exec('COMMIT');
    return reader;
  } catch (error) {
    db.close();
    throw error;
  }
}

class FileReader implements TickReader {
  readonly isComplete: boolean;
  readonly #db: DatabaseSync;
  readonly #devices: ReadonlyMap<number, Device>;
  readonly #metrics: MetricTable;
  readonly #blocks: BlockTable;
  readonly #log: SampleLog;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.isComplete = !hasOldRows(db);
    this.#devices = new DeviceTable(db).byId();
    this.#metrics = new MetricTable(db);
    this.#blocks = new BlockTable(db);
    // Nothing is written through it, and nothing summed up.
    this.#log = new SampleLog(this.#blocks, new HotTable(db), new Uint8Array(this.#metrics.width), (run) => run());
  }

  get damaged(): number {
    return this.#blocks.damaged + this.#log.lostRows;
  }

  devices(): readonly Device[] {
    return [...this.#devices.values()].filter(({ uuid }) => uuid !== HOST_UUID);
  }

  extent(): Extent | null {
    return extentOf(this.#blocks, this.#log);
  }

  async metrics(from: Millis, to: Millis): Promise<readonly MetricId[]> {
    const present = new Set<number>();
    for (const group of this.#groups()) {
      for (const table of this.#tables(group, from, to)) for (const column of presentIn(table)) present.add(column);
    }
    return CATALOGUE.filter(({ id }) => present.has(this.#metrics.numberOf(id) ?? -1)).map(({ id }) => id);
  }

  async *ticks(from: Millis, to: Millis): AsyncGenerator<StoredTick> {
    const columns = CATALOGUE.map(({ id }) => this.#metrics.numberOf(id));
    const cursors = this.#groups().map((group) => new GroupCursor(this.#tables(group, from, to), columns, from, to));
    for (let count = 1; ; count++) {
      const open = cursors.filter((cursor) => cursor.sequence !== null);
      if (open.length === 0) return;
      const next = Math.min(...open.map(({ sequence }) => sequence!));
      const due = open.filter(({ sequence }) => sequence === next);
      yield this.#tick(
        due[0]!.at,
        due.flatMap((cursor) => cursor.take()),
      );
      if (count % TICKS_PER_TURN === 0) await nextTurn();
    }
  }

  events(query: EventQuery): readonly GpuEvent[] {
    return new EventTable(this.#db).find(query);
  }

  #tick(at: Millis, rows: readonly StoredRow[]): StoredTick {
    const samples: StoredSample[] = [];
    let host: ReadingSet | null = null;
    for (const { device: id, state, readings } of rows) {
      const device = this.#devices.get(id);
      if (device === undefined) continue;
      if (device.uuid === HOST_UUID) host = readings;
      else samples.push({ device, state, readings });
    }
    samples.sort((a, b) => a.device.index - b.device.index || (a.device.uuid < b.device.uuid ? -1 : 1));
    return { at, samples, host };
  }

  #groups(): readonly number[] {
    const sealed = [...this.#blocks.ofLevel(0)].map(({ group }) => group);
    return [...new Set([...sealed, ...this.#log.groups()])];
  }

  /** The tables of ticks of a group, in the order of their ticks; each is read when its turn comes. */
  *#tables(group: number, from: Millis, to: Millis): Generator<RowTable> {
    const wanted = this.#blocks.list(0, group).filter((block) => block.from < to && block.to >= from);
    for (const info of wanted.sort((a, b) => a.firstSequence - b.firstSequence)) {
      const block = this.#blocks.read(info);
      if (block !== null) yield block;
    }
    for (const segment of this.#log.segments(0, group)) {
      if (segment.from < to && segment.to >= from) yield segment;
    }
  }

  close(): void {
    try {
      this.#db.close();
    } catch (error) {
      throw toAppError(error);
    }
  }
}

/** Columns that hold a value at any row. */
function* presentIn(table: RowTable): Generator<number> {
  for (const device of table.deviceIds()) {
    for (const column of table.columnsOf(device)) if (table.holdsValues(device, column)) yield column;
  }
}
