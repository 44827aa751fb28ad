import { statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ErrorData } from '../model/errors.ts';
import type { Extent, RangeQuery } from '../model/ports.ts';
import type { Millis } from '../model/reading.ts';
import type { DeviceTable } from './device-table.ts';
import { BlockTable } from './engine/block-table.ts';
import { HotTable } from './engine/hot-table.ts';
import { type Layout, layoutOf, type RowPart } from './engine/row-log.ts';
import { groupOf, SampleLog, type Transaction } from './engine/sample-log.ts';
import { SUMMED } from './engine/sum.ts';
import type { EventTable } from './event-table.ts';
import { extentOf } from './extent.ts';
import type { Release } from './lock.ts';
import { MetricTable } from './metric-table.ts';
import { convertOldRows } from './old-rows.ts';
import { type OpenFile, openFile } from './open-file.ts';
import type { Batch, Column, GridData, StoreOptions, StoreState } from './protocol.ts';
import { daysThatFit, pruneSteps, type Retention } from './retention.ts';
import { salvage, salvagedIn } from './salvage/salvage.ts';
import { type RangeTarget, scanRange } from './scan.ts';
import { isDamage, storeError } from './store-error.ts';

/** A tick with its rows by group of devices. */
interface GroupedTick {
  readonly at: Millis;
  readonly sequence: number;
  readonly groups: Map<number, RowPart[]>;
}

/** The history in one directory, single-threaded and blocking: the worker owns one. Every failure is a StoreError. */
export class Store {
  readonly path: string;
  readonly devices: DeviceTable;
  readonly events: EventTable;
  readonly #columns: readonly Column[];
  readonly #retention: Retention;
  readonly #db: DatabaseSync;
  readonly #release: Release;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #metrics: MetricTable;
  readonly #layout: Layout;
  readonly #blocks: BlockTable;
  readonly #log: SampleLog;
  /** Device ids by the handle a batch uses. */
  readonly #ids: number[] = [];
  #sequence: number;

  /** Opens or creates it. Fails with HISTORY_LOCKED, _UNUSABLE, _OTHER_ORIGIN, _NEWER_FORMAT or _DISK_FULL. */
  static open(options: StoreOptions): Store {
    try {
      return Store.#open(options);
    } catch (error) {
      if (options.isDamaged === true || !isDamage(error)) throw error;
      return Store.#open({ ...options, isDamaged: true });
    }
  }

  static #open(options: StoreOptions): Store {
    const opened = openFile(options);
    try {
      return new Store(options, opened);
    } catch (error) {
      opened.db.close();
      opened.release();
      throw storeError(error, options.directory, 'HISTORY_UNUSABLE');
    }
  }

  private constructor({ directory, columns, retention, blockRows }: StoreOptions, file: OpenFile) {
    const { db, release, devices, events } = file;
    this.path = directory;
    this.devices = devices;
    this.events = events;
    this.#columns = columns;
    this.#retention = retention;
    this.#db = db;
    this.#release = release;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#metrics = MetricTable.complete(db, columns);
    const numbers = columns.map(({ id }) => this.#metrics.numberOf(id)!);
    this.#layout = layoutOf(numbers);
    const summed = new Uint8Array(this.#metrics.width).fill(SUMMED.unknown);
    for (const [place, number] of numbers.entries()) summed[number] = columns[place]!.summed;
    this.#blocks = new BlockTable(db);
    const transaction: Transaction = (run) => this.#transaction(run);
    this.#log = new SampleLog(this.#blocks, new HotTable(db), summed, transaction, blockRows);
    this.#sequence = Math.max(this.#log.nextSequence, file.firstSequence);
  }

  /** Writes a batch all or nothing. The error says whether the same batch may be written later. */
  write(batch: Batch): void {
    try {
      // On their own, since later batches count on them whatever becomes of this one.
      for (const { handle, device } of batch.devices) this.#ids[handle] = this.devices.put(device);
      const ticks = this.#ticksOf(batch);
      for (const [group] of ticks[0]?.groups ?? []) this.#log.turnOver(group, ticks[0]!.at);
      this.#log.write(() => {
        for (const { at, sequence, groups } of ticks) {
          for (const [group, parts] of groups) this.#log.append(group, at, sequence, parts);
        }
        for (const event of batch.events) this.events.add(event);
      });
      this.#sequence += ticks.length;
    } catch (error) {
      throw storeError(error, this.path, 'HISTORY_WRITE_FAILED');
    }
  }

  /** The ticks of a batch with their rows by group; those without any row are left out. */
  #ticksOf({ cells, codes, used }: Batch): readonly GroupedTick[] {
    const width = this.#columns.length;
    const ticks: GroupedTick[] = [];
    for (let at = 0; at < used; ) {
      const tick: GroupedTick = { at: cells[at++]!, sequence: this.#sequence + ticks.length, groups: new Map() };
      for (let rows = cells[at++]!; rows > 0; rows--) {
        const device = this.#ids[cells[at]!]!;
        const part = { device, state: codes[at]!, values: cells, codes, offset: at + 1, layout: this.#layout };
        at += 1 + width;
        const group = groupOf(device);
        const parts = tick.groups.get(group);
        if (parts === undefined) tick.groups.set(group, [part]);
        else parts.push(part);
      }
      if (tick.groups.size > 0) ticks.push(tick);
    }
    return ticks;
  }

  #transaction<Result>(run: () => Result): Result {
    this.#begin.run();
    try {
      const result = run();
      this.#commit.run();
      return result;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  /** True while full segments wait to become blocks. */
  get hasWork(): boolean {
    return this.#log.hasFrozen;
  }

  /** Turns what is full into blocks, in steps of a millisecond or so. */
  *seal(): Generator<void, null> {
    while (this.#log.sealStep()) yield;
    return null;
  }

  /** Takes over what an older format or a damaged file holds, in steps; null where there is nothing. */
  takeOver(): Generator<void, null> | null {
    const salvaging = salvage(this.#db, this.path, this.#blocks, this.#log);
    return salvaging ?? convertOldRows(this.#db, this.#log, this.#metrics);
  }

  /** Reads in steps of a millisecond or so, so that writing can go on in between. */
  range(query: RangeQuery): Generator<void, GridData> {
    const groups = new Map<number, { id: number; place: number }[]>();
    for (const [place, uuid] of query.devices.entries()) {
      const id = this.devices.idOf(uuid);
      if (id === null) continue;
      const group = groupOf(id);
      groups.set(group, [...(groups.get(group) ?? []), { id, place }]);
    }
    const columns = query.metrics.map((id) => {
      const known = this.#columns.find((column) => column.id === id);
      return { id, summed: known?.summed ?? 0, number: known === undefined ? null : this.#metrics.numberOf(id) };
    });
    const target: RangeTarget = { groups, devices: query.devices.length, columns };
    return this.#scan(query, target);
  }

  *#scan(query: RangeQuery, target: RangeTarget): Generator<void, GridData> {
    this.#log.readers++;
    try {
      return yield* scanRange({ blocks: this.#blocks, log: this.#log }, query, target);
    } finally {
      this.#log.readers--;
    }
  }

  /** Deletes what is beyond the limits at the time `now`, in small steps. */
  prune(now: Millis): Generator<void, null> {
    this.#log.turnOverAll(now);
    return pruneSteps(this.#db, this.#blocks, this.#retention, now);
  }

  extent(): Extent | null {
    return extentOf(this.#blocks, this.#log);
  }

  state(): StoreState {
    const file = join(this.path, 'history.db');
    const sizes = [file, `${file}-wal`].map((name) => statSync(name, { throwIfNoEntry: false })?.size ?? 0);
    const { bavail, bsize } = statfsSync(this.path);
    return {
      bytes: sizes.reduce((sum, size) => sum + size, 0),
      daysThatFit: daysThatFit(this.#blocks, this.#retention, bavail * bsize),
      damage: this.#damage(),
    };
  }

  #damage(): ErrorData | null {
    const salvaged = salvagedIn(this.#db, this.path);
    if (salvaged !== null) return { code: 'HISTORY_SALVAGED', params: { path: this.path, ...salvaged } };
    const [blocks, rows] = [this.#blocks.damaged, this.#log.lostRows];
    return blocks + rows === 0 ? null : { code: 'HISTORY_DAMAGED', params: { path: this.path, blocks, rows } };
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
