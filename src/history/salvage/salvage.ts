import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Origin } from '../../model/ports.ts';
import type { BlockTable } from '../engine/block-table.ts';
import { type HotRow, placeOf } from '../engine/hot-table.ts';
import { replayRow, startsSegment } from '../engine/row-log.ts';
import type { SampleLog } from '../engine/sample-log.ts';
import type { Segment } from '../engine/segment.ts';
import type { Column } from '../protocol.ts';
import { prepareSchema, readMeta, removeMeta, writeMeta } from '../schema.ts';
import { StoreError } from '../store-error.ts';
import { blocksIn, type Finds, findAll } from './finds.ts';
import { PageFile } from './pages.ts';

/** The new database, until it takes the place of the damaged one. */
const NEW = 'history.new.db';
/** Name of the damaged file, while what it holds is being taken over. */
const PENDING = 'salvage';
/** What came of it, as JSON, for as long as the damaged file is there. */
const RESULT = 'salvaged';

/** What could be taken over from a damaged file. */
interface Salvaged {
  /** Name of the damaged file. */
  readonly file: string;
  /** Ticks taken over, and ticks missing in between. */
  readonly ticks: number;
  readonly missing: number;
  /** Time of the newest one, in ISO 8601. */
  readonly until: string;
}

/**
 * Puts a new database in the place of a damaged one, which is kept under another name and from which {@link salvage} takes
 * over what is whole. Where the file holds nothing of ours, or there is no room, nothing happens to it.
 */
export function replaceDamaged(directory: string, origin: Origin, columns: readonly Column[]): void {
  const path = join(directory, 'history.db');
  const file = new PageFile(path);
  const finds = findAll(file);
  file.close();
  if (finds.blocks === 0 && !hasMetrics(finds, columns)) return;
  if (finds.origin !== null && finds.origin !== origin) {
    throw new StoreError('HISTORY_OTHER_ORIGIN', { path: directory, found: finds.origin, wanted: origin });
  }
  const name = `history.damaged-${new Date().toISOString().replaceAll(/[-:]|\..*/g, '')}.db`;
  createNew(directory, origin, name, finds);
  if (existsSync(`${path}-wal`)) renameSync(`${path}-wal`, join(directory, `${name}-wal`));
  rmSync(`${path}-shm`, { force: true });
  renameSync(path, join(directory, name));
  renameSync(join(directory, NEW), path);
}

/** Goes on where {@link replaceDamaged} was interrupted. */
export function finishReplacing(directory: string): void {
  const path = join(directory, 'history.db');
  if (!existsSync(path) && existsSync(join(directory, NEW))) renameSync(join(directory, NEW), path);
}

/** Makes the new database, whole and without a log beside it. */
function createNew(directory: string, origin: Origin, name: string, finds: Finds): void {
  const path = join(directory, NEW);
  rmSync(path, { force: true });
  const db = new DatabaseSync(path);
  try {
    prepareSchema(db, directory, origin);
    takeOverNames(db, name, finds);
    db.close();
  } catch (error) {
    db.close();
    for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
    throw error;
  }
}

/** True where the names of metrics show whose file it was. */
function hasMetrics({ metrics }: Finds, columns: readonly Column[]): boolean {
  const names = new Set(metrics.values());
  return columns.some(({ id }) => names.has(id));
}

/** Puts into a new database what must be there before anything else: who the numbers in the blocks mean. */
function takeOverNames(db: DatabaseSync, name: string, { metrics, devices, events }: Finds): void {
  const addMetric = db.prepare('INSERT INTO metrics (id, name) VALUES (?, ?)');
  const addDevice = db.prepare('INSERT OR IGNORE INTO devices VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const addEvent = db.prepare(
    'INSERT OR IGNORE INTO events (at, kind, severity, uuid, params, key) VALUES (?, ?, ?, ?, ?, ?)',
  );
  db.exec('BEGIN IMMEDIATE');
  for (const [id, metric] of metrics) addMetric.run(id, metric);
  for (const [id, cells] of devices) addDevice.run(id, ...cells);
  for (const cells of events) addEvent.run(...cells);
  writeMeta(db, PENDING, name);
  db.exec('COMMIT');
}

/** True until everything that a damaged file holds has been taken over. */
export function isSalvaging(db: DatabaseSync): boolean {
  return readMeta(db, PENDING) !== null;
}

/** Takes over what a damaged file in the directory still holds, in steps; null where there is nothing to be done. */
export function salvage(
  db: DatabaseSync,
  directory: string,
  blocks: BlockTable,
  log: SampleLog,
): Generator<void, null> | null {
  const name = readMeta(db, PENDING);
  return typeof name === 'string' ? takeOver(db, join(directory, name), name, blocks, log) : null;
}

function* takeOver(
  db: DatabaseSync,
  path: string,
  name: string,
  blocks: BlockTable,
  log: SampleLog,
): Generator<void, null> {
  const file = new PageFile(path);
  try {
    yield* copyBlocks(file, blocks, log);
    yield* copyHotRows(file, blocks, log);
  } finally {
    file.close();
  }
  writeMeta(db, RESULT, JSON.stringify({ file: name, ...resultOf(blocks) }));
  removeMeta(db, PENDING);
  return null;
}

function* copyBlocks(file: PageFile, blocks: BlockTable, log: SampleLog): Generator<void, void> {
  for (const found of blocksIn(file)) {
    if (found === null) yield;
    else if (!isKnown(blocks, found.block)) {
      blocks.register(log.write(() => blocks.insert(found.block, found.body)));
    }
  }
}

/** What has been taken over before, by an attempt that was interrupted. */
function isKnown(
  blocks: BlockTable,
  { level, group, firstSequence, lastSequence }: Pick<HotRow, 'level' | 'group'> & Sequences,
): boolean {
  return blocks
    .list(level, group)
    .some((block) => block.firstSequence <= firstSequence && block.lastSequence >= lastSequence);
}

interface Sequences {
  readonly firstSequence: number;
  readonly lastSequence: number;
}

function* copyHotRows(file: PageFile, blocks: BlockTable, log: SampleLog): Generator<void, void> {
  const rows = [...findAll(file).hot].sort(([a], [b]) => a - b).map(([id, body]) => ({ ...placeOf(id), body }));
  for (const { level, group, segment } of segmentsOf(rows, log)) {
    const [firstSequence, lastSequence] = [segment.sequence[0]!, segment.sequence[segment.rows - 1]!];
    if (isKnown(blocks, { level, group, firstSequence, lastSequence })) continue;
    log.adopt(group, level, segment, () => {});
    while (log.sealStep()) yield;
  }
}

/** Rows as segments again; those behind a row that is missing mean nothing and are left out. */
function segmentsOf(
  rows: readonly HotRow[],
  log: SampleLog,
): readonly { readonly level: number; readonly group: number; readonly segment: Segment }[] {
  const found: { level: number; group: number; segment: Segment; nextKey: number }[] = [];
  for (const { level, group, key, body } of rows) {
    const last = found.at(-1);
    if (startsSegment(body)) found.push({ level, group, segment: log.newSegment(level), nextKey: key });
    else if (last?.level !== level || last.group !== group || last.nextKey !== key) continue;
    const current = found.at(-1)!;
    try {
      replayRow(current.segment, body);
      current.nextKey = key + 1;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  return found.filter(({ segment }) => segment.rows > 0);
}

function resultOf(blocks: BlockTable): Omit<Salvaged, 'file'> {
  let [ticks, missing, until] = [0, 0, 0];
  const byGroup = Map.groupBy(blocks.ofLevel(0), ({ group }) => group);
  for (const list of byGroup.values()) {
    const sorted = [...list].sort((a, b) => a.firstSequence - b.firstSequence);
    let [rows, holes] = [0, 0];
    for (const [i, block] of sorted.entries()) {
      rows += block.rows;
      if (i > 0) holes += Math.max(0, block.firstSequence - sorted[i - 1]!.lastSequence - 1);
      until = Math.max(until, block.to);
    }
    ticks = Math.max(ticks, rows);
    missing = Math.max(missing, holes);
  }
  return { ticks, missing, until: new Date(until).toISOString() };
}

/** What came of the last damage, or null. It is told for as long as the damaged file is kept. */
export function salvagedIn(db: DatabaseSync, directory: string): Salvaged | null {
  const result = readMeta(db, RESULT);
  const salvaged: Salvaged | null = typeof result === 'string' ? JSON.parse(result) : null;
  return salvaged !== null && existsSync(join(directory, salvaged.file)) ? salvaged : null;
}
