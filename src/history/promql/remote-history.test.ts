import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { commandOf } from '../../../scripts/parts.ts';
import { TestServer } from '../../exporters/sinks/test-server.ts';
import { systemClock } from '../../model/clock.ts';
import type { Grid, History, RangeQuery } from '../../model/ports.ts';
import type { Tick } from '../../model/tick.ts';
import { historyContract } from '../history.contract.ts';
import { openHistory } from '../history.ts';
import { KEEP_ALL } from '../retention.ts';
import { sampleTick } from '../sample-ticks.ts';
import { openRemoteHistory } from './remote-history.ts';
import { ENGINES, engineOptions } from './test-engines.ts';

const root = mkdtempSync(join(tmpdir(), 'gpulse-test-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const MINUTE = 60_000;
const METRICS = ['power_watts', 'energy_joules_total', 'clock_event_reasons', 'utilization_ratio'] as const;

/** An hour and a half of two GPUs: gaps, counters that start again, bits that come and go, a spike, a clock set back. */
function longTrace(end: number): Tick[] {
  const ticks: Tick[] = [];
  const start = end - 90 * MINUTE;
  let energy = 1000.25;
  let seed = 7;
  for (let second = 0; second < 5400; second++) {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    energy = second % 1700 === 1650 ? 3 : energy + (seed % 1000) / 8;
    if (second % 900 > 800 && second % 900 < 850) continue;
    const late = second > 4000 && second < 4300 ? 120_000 : 0;
    const at = start + second * 1000 + (seed % 7) - late;
    const bits = (second % 600 < 300 ? 0x4 : 0) | (second % 97 === 0 ? 0x80 : 0) | 0x1;
    const values = { power_watts: second === 2222 ? 999 : (seed % 40_000) / 100, energy_joules_total: energy };
    ticks.push(
      sampleTick(at, [
        { ...values, clock_event_reasons: bits, utilization_ratio: (seed % 100) / 100 },
        second % 5 === 0 ? null : { ...values, energy_joules_total: energy / 2, utilization_ratio: null },
      ]),
    );
  }
  return ticks;
}

type Numbers = readonly (number | null)[];

/** Two ways of adding up the same numbers agree in so much of their sum. */
const AGREEMENT = 1e-8;

/** With the means and the growth of another grid where they are the same but for how they were added up. */
function settled(grid: Grid, other: Grid): Grid {
  const near = (values: Numbers, others: Numbers = []): Numbers =>
    values.map((value, at) => {
      const its = others[at] ?? null;
      return value !== null && its !== null && Math.abs(value - its) <= AGREEMENT * Math.abs(its) ? its : value;
    });
  const series = grid.series.map((one, at) => {
    const its = other.series[at];
    const growth = one.growth === undefined ? {} : { growth: near(one.growth, its?.growth) };
    return { ...one, mean: near(one.mean, its?.mean), ...growth };
  });
  return { ...grid, series };
}

for (const { name, ready, args } of ENGINES) {
  const command = commandOf(name);
  describe.skipIf(command === null)(name, () => {
    let server: TestServer;
    const opened: History[] = [];
    beforeAll(async () => {
      server = await TestServer.start(command ?? '', args, ready);
    });
    afterEach(async () => {
      for (const history of opened.splice(0)) await history.close();
    });
    afterAll(() => server.dispose());

    function options(place: string) {
      return engineOptions(server.url, join(root, name, place), place);
    }

    historyContract(`the history in ${name}`, (place) => openRemoteHistory(options(place)));

    test('says of a long range what the embedded history says', { timeout: 120_000 }, async () => {
      // Up to now, since engines treat what is new in their own way.
      const end = Math.floor(Date.now() / 1000) * 1000;
      const directory = join(root, name, 'embedded');
      const embedded = await openHistory({ directory, origin: 'live', clock: systemClock, retention: KEEP_ALL });
      const remote = await openRemoteHistory(options('long'));
      opened.push(embedded, remote);
      for (const [i, tick] of longTrace(end).entries()) {
        // The engine has even milliseconds.
        const even = { ...tick, at: tick.at - (tick.at % 2) };
        embedded.accept(even);
        remote.accept(even);
        if (i % 500 === 499) await embedded.flush();
      }
      await embedded.flush();
      await remote.flush();
      expect(remote.status()).toMatchObject({ droppedTicks: 0, failure: null });
      const devices = ['GPU-0', 'GPU-1', 'unheard-of'];
      const query = { metrics: METRICS, devices, from: end - 90 * MINUTE, to: end, points: 90 };
      const ranges: Partial<RangeQuery>[] = [
        {},
        { points: 18, from: query.from + 77_003, to: end - 61_001 },
        { points: 5 },
        { points: 500, metrics: ['power_watts'], devices: ['GPU-0'] },
        { points: 300, from: end - 10 * MINUTE + 1, to: end + MINUTE },
        { points: 1, from: query.from - 30 * 86_400_000 },
        { points: 4000 },
      ];
      for (const range of ranges) {
        const [there, here] = await Promise.all([remote, embedded].map((it) => it.range({ ...query, ...range })));
        expect(settled(there!, here!)).toEqual(here);
      }
      expect(await remote.extent()).toEqual(await embedded.extent());
    });
  });
}
