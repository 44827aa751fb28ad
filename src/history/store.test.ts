import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CATALOGUE } from '../model/catalogue.ts';
import { Outbox } from './outbox.ts';
import type { Batch, Column, GridData } from './protocol.ts';
import { START, sampleDevice, sampleEvent, sampleTick } from './sample-ticks.ts';
import { Store } from './store.ts';
import { StoreError } from './store-error.ts';

const ALL: readonly Column[] = CATALOGUE.map(({ id, unit }) => ({ id, isBits: unit === 'bits' }));
const UTIL: Column = { id: 'utilization_ratio', isBits: false };
const POWER: Column = { id: 'power_watts', isBits: false };

let directory: string;
let store: Store | null = null;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gpulse-test-'));
});

afterEach(() => {
  close();
  rmSync(directory, { recursive: true, force: true });
});

function open(columns: readonly Column[] = ALL): Store {
  close();
  store = Store.open({ directory, origin: 'live', columns });
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
    cells: Float64Array.of(at, 1, 0, ...values),
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

/** What sqlite3 would print for the first column of a query. */
function column(sql: string): unknown[] {
  const db = new DatabaseSync(join(directory, 'history.db'), { readOnly: true });
  const rows = db.prepare(sql).all();
  db.close();
  return rows.map((row) => Object.values(row)[0]);
}

describe('columns', () => {
  test('there is one per metric of the catalogue', () => {
    open();
    const names = column("SELECT name FROM pragma_table_info('samples')");
    expect(names).toEqual(['device', 'at', 'sequence', ...ALL.map(({ id }) => id)]);
  });

  test('a metric added later becomes a column, absent in what was stored before', () => {
    open([UTIL]).write(batch(START, 0.5));
    const later = open([POWER, UTIL]);
    later.write(batch(START + 1000, 70, 0.6));
    expect(maxima(later, 'power_watts')).toEqual([70]);
    expect(maxima(later, 'utilization_ratio')).toEqual([0.5, 0.6]);
  });

  test('a metric this version does not know is left as it is', () => {
    open([UTIL, POWER]).write(batch(START, 0.5, 70));
    const older = open([UTIL]);
    older.write(batch(START + 1000, 0.6));
    expect(maxima(older, 'utilization_ratio')).toEqual([0.5, 0.6]);
    expect(maxima(older, 'power_watts')).toEqual([]);
    expect(maxima(open([UTIL, POWER]), 'power_watts')).toEqual([70]);
  });
});

describe('the sequence', () => {
  test('grows by one with every tick, and never comes twice', () => {
    const first = open([UTIL]);
    for (const value of [1, 2, 3]) first.write(batch(START, value));
    open([UTIL]).write(batch(START, 4));
    const sequences = column('SELECT sequence FROM samples ORDER BY utilization_ratio').map(Number);
    expect(sequences.slice(0, 3)).toEqual([0, 1, 2]);
    expect(sequences[3]).toBeGreaterThan(2);
  });

  test('is not used up by a batch that failed', () => {
    const first = open([UTIL]);
    const bad = { ...batch(START, 1), events: [sampleEvent(0.5, null)] };
    expect(() => first.write(bad)).toThrow(StoreError);
    first.write(batch(START, 2));
    expect(column('SELECT sequence FROM samples')).toEqual([0]);
  });
});

describe('a write that fails', () => {
  test('leaves nothing of its batch, and the next one works', () => {
    const first = open([UTIL]);
    const bad = { ...batch(START, 1), events: [sampleEvent(START, null), sampleEvent(0.5, null)] };
    expect(() => first.write(bad)).toThrow(StoreError);
    expect(first.extent()).toBeNull();
    first.write({ ...batch(START, 2), devices: [] });
    expect(maxima(first, 'utilization_ratio')).toEqual([2]);
    expect(first.events.find({ from: 0, to: START + 1, limit: 10 })).toEqual([]);
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
});

describe('retention', () => {
  /** Stores so many ticks of eight devices, one per second. */
  function fill(target: Store, ticks: number): void {
    const outbox = new Outbox();
    for (let i = 0; i < ticks; i++) {
      const rows = Array.from({ length: 8 }, (_, gpu) => ({ utilization_ratio: 0.5, power_watts: i + gpu / 7 }));
      const tick = sampleTick(START + i * 1000, rows);
      if (outbox.isFullFor(tick)) target.write(outbox.take());
      outbox.add(tick);
    }
    target.write(outbox.take());
  }

  test('goes in small steps and gives the space back', () => {
    const full = open();
    fill(full, 6000);
    close();
    const before = open();
    const bytes = before.bytes();
    const { steps } = run(before.prune(START + 5_400_000));
    expect(steps).toBeGreaterThan(40);
    expect(before.extent()).toEqual({ from: START + 5_400_000, to: START + 5_999_000 });
    close();
    expect(open().bytes()).toBeLessThan(bytes / 4);
  });

  test('keeps the file while little of it is empty: the space is used again', () => {
    const full = open();
    fill(full, 2000);
    run(full.prune(START + 100_000));
    close();
    expect(Number(column('PRAGMA freelist_count')[0])).toBeGreaterThan(0);
  });

  test('deletes many rows of one time in one go, and ends', () => {
    const crowded = open([UTIL]);
    for (let i = 0; i < 2500; i++) crowded.write(batch(START, i));
    run(crowded.prune(START));
    expect(crowded.extent()).not.toBeNull();
    run(crowded.prune(START + 1));
    expect(crowded.extent()).toBeNull();
  });
});

test('a long query yields again and again, and is the same in one bucket as in thousands', () => {
  const full = open([UTIL]);
  const rows = 200_000;
  const cells = new Float64Array(rows * 4);
  for (let i = 0; i < rows; i++) cells.set([START + i * 100, 1, 0, i], i * 4);
  full.write({ ticks: rows, cells, devices: [{ handle: 0, device: sampleDevice(0) }], events: [] });
  const query = { metrics: ['utilization_ratio'] as const, devices: ['GPU-0'], from: START, to: START + rows * 100 };
  const rough = run(full.range({ ...query, points: 1 }));
  expect(rough.result).toMatchObject({ buckets: 1, intervalMs: 100 });
  expect([rough.result.count[0], rough.result.max[0]]).toEqual([rows, rows - 1]);
  const fine = run(full.range({ ...query, to: START + 3_000_000, points: 10_000 }));
  expect(fine.result).toMatchObject({ buckets: 6000, bucketMs: 500, intervalMs: 100 });
  expect(fine.result.count.every((count) => count === 5)).toBe(true);
  expect(fine.steps).toBeGreaterThanOrEqual(3);
});
