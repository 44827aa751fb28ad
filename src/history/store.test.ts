import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SUMMED } from './engine/sum.ts';
import { Outbox } from './outbox.ts';
import type { Batch, Column, GridData } from './protocol.ts';
import { KEEP_ALL, type Retention } from './retention.ts';
import { START, sampleDevice, sampleEvent, sampleTick, type Values } from './sample-ticks.ts';
import { Store } from './store.ts';
import { StoreError } from './store-error.ts';
import { storedColumns } from './stored-columns.ts';

const UTIL: Column = { id: 'utilization_ratio', summed: SUMMED.value };
const POWER: Column = { id: 'power_watts', summed: SUMMED.value };
const HOUR = 3_600_000;

let directory: string;
let store: Store | null = null;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gpulse-test-'));
});

afterEach(() => {
  close();
  rmSync(directory, { recursive: true, force: true });
});

function open(columns: readonly Column[] = storedColumns(), retention: Retention = KEEP_ALL): Store {
  close();
  store = Store.open({ directory, origin: 'live', columns, retention });
  return store;
}

function close(): void {
  store?.close();
  store = null;
}

/** One row of one device at `at` with the values of the columns. */
function batch(at: number, ...values: number[]): Batch {
  return {
    ticks: 1,
    used: 3 + values.length,
    cells: Float64Array.of(at, 1, 0, ...values),
    codes: new Uint8Array(3 + values.length),
    devices: [{ handle: 0, device: sampleDevice(0) }],
    events: [],
  };
}

function run<Result>(steps: Generator<void, Result>): { result: Result; steps: number } {
  for (let count = 1; ; count++) {
    const step = steps.next();
    if (step.done) return { result: step.value, steps: count };
  }
}

function maxima(from: Store, metric: string): number[] {
  const query = { metrics: [metric as 'power_watts'], devices: ['GPU-0'], from: START, to: START + 10_000, points: 10 };
  return [...run<GridData>(from.range(query)).result.max].filter((value) => !Number.isNaN(value));
}

/** Stores ticks in order, and seals what is full. */
function fill(target: Store, ticks: number, rows: (tick: number) => Values[], stepMs = 1000): void {
  const outbox = new Outbox();
  for (let i = 0; i < ticks; i++) {
    outbox.add(sampleTick(START + i * stepMs, rows(i)));
    if (i % 100 === 99) target.write(outbox.take());
    if (target.hasWork) run(target.seal());
  }
  target.write(outbox.take());
}

/** What sqlite3 would print for the first column of a query. */
function column(sql: string): unknown[] {
  const db = new DatabaseSync(join(directory, 'history.db'), { readOnly: true });
  const rows = db.prepare(sql).all();
  db.close();
  return rows.map((row) => Object.values(row)[0]);
}

describe('metrics', () => {
  test('one added later is absent in what was stored before', () => {
    open([UTIL]).write(batch(START, 0.5));
    const later = open([POWER, UTIL]);
    later.write(batch(START + 1000, 70, 0.6));
    expect(maxima(later, 'power_watts')).toEqual([70]);
    expect(maxima(later, 'utilization_ratio')).toEqual([0.5, 0.6]);
  });

  test('one this version does not know is left as it is', () => {
    open([UTIL, POWER]).write(batch(START, 0.5, 70));
    const older = open([UTIL]);
    older.write(batch(START + 1000, 0.6));
    expect(maxima(older, 'utilization_ratio')).toEqual([0.5, 0.6]);
    expect(maxima(older, 'power_watts')).toEqual([]);
    expect(maxima(open([UTIL, POWER]), 'power_watts')).toEqual([70]);
  });

  test('the same numbers in another order stay with their metrics, sealed or not', () => {
    fill(open([POWER, UTIL]), 0, () => []);
    const first = open([UTIL, POWER]);
    for (let i = 0; i < 8000; i++) first.write(batch(START + i * 1000, i / 10_000, i));
    run(first.seal());
    expect(column('SELECT count(*) FROM blocks')[0]).toBeGreaterThan(1);
    const turned = open([POWER, UTIL]);
    expect(maxima(turned, 'power_watts').slice(0, 3)).toEqual([0, 1, 2]);
    expect(maxima(turned, 'utilization_ratio').slice(0, 3)).toEqual([0, 0.0001, 0.0002]);
  });

  test('those that never change and those that are never there cost next to nothing', () => {
    const columns = storedColumns();
    const values = columns.map((_, i) => i);
    const first = open(columns);
    for (let i = 0; i < 8000; i++) {
      const each = batch(START + i * 1000, ...values);
      for (let at = 3; at < each.codes.length; at += 2) each.codes[at] = 1;
      first.write(each);
    }
    run(first.seal());
    const bytes = column('SELECT sum(length(body)) FROM blocks WHERE level = 0')[0];
    expect(Number(bytes)).toBeLessThan(3000);
  });
});

describe('a write that fails', () => {
  test('leaves nothing of its batch, and the next one works', () => {
    const first = open([UTIL]);
    const bad = { ...batch(START, 1), events: [sampleEvent(START, null), sampleEvent(0.5, null)] };
    expect(() => first.write(bad)).toThrow(StoreError);
    expect(first.extent()).toBeNull();
    first.write({ ...batch(START, 2), devices: [] });
    expect(() => first.write(bad)).toThrow(StoreError);
    first.write({ ...batch(START + 1000, 3), devices: [] });
    expect(maxima(first, 'utilization_ratio')).toEqual([2, 3]);
    expect(first.events.find({ from: 0, to: START + 1, limit: 10 })).toEqual([]);
    expect(maxima(open([UTIL]), 'utilization_ratio')).toEqual([2, 3]);
  });

  test('says whether the same batch may be written later', () => {
    const first = open([UTIL]);
    const failure = (act: () => void): StoreError => {
      try {
        act();
      } catch (error) {
        return error as StoreError;
      }
      throw new Error('it did not fail');
    };
    const broken = failure(() => first.write({ ...batch(START, 1), events: [sampleEvent(0.5, null)] }));
    expect([broken.data.code, broken.mayPass]).toEqual(['HISTORY_WRITE_FAILED', false]);
    const other = new DatabaseSync(join(directory, 'history.db'));
    other.exec('BEGIN IMMEDIATE');
    const busy = failure(() => first.write(batch(START, 1)));
    other.close();
    expect([busy.data.code, busy.mayPass]).toEqual(['HISTORY_WRITE_FAILED', true]);
  });

  test('a block that cannot be stored stays in memory and on the disk, and is stored later', {
    timeout: 30_000,
  }, () => {
    const full = open();
    const outbox = new Outbox();
    for (let i = 0; i < 5000; i++) outbox.add(sampleTick(START + i * 1000, [{ power_watts: i }]));
    full.write(outbox.take());
    full.write(batch(START + 5_100_000, ...storedColumns().map(() => 0)));
    expect(full.hasWork).toBe(true);
    const other = new DatabaseSync(join(directory, 'history.db'));
    other.exec('BEGIN IMMEDIATE');
    expect(() => run(full.seal())).toThrow(/locked/);
    expect(maxima(full, 'power_watts').slice(0, 3)).toEqual([0, 1, 2]);
    other.close();
    run(full.seal());
    expect(full.hasWork).toBe(false);
    expect(column('SELECT count(*) FROM hot WHERE id < (1 << 40)')).toEqual([1]);
    expect(maxima(open(), 'power_watts').slice(0, 3)).toEqual([0, 1, 2]);
  });
});

describe('retention', () => {
  const eight = (i: number) =>
    Array.from({ length: 8 }, (_, gpu) => ({ power_watts: ((i * 7919 + gpu) % 700) + 0.25 }));

  function limits(...levels: [number, number][]): Retention {
    return { levels: levels.map(([ageMs, bytes]) => ({ ageMs, bytes })), eventsMs: 1e15 };
  }

  test('by age goes level by level in small steps, and gives the space back', { timeout: 60_000 }, () => {
    const full = open(storedColumns(), limits([HOUR, 1e12], [2 * HOUR, 1e12], [1e15, 1e12], [1e15, 1e12]));
    fill(full, 4 * 3600, eight);
    const bytes = full.state().bytes;
    const { steps } = run(full.prune(START + 4 * HOUR));
    expect(steps).toBeGreaterThan(5);
    // Ticks are gone, their minutes are there.
    const counts = (from: number, to: number) =>
      run(full.range({ metrics: ['power_watts'], devices: ['GPU-3'], from: START + from, to: START + to, points: 300 }))
        .result;
    expect(counts(3.5 * HOUR, 4 * HOUR)).toMatchObject({ bucketMs: 10_000 });
    const older = counts(HOUR, 2 * HOUR);
    expect(older.bucketMs).toBe(60_000);
    expect([...older.count]).toEqual(Array.from({ length: 60 }, () => 60));
    expect(full.extent()).toEqual({ from: START, to: START + 4 * HOUR - 1000 });
    close();
    expect(open().state().bytes).toBeLessThan(bytes / 2);
  });

  test('by size deletes the oldest', { timeout: 60_000 }, () => {
    fill(open(), 2 * 3600, eight);
    const half = Number(column('SELECT sum(length(body)) FROM blocks WHERE level = 0')[0]) / 2;
    const full = open(storedColumns(), limits([1e15, half], [1e15, 1e12], [1e15, 1e12], [1e15, 1e12]));
    run(full.prune(START));
    expect(Number(column('SELECT sum(length(body)) FROM blocks WHERE level = 0')[0])).toBeLessThanOrEqual(half);
    const kept = column('SELECT to_at FROM blocks WHERE level = 0').map(Number);
    expect(Math.max(...kept)).toBeGreaterThan(START + 1.5 * HOUR);
    expect(Math.min(...kept)).toBeGreaterThan(START + 0.8 * HOUR);
  });

  test('tells for how many days there is room', { timeout: 60_000 }, () => {
    const full = open(storedColumns(), limits([1e15, 1_000_000], [1e15, 1e12], [1e15, 1e12], [1e15, 1e12]));
    expect(full.state().daysThatFit).toBeNull();
    fill(full, 2 * 3600, eight);
    const perDay = (Number(column('SELECT sum(length(body)) FROM blocks WHERE level = 0')[0]) / 6600) * 86_400;
    expect(full.state().daysThatFit).toBeGreaterThan(0.8 * (1_000_000 / perDay));
    expect(full.state().daysThatFit).toBeLessThan(1.2 * (1_000_000 / perDay));
  });

  test('deletes many events in steps, and ends', () => {
    const full = open([UTIL], { ...KEEP_ALL, eventsMs: 1000 });
    const events = Array.from({ length: 2500 }, (_, i) => sampleEvent(START + i, null));
    full.write({ ...batch(START, 1), events });
    run(full.prune(START + 3000));
    expect(full.events.find({ from: 0, to: START + 10_000, limit: 10_000 })).toHaveLength(500);
  });
});

test('a spike of a second is the maximum of its hour in the view of a month', { timeout: 60_000 }, () => {
  const month = open();
  fill(month, 2 * 86_400, (i) => [{ utilization_ratio: i === 12_345 ? 1 : 0.1 }], 15_000);
  const query = {
    metrics: ['utilization_ratio'] as const,
    devices: ['GPU-0'],
    from: START,
    to: START + 30 * 24 * HOUR,
  };
  const { bucketMs, max, count, start } = run(month.range({ ...query, points: 500 })).result;
  expect(bucketMs).toBe(2 * HOUR);
  const spike = Math.floor((START + 12_345 * 15_000 - start) / bucketMs);
  expect([...max].flatMap((value, i) => (value === 1 ? [i] : []))).toEqual([spike]);
  expect(count.reduce((sum, each) => sum + each)).toBe(2 * 86_400);
});

test('a long query yields again and again', () => {
  const full = open([UTIL]);
  for (let i = 0; i < 20_000; i++) full.write(batch(START + i * 100, i));
  run(full.seal());
  const query = { metrics: ['utilization_ratio'] as const, devices: ['GPU-0'], from: START, to: START + 2_000_000 };
  const rough = run(full.range({ ...query, points: 1 }));
  expect(rough.result).toMatchObject({ buckets: 1, intervalMs: 100 });
  expect([rough.result.count[0], rough.result.max[0]]).toEqual([20_000, 19_999]);
  const fine = run(full.range({ ...query, points: 4000 }));
  expect(fine.result).toMatchObject({ buckets: 4000, bucketMs: 500, intervalMs: 100 });
  expect(fine.result.count.every((count) => count === 5)).toBe(true);
  expect(fine.steps).toBeGreaterThanOrEqual(5);
});
