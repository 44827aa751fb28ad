import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../model/clock.ts';
import { ManualClock } from '../model/manual-clock.ts';
import type { History, Origin } from '../model/ports.ts';
import { historyContract } from './history.contract.ts';
import { type HistoryOptions, openHistory } from './history.ts';
import { KEEP_ALL } from './retention.ts';
import { START, sampleDevice, sampleEvent, sampleTick } from './sample-ticks.ts';

const HOUR = {
  levels: KEEP_ALL.levels.map(() => ({ ageMs: 3_600_000, bytes: Number.POSITIVE_INFINITY })),
  eventsMs: 3_600_000,
};
const root = mkdtempSync(join(tmpdir(), 'gpulse-test-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

historyContract('the embedded history', (place) =>
  openHistory({ directory: join(root, place), origin: 'live', clock: systemClock, retention: KEEP_ALL }),
);

describe('the embedded history', () => {
  let directory: string;
  const opened: History[] = [];

  beforeEach(() => {
    directory = mkdtempSync(join(root, 'own-'));
  });

  afterEach(async () => {
    for (const history of opened.splice(0)) await history.close();
  });

  async function start(options: Partial<HistoryOptions> = {}): Promise<History> {
    const history = await openHistory({
      directory,
      origin: 'live',
      clock: systemClock,
      retention: KEEP_ALL,
      ...options,
    });
    opened.push(history);
    return history;
  }

  async function storeOne(origin: Origin = 'live'): Promise<void> {
    const history = await start({ origin });
    history.accept(sampleTick(START, [{ utilization_ratio: 0.5 }]));
    await history.close();
  }

  async function counts(history: History, seconds: number): Promise<readonly number[] | undefined> {
    const grid = await history.range({
      metrics: ['utilization_ratio'],
      devices: ['GPU-0'],
      from: START,
      to: START + seconds * 1000,
      points: 1,
    });
    return grid.series[0]?.count;
  }

  test('leaves one file behind, which sqlite3 can read', async () => {
    await storeOne();
    expect(existsSync(join(directory, 'history.db-wal'))).toBe(false);
    const db = new DatabaseSync(join(directory, 'history.db'), { readOnly: true });
    expect(db.prepare('SELECT uuid FROM devices').all()).toEqual([{ uuid: 'GPU-0' }]);
    expect(db.prepare('SELECT count(*) AS n FROM hot').get()).toEqual({ n: 1 });
    expect(db.prepare('PRAGMA auto_vacuum').get()).toEqual({ auto_vacuum: 2 });
    db.close();
  });

  test('can be read by another program while it is written', async () => {
    const history = await start();
    const db = new DatabaseSync(join(directory, 'history.db'), { readOnly: true });
    const count = db.prepare('SELECT count(*) AS n FROM hot');
    for (const n of [1, 2, 3]) {
      history.accept(sampleTick(START + n, [{ utilization_ratio: 0.5 }]));
      await history.flush();
      expect(count.get()).toEqual({ n });
    }
    db.close();
  });

  test('a temporary history is removed on close', async () => {
    const history = await start({ directory: null });
    const { path } = history.status();
    expect(existsSync(join(path, 'history.db'))).toBe(true);
    await history.close();
    expect(existsSync(path)).toBe(false);
  });

  test('a temporary history is removed when the process ends by itself, which an open history does not prevent', () => {
    const script = `
      import { openHistory } from '${import.meta.dirname}/history.ts';
      import { systemClock } from '${import.meta.dirname}/../model/clock.ts';
      const history = await openHistory({ directory: null, origin: 'recorded', clock: systemClock });
      console.log(history.status().path);`;
    const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      timeout: 15_000,
    });
    expect([status, stdout.trim()]).toEqual([0, expect.stringContaining('gpulse-')]);
    expect(existsSync(stdout.trim())).toBe(false);
  });

  test('tells how much it takes on the disk, a few seconds late at most', { timeout: 15_000 }, async () => {
    const history = await start();
    expect(history.status()).toMatchObject({ path: directory, droppedTicks: 0, failure: null });
    const empty = history.status().bytes;
    expect(empty).toBeGreaterThan(4096);
    const sizeNow = () =>
      ['history.db', 'history.db-wal'].reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);
    // Growth of the log counts, and what is written at once as well as what comes later.
    for (const round of [1, 2]) {
      for (let i = 0; i < 2000; i++)
        history.accept(sampleTick(START + (round * 2000 + i) * 1000, [{ power_watts: i }]));
      await history.flush();
      expect(sizeNow()).toBeGreaterThan(empty);
      await expect.poll(() => history.status().bytes, { timeout: 5000 }).toBe(sizeNow());
    }
  });

  describe('refuses to open', () => {
    test('a directory another process writes, and names that process', async () => {
      await start();
      await expect(start()).rejects.toMatchObject({
        code: 'HISTORY_LOCKED',
        params: { path: directory, pid: String(process.pid) },
      });
    });

    test('nothing because of a lock whose holder is gone, even if its number belongs to somebody else now', async () => {
      await storeOne();
      writeFileSync(join(directory, 'history.pid'), `${process.ppid}\n`);
      expect(await counts(await start(), 1)).toEqual([1]);
    });

    test.each([
      ['live', 'simulated'],
      ['simulated', 'live'],
      ['live', 'recorded'],
    ] as const)('%s data as %s', async (found, wanted) => {
      await storeOne(found);
      await expect(start({ origin: wanted })).rejects.toMatchObject({
        code: 'HISTORY_OTHER_ORIGIN',
        params: { path: directory, found, wanted },
      });
      expect(await counts(await start({ origin: found }), 1)).toEqual([1]);
    });

    test('a newer format', async () => {
      await storeOne();
      const db = new DatabaseSync(join(directory, 'history.db'));
      db.exec("UPDATE meta SET value = 9 WHERE key = 'format'");
      db.close();
      await expect(start()).rejects.toMatchObject({
        code: 'HISTORY_NEWER_FORMAT',
        params: { path: directory, found: 9, known: 2 },
      });
    });

    test('a file that is no database, and leaves it alone', async () => {
      const file = join(directory, 'history.db');
      writeFileSync(file, 'once upon a time\n'.repeat(1000));
      const before = readFileSync(file);
      await expect(start()).rejects.toMatchObject({
        code: 'HISTORY_UNUSABLE',
        params: { path: directory, detail: 'file is not a database' },
      });
      expect(readFileSync(file)).toEqual(before);
    });

    test('a database of another program', async () => {
      const db = new DatabaseSync(join(directory, 'history.db'));
      db.exec('CREATE TABLE recipes (name)');
      db.close();
      await expect(start()).rejects.toMatchObject({ code: 'HISTORY_UNUSABLE' });
    });

    test('a directory that is a file', async () => {
      const file = join(directory, 'file');
      writeFileSync(file, '');
      await expect(start({ directory: file })).rejects.toMatchObject({ code: 'HISTORY_UNUSABLE' });
      await expect(start({ directory: join(file, 'below') })).rejects.toMatchObject({
        code: 'HISTORY_UNUSABLE',
        params: { detail: expect.stringContaining('ENOTDIR: not a directory') },
      });
    });

    test.runIf(existsSync('/proc/self'))('a place in which nothing can be created, at once', async () => {
      await expect(start({ directory: '/proc/gpulse/history' })).rejects.toMatchObject({
        code: 'HISTORY_UNUSABLE',
        params: { detail: expect.stringContaining('ENOENT: no such file or directory') },
      });
    });

    test('and holds no lock afterwards', async () => {
      mkdirSync(join(directory, 'history.db'));
      await expect(start()).rejects.toMatchObject({ code: 'HISTORY_UNUSABLE' });
      rmSync(join(directory, 'history.db'), { recursive: true });
      await storeOne();
    });
  });

  test('a file that was cut short opens with what is whole, says so, and the damaged one is kept', async () => {
    const history = await start();
    for (let i = 0; i < 300; i++) history.accept(sampleTick(START + i * 1000, [{ power_watts: i / 7 }]));
    await history.close();
    const file = join(directory, 'history.db');
    truncateSync(file, statSync(file).size - 4096);
    const damaged = readFileSync(file);
    const again = await start();
    again.accept(sampleTick(START + 300_000, [{ utilization_ratio: 0.5 }]));
    await again.flush();
    await expect.poll(() => again.status().damage?.code, { timeout: 10_000 }).toBe('HISTORY_SALVAGED');
    expect(await again.devices()).toEqual([sampleDevice(0)]);
    expect(await counts(again, 400)).toEqual([1]);
    const kept = join(directory, String(again.status().damage?.params['file']));
    expect(readFileSync(kept)).toEqual(damaged);
    rmSync(kept);
  });

  describe('while the disk does not take data', () => {
    /** Holds the database as another program would that writes to it. */
    function occupy(): () => void {
      const db = new DatabaseSync(join(directory, 'history.db'));
      db.exec('BEGIN IMMEDIATE');
      return () => db.close();
    }

    async function failed(history: History): Promise<void> {
      await expect.poll(() => history.status().failure?.code, { timeout: 10_000 }).toBe('HISTORY_WRITE_FAILED');
    }

    test('says so, keeps ticks for two minutes, drops and counts later ones, and resumes by itself', async () => {
      const clock = new ManualClock();
      const history = await start({ clock });
      const release = occupy();
      history.accept(sampleTick(START, [{ utilization_ratio: 0.1 }]));
      await failed(history);
      await clock.advance(119_000);
      history.accept(sampleTick(START + 1000, [{ utilization_ratio: 0.2 }]));
      expect(history.status().droppedTicks).toBe(0);
      await clock.advance(2000);
      history.accept(sampleTick(START + 2000, [{ utilization_ratio: 0.3 }]));
      expect(history.status()).toMatchObject({ droppedTicks: 1, failure: { code: 'HISTORY_WRITE_FAILED' } });
      release();
      await history.flush();
      expect(history.status()).toMatchObject({ droppedTicks: 1, failure: null });
      history.accept(sampleTick(START + 3000, [{ utilization_ratio: 0.4 }]));
      await history.flush();
      expect(await counts(history, 10)).toEqual([3]);
    });

    test('what was stored before can be read', async () => {
      const history = await start();
      history.accept(sampleTick(START, [{ utilization_ratio: 0.1 }]));
      await history.flush();
      const release = occupy();
      history.accept(sampleTick(START + 1000, [{ utilization_ratio: 0.2 }]));
      await failed(history);
      expect(await counts(history, 10)).toEqual([1]);
      release();
    });

    test('closing does not wait for it, and a flush under way is told', async () => {
      const history = await start();
      const release = occupy();
      history.accept(sampleTick(START, [{ utilization_ratio: 0.1 }]));
      const flushed = expect(history.flush()).rejects.toMatchObject({ code: 'HISTORY_STOPPED' });
      await failed(history);
      await history.close();
      await flushed;
      expect(history.status().droppedTicks).toBe(1);
      release();
    });
  });

  test('a flood is dropped and counted rather than queued, and what was queued is written', async () => {
    const history = await start();
    const gpus = Array.from({ length: 200 }, () => ({ utilization_ratio: 0.5 }));
    const ticks = Array.from({ length: 150 }, (_, second) => sampleTick(START + second * 1000, gpus));
    for (const tick of ticks) history.accept(tick);
    const { droppedTicks, failure } = history.status();
    expect(droppedTicks).toBeGreaterThan(0);
    expect(droppedTicks).toBeLessThan(130);
    expect(failure?.code).toBe('HISTORY_BEHIND');
    await history.flush();
    expect(history.status()).toMatchObject({ droppedTicks, failure: null });
    expect(await counts(history, 300)).toEqual([150 - droppedTicks]);
  });

  test('a tick that can never be written is dropped and counted, and the next ones are written', async () => {
    const history = await start();
    history.accept(sampleTick(START, [{ utilization_ratio: 0.1 }], [sampleEvent(0.5, null)]));
    await history.flush();
    expect(history.status()).toMatchObject({ droppedTicks: 1, failure: { code: 'HISTORY_WRITE_FAILED' } });
    history.accept(sampleTick(START, [{ utilization_ratio: 0.1 }]));
    await history.flush();
    expect(history.status()).toMatchObject({ droppedTicks: 1, failure: null });
    expect(await counts(history, 1)).toEqual([1]);
  });

  test('a query too large for one answer is refused', async () => {
    const devices = Array.from({ length: 100 }, (_, i) => `GPU-${i}`);
    const query = { metrics: ['power_watts'] as const, devices, from: START, to: START + 86_400_000, points: 11_000 };
    await expect((await start()).range(query)).rejects.toMatchObject({ code: 'HISTORY_QUERY_TOO_LARGE' });
  });

  test('deletes what is older than its retention, and only that', async () => {
    const clock = new ManualClock(START);
    const history = await start({ clock, retention: HOUR });
    // A block is deleted as a whole once all of it is too old. It ends where time makes a jump.
    for (const age of [90_000, 89_999, 20_000, 19_999, 0]) {
      const at = START - age * 1000;
      history.accept(sampleTick(at, [{ utilization_ratio: 0.5 }, {}], [sampleEvent(at, null)]));
      await history.flush();
    }
    const db = new DatabaseSync(join(directory, 'history.db'), { readOnly: true });
    const blocks = () => db.prepare('SELECT to_at FROM blocks WHERE level = 0').all().length;
    await expect.poll(blocks).toBe(2);
    await clock.advance(600_000);
    await expect.poll(blocks).toBe(0);
    db.close();
    expect(await history.extent()).toMatchObject({ to: START });
    await expect
      .poll(async () => (await history.events({ from: 0, to: START + 1, limit: 10 })).map(({ at }) => at))
      .toEqual([START]);
    expect(await history.devices()).toHaveLength(2);
  });

  test('a recording is kept whatever its age', async () => {
    const clock = new ManualClock(START + 365 * 86_400_000);
    const history = await openHistory({ directory, origin: 'recorded', clock });
    opened.push(history);
    history.accept(sampleTick(START, [{ utilization_ratio: 0.5 }]));
    await history.flush();
    await clock.advance(1_200_000);
    await history.flush();
    expect(await counts(history, 1)).toEqual([1]);
  });
});
