import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../model/clock.ts';
import { openHistory } from './history.ts';
import { KEEP_ALL } from './retention.ts';
import { START, sampleDevice } from './sample-ticks.ts';
import { Store } from './store.ts';
import { storedColumns } from './stored-columns.ts';
import { openTickReader } from './tick-reader.ts';

/** The tables as format 1 had them. */
const FORMAT_1 = `
  PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;
  CREATE TABLE meta (key TEXT PRIMARY KEY, value ANY NOT NULL) WITHOUT ROWID, STRICT;
  CREATE TABLE devices (id INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, uuid_is_derived INTEGER NOT NULL,
    vendor TEXT NOT NULL, name TEXT NOT NULL, "index" INTEGER NOT NULL, pci_bus_id TEXT, minor INTEGER, serial TEXT,
    driver_version TEXT) STRICT;
  CREATE TABLE samples (device INTEGER NOT NULL, at INTEGER NOT NULL, sequence INTEGER NOT NULL,
    PRIMARY KEY (device, at, sequence)) WITHOUT ROWID;
  ALTER TABLE samples ADD COLUMN utilization_ratio REAL;
  ALTER TABLE samples ADD COLUMN a_metric_of_old REAL;
  ALTER TABLE samples ADD COLUMN clock_event_reasons INTEGER;
  CREATE TABLE events (sequence INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, kind TEXT NOT NULL,
    severity TEXT NOT NULL, uuid TEXT, params TEXT NOT NULL) STRICT;
  CREATE INDEX events_by_time ON events (at);
  INSERT INTO meta VALUES ('format', 1), ('origin', 'live'), ('sequence', 4096);
  INSERT INTO devices VALUES (1, 'GPU-0', 0, 'nvidia', 'NVIDIA H100 80GB HBM3', 0, '00000000:00:00.0', 0, NULL, '570.86.15');
  INSERT INTO devices VALUES (2, 'GPU-1', 0, 'nvidia', 'NVIDIA H100 80GB HBM3', 1, '00000000:01:00.0', 1, NULL, '570.86.15');
  INSERT INTO events (at, kind, severity, uuid, params) VALUES (${START}, 'marker', 'info', NULL, '{"text":"a"}');`;

const TICKS = 2000;
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gpulse-test-'));
  const db = new DatabaseSync(join(directory, 'history.db'));
  db.exec(FORMAT_1);
  const insert = db.prepare('INSERT INTO samples VALUES (?, ?, ?, ?, ?, ?)');
  db.exec('BEGIN');
  for (let i = 0; i < TICKS; i++) {
    // The second device comes late; the clock is set back once.
    const at = START + i * 1000 - (i < 1500 ? 0 : 30_000);
    insert.run(1, at, i, i / 10_000, 7, i % 3 === 0 ? null : 4);
    if (i >= 100) insert.run(2, at, i, null, null, 1);
  }
  db.exec('COMMIT');
  db.close();
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

function openStore(): Store {
  return Store.open({ directory, origin: 'live', columns: storedColumns(), retention: KEEP_ALL });
}

async function read(): Promise<string[]> {
  const reader = openTickReader(directory);
  const lines: string[] = [];
  for await (const { at, samples } of reader.ticks(0, Number.MAX_SAFE_INTEGER)) {
    const cells = samples.map(({ device, readings }) => {
      const [busy, reasons] = [readings.get('utilization_ratio'), readings.get('clock_event_reasons')];
      return `${device.uuid} ${JSON.stringify(busy)} ${JSON.stringify(reasons)}`;
    });
    lines.push(`${at - START} ${cells.join('; ')}`);
  }
  expect(reader.isComplete).toBe(true);
  reader.close();
  return lines;
}

function expectedLine(i: number): string {
  const at = i * 1000 - (i < 1500 ? 0 : 30_000);
  const missing = '{"absent":"not-collected"}';
  const first = `GPU-0 ${i / 10_000} ${i % 3 === 0 ? missing : 4}`;
  return `${at} ${first}${i >= 100 ? `; GPU-1 ${missing} 1` : ''}`;
}

test('is converted while it is written to, and nothing is lost', { timeout: 30_000 }, async () => {
  const history = await openHistory({ directory, origin: 'live', clock: systemClock, retention: KEEP_ALL });
  expect(await history.devices()).toEqual([sampleDevice(0), sampleDevice(1)]);
  const query = { metrics: ['utilization_ratio'] as const, devices: ['GPU-0'], from: START, to: START + 3_000_000 };
  const count = async () => (await history.range({ ...query, points: 1 })).series[0]?.count[0];
  await expect.poll(count, { timeout: 20_000 }).toBe(TICKS);
  const { series } = await history.range({ ...query, points: 1 });
  expect(series[0]).toMatchObject({ min: [0], max: [(TICKS - 1) / 10_000] });
  expect((await history.events({ from: 0, to: START + 1, limit: 10 })).map(({ params }) => params)).toEqual([
    { text: 'a' },
  ]);
  await history.close();
  expect(await read()).toEqual(Array.from({ length: TICKS }, (_, i) => expectedLine(i)));
});

test('goes on where it was interrupted', { timeout: 60_000 }, async () => {
  // A few steps at a time, each time in a store of its own.
  let rounds = 0;
  for (let isDone = false; !isDone; rounds++) {
    const store = openStore();
    const steps = store.takeOver();
    isDone = steps === null;
    for (let i = 0; i < 5 && steps !== null; i++) if (steps.next().done) break;
    store.close();
  }
  expect(rounds).toBeGreaterThan(3);
  expect(await read()).toEqual(Array.from({ length: TICKS }, (_, i) => expectedLine(i)));
  const db = new DatabaseSync(join(directory, 'history.db'), { readOnly: true });
  expect(db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'old_samples'").get()).toBeUndefined();
  expect(db.prepare("SELECT id FROM metrics WHERE name = 'a_metric_of_old'").get()).toBeDefined();
  db.close();
});

test('cannot be exported before it is converted, and the reason is named', () => {
  expect(() => openTickReader(directory)).toThrow(expect.objectContaining({ code: 'HISTORY_OLD_FORMAT' }));
});
