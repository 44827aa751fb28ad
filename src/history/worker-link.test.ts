import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../model/clock.ts';
import { ManualClock } from '../model/manual-clock.ts';
import type { History } from '../model/ports.ts';
import { type HistoryOptions, openHistory } from './history.ts';
import { KEEP_ALL } from './retention.ts';
import { START, sampleDevice, sampleTick } from './sample-ticks.ts';

const root = mkdtempSync(join(tmpdir(), 'gpulse-test-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let directory: string;
const opened: History[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(root, 'own-'));
});
afterEach(async () => {
  for (const history of opened.splice(0)) await history.close();
});

async function start(options: Partial<HistoryOptions> = {}): Promise<History> {
  const history = await openHistory({ directory, origin: 'live', clock: systemClock, retention: KEEP_ALL, ...options });
  opened.push(history);
  return history;
}

/** Rows of the first GPU within ten seconds of the start. */
async function counts(history: History): Promise<readonly number[] | undefined> {
  const [from, to] = [START, START + 10_000];
  const grid = await history.range({ metrics: ['utilization_ratio'], devices: ['GPU-0'], from, to, points: 1 });
  return grid.series[0]?.count;
}

test('a worker that dies is started again, and what it had written is there', async () => {
  const clock = new ManualClock();
  const workers: Worker[] = [];
  const remember = (worker: Worker) => workers.push(worker);
  process.on('worker', remember);
  const history = await start({ clock });
  process.off('worker', remember);
  history.accept(sampleTick(START, [{ utilization_ratio: 0.1 }]));
  await history.flush();
  // Node itself may crash when a thread is ended in the middle of a statement, and what is tested here is what follows.
  await new Promise((resolve) => setTimeout(resolve, 200));
  await workers[0]?.terminate();
  await expect.poll(() => history.status().failure?.code).toBe('HISTORY_STOPPED');
  await expect(history.extent()).rejects.toMatchObject({ code: 'HISTORY_STOPPED' });
  history.accept(sampleTick(START + 1000, [{ utilization_ratio: 0.2 }]));
  expect(history.status().droppedTicks).toBe(1);
  await clock.advance(5000);
  await expect.poll(() => history.extent().catch(() => null), { timeout: 10_000 }).not.toBeNull();
  history.accept(sampleTick(START + 2000, [{ utilization_ratio: 0.3 }]));
  await history.flush();
  expect(history.status()).toMatchObject({ droppedTicks: 1, failure: null });
  expect(await counts(history)).toEqual([2]);
  expect(await history.devices()).toEqual([sampleDevice(0)]);
});

test('a worker that cannot start is started again and again, but only one at a time', async () => {
  const clock = new ManualClock();
  let [started, died]: [Worker | null, number] = [null, 0];
  const remember = (worker: Worker) => {
    started = worker;
  };
  process.on('worker', remember);
  const history = await start({ clock });
  process.off('worker', remember);
  // Ended before it runs any code.
  const kill = (worker: Worker) => void worker.terminate().then(() => died++);
  process.on('worker', kill);
  try {
    await new Promise((resolve) => setTimeout(resolve, 200));
    await (started as Worker | null)?.terminate();
    for (let round = 1; round <= 4; round++) {
      await expect.poll(() => history.status().failure?.code).toBe('HISTORY_STOPPED');
      await clock.advance(5000);
      await expect.poll(() => died).toBe(round);
      // What was started twice would have died by now too.
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(died).toBe(round);
    }
  } finally {
    process.off('worker', kill);
  }
  await clock.advance(5000);
  const isBack = () =>
    history.extent().then(
      () => true,
      () => false,
    );
  await expect.poll(isBack).toBe(true);
});

test('a closed history ends its worker in good order, whatever that was about', async () => {
  const workers: Worker[] = [];
  const remember = (worker: Worker) => workers.push(worker);
  process.on('worker', remember);
  const history = await start({ blockRows: 20 });
  process.off('worker', remember);
  const ended = once(workers[0]!, 'exit');
  for (let i = 0; i < 2000; i++) history.accept(sampleTick(START + i * 1000, [{ power_watts: i % 77 }]));
  const query = { metrics: ['power_watts'] as const, devices: ['GPU-0'], from: START, to: START + 2e6, points: 500 };
  const asked = Array.from({ length: 20 }, () => history.range(query).catch(() => null));
  await history.close();
  await Promise.all(asked);
  // A thread that is ended by force has another one.
  expect(await ended).toEqual([0]);
});
