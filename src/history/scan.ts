import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { RangeQuery } from '../model/ports.ts';
import type { Millis } from '../model/reading.ts';
import { GridBuilder } from './grid-builder.ts';
import type { Column, GridData } from './protocol.ts';
import { gridShape, medianOf } from './range.ts';

/** How long a scan may hold the thread before writing gets its turn. */
const STEP_MS = 20;
/** Samples in a bucket from which on SQLite aggregates faster than rows cross into JavaScript. */
const AGGREGATE_FROM = 8;
/** Values one statement may read: it cannot be interrupted, and takes some 10 ms for so many. */
const VALUES_PER_STATEMENT = 40_000;
/** Neighbouring samples looked at, from each of several places, to learn how far apart samples are. */
const PROBE_ROWS = 33;
const PROBES = [0, 0.25, 0.5, 0.75];

interface Scan {
  readonly db: DatabaseSync;
  readonly columns: readonly Column[];
  readonly from: Millis;
  readonly to: Millis;
  readonly intervalMs: number;
  readonly grid: GridBuilder;
}

/**
 * The answer to a range query, device by device and within it metric by metric. Null among the ids and columns stands
 * for what this history does not know: a series without data. Yields whenever writing should get its turn.
 */
export function* scanRange(
  db: DatabaseSync,
  { from, to, points }: RangeQuery,
  deviceIds: readonly (number | null)[],
  columns: readonly (Column | null)[],
): Generator<void, GridData> {
  const known = deviceIds.filter((id) => id !== null);
  const measured = yield* typicalInterval(db, known, from, to);
  const shape = gridShape(from, to, points, measured);
  const intervalMs = measured ?? shape.bucketMs;
  const grid = new GridBuilder(shape, deviceIds.length, columns);
  const present = columns.filter((column) => column !== null);
  const scan: Scan = { db, columns: present, from, to, intervalMs, grid };
  const isCoarse = shape.bucketMs >= AGGREGATE_FROM * intervalMs;
  for (const [row, id] of deviceIds.entries()) {
    if (id === null || present.length === 0) continue;
    grid.startDevice(row);
    yield* isCoarse ? aggregateDevice(scan, id) : readDevice(scan, id);
  }
  return grid.finish(intervalMs);
}

/** The median distance of neighbouring samples, from a few places in the range; null where no two samples are. */
function* typicalInterval(
  db: DatabaseSync,
  deviceIds: readonly number[],
  from: Millis,
  to: Millis,
): Generator<void, number | null> {
  const select = (order: string) =>
    db.prepare(
      `SELECT at FROM samples WHERE device = ? AND at >= ? AND at < ? ORDER BY at ${order} LIMIT ${PROBE_ROWS}`,
    );
  const [forwards, backwards] = [select('ASC'), select('DESC')];
  const distances: number[] = [];
  const collect = (rows: readonly Readonly<Record<string, unknown>>[]) => {
    for (let i = 1; i < rows.length; i++) {
      const distance = Math.abs(Number(rows[i]!['at']) - Number(rows[i - 1]!['at']));
      if (distance > 0) distances.push(distance);
    }
  };
  const pause = pauser();
  for (const id of deviceIds) {
    for (const probe of PROBES) collect(forwards.all(id, Math.floor(from + (to - from) * probe), to));
    collect(backwards.all(id, from, to));
    if (pause()) yield;
  }
  return medianOf(distances);
}

/** Wide buckets: one aggregate per bucket, or per piece of a bucket with very many samples. */
function* aggregateDevice({ db, columns, from, to, intervalMs, grid }: Scan, id: number): Generator<void, void> {
  const where = 'FROM samples WHERE device = ? AND at >= ? AND at < ?';
  const aggregate = arrays(db, `SELECT count(*), ${columns.map(aggregatesOf).join()} ${where}`);
  const next = arrays(db, `SELECT min(at) ${where}`);
  const longest = Math.max(1, Math.floor(VALUES_PER_STATEMENT / columns.length)) * intervalMs;
  const pause = pauser();
  for (let at = from; at < to; ) {
    const bucket = grid.bucketOf(at);
    const end = Math.min(grid.startOf(bucket + 1), at + longest, to);
    const cells = row(aggregate.get(id, at, end));
    if (cells[0] === 0) {
      // Nothing here: jump over the gap rather than ask for each of its buckets.
      const found = row(next.get(id, end, to))[0];
      at = typeof found === 'number' ? found : to;
    } else {
      grid.addAggregates(bucket, cells, 1);
      at = end;
    }
    if (pause()) yield;
  }
}

function aggregatesOf({ id, isBits }: Column): string {
  return isBits
    ? `count("${id}"), group_concat(DISTINCT "${id}")`
    : `count("${id}"), min("${id}"), max("${id}"), total("${id}")`;
}

/** Narrow buckets: every row is read and counted here. */
function* readDevice({ db, columns, from, to, grid }: Scan, id: number): Generator<void, void> {
  const names = columns.map((column) => `"${column.id}"`).join();
  const limit = Math.ceil(VALUES_PER_STATEMENT / 4 / columns.length);
  const select = arrays(
    db,
    `SELECT at, sequence, ${names} FROM samples WHERE device = ? AND at >= ? AND at < ? AND (at, sequence) > (?, ?)
     ORDER BY at, sequence LIMIT ${limit}`,
  );
  for (let [at, sequence] = [from, -1]; ; ) {
    const rows = select.all(id, at, to, at, sequence).map(row);
    for (const cells of rows) grid.addRow(grid.bucketOf(Number(cells[0])), cells, 2);
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) return;
    [at, sequence] = [Number(last[0]), Number(last[1])];
    yield;
  }
}

function arrays(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}

/** A row of a statement that returns arrays, which the types of `node:sqlite` do not know of. */
function row(value: unknown): readonly unknown[] {
  return value as readonly unknown[];
}

/** True once per {@link STEP_MS}, so that a loop knows when to yield. */
function pauser(): () => boolean {
  let since = performance.now();
  return () => {
    if (performance.now() - since < STEP_MS) return false;
    since = performance.now();
    return true;
  };
}
