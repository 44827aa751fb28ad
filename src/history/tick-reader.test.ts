import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../model/clock.ts';
import type { History, StoredTick } from '../model/ports.ts';
import type { Tick } from '../model/tick.ts';
import { openHistory } from './history.ts';
import { KEEP_ALL } from './retention.ts';
import { START, sampleTick } from './sample-ticks.ts';
import { openTickReader } from './tick-reader.ts';

const FOREVER = Number.MAX_SAFE_INTEGER;
let directory: string;
let history: History;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gpulse-test-'));
  history = await openHistory({ directory, origin: 'live', clock: systemClock, retention: KEEP_ALL, blockRows: 20 });
});

afterEach(async () => {
  await history.close();
  rmSync(directory, { recursive: true, force: true });
});

async function store(ticks: readonly Tick[]): Promise<void> {
  for (const tick of ticks) {
    history.accept(tick);
    await history.flush();
  }
}

async function read(from = 0, to = FOREVER): Promise<StoredTick[]> {
  const reader = openTickReader(directory);
  const ticks: StoredTick[] = [];
  for await (const tick of reader.ticks(from, to)) ticks.push(tick);
  reader.close();
  return ticks;
}

function plain({ at, devices, host }: Tick): StoredTick {
  const samples = devices.map(({ device, state, readings }) => ({ device, state, readings }));
  return { at, samples, host: host?.readings ?? null };
}

test('every tick comes back as it was sampled, with reasons, states and the host, while it is written', async () => {
  // More devices than share a block, some of them lost, some not there at every tick.
  const ticks = Array.from({ length: 130 }, (_, i) => {
    const rows = Array.from({ length: i % 7 === 0 ? 18 : 20 }, (_, gpu) =>
      gpu === 3 && i > 50 ? null : { utilization_ratio: (i % 100) / 100, power_watts: gpu === 5 ? null : i + gpu / 8 },
    );
    const tick = sampleTick(START + i * 1000, rows);
    return i % 2 === 0
      ? tick
      : { ...tick, host: { readings: tick.devices[0]!.readings.clone(), cpuRatios: new Float64Array() } };
  });
  await store(ticks);
  expect(await read()).toEqual(ticks.map(plain));
  expect(await read(START + 33_000, START + 90_000)).toEqual(ticks.slice(33, 90).map(plain));
  expect(await read(START + 33_001, START + 33_999)).toEqual([]);
  const reader = openTickReader(directory);
  expect(await reader.metrics(0, FOREVER)).toEqual(['utilization_ratio', 'power_watts']);
  expect(await reader.metrics(FOREVER - 1, FOREVER)).toEqual([]);
  expect(reader.extent()).toEqual({ from: START, to: START + 129_000 });
  expect(reader.devices()).toHaveLength(20);
  expect([reader.isComplete, reader.damaged]).toEqual([true, 0]);
  reader.close();
});

test('what comes after the reader was opened is not seen, and what is sealed meanwhile is neither missed nor read twice', async () => {
  const tick = (i: number) => sampleTick(START + i * 1000, [{ power_watts: i }]);
  await store(Array.from({ length: 100 }, (_, i) => tick(i)));
  const reader = openTickReader(directory);
  const seen: number[] = [];
  for await (const { at } of reader.ticks(0, FOREVER)) {
    if (seen.length === 10) await store(Array.from({ length: 100 }, (_, i) => tick(100 + i)));
    seen.push(at);
  }
  reader.close();
  expect(seen).toEqual(Array.from({ length: 100 }, (_, i) => START + i * 1000));
});

test('a clock that is set back shows: ticks come in the order in which they were sampled', async () => {
  const ticks = [0, 1000, 500_000, 501_000, 2000, 3000].map((late) =>
    sampleTick(START + late, [{ power_watts: late }]),
  );
  await store(ticks);
  expect((await read()).map(({ at }) => at - START)).toEqual([0, 1000, 500_000, 501_000, 2000, 3000]);
});

test('names what is wrong with a directory', () => {
  expect(() => openTickReader(join(directory, 'nothing'))).toThrow(expect.objectContaining({ code: 'NO_HISTORY' }));
});
