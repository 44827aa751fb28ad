import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type Finding, NAMED_STATES } from '../../model/finding.ts';
import { ManualClock } from '../../model/manual-clock.ts';
import type { Millis } from '../../model/reading.ts';
import { ReadingSet } from '../../model/reading-set.ts';
import type { Tick } from '../../model/tick.ts';
import { openSimulator } from '../../sources/simulator/simulator-source.ts';
import { TickFinisher } from '../../sources/tick-finisher.ts';
import { diagnose } from '../diagnose.ts';
import { scriptedTicks, windowOf } from '../test-ticks.ts';
import { FindingsWatch } from './findings-watch.ts';

const START = Date.UTC(2026, 0, 5, 8);

async function simulated(spec: string, minutes: number): Promise<Tick[]> {
  const source = openSimulator(spec);
  const finisher = new TickFinisher(source, null);
  const ticks: Tick[] = [];
  for (let second = 0; second < 60 * minutes; second++) {
    ticks.push(finisher.finish((await source.sample(START + second * 1000))!));
  }
  return ticks;
}

function watchAt(clock: ManualClock, oldestMs: number | null = null): FindingsWatch {
  return new FindingsWatch({ clock, intervalMs: 1000, seesXids: () => true, oldestMs });
}

const named = (findings: readonly Finding[]): Finding[] => findings.filter(({ state }) => NAMED_STATES.includes(state));

/** Plays ticks in their own time. Gives the seconds after which each rule was first named. */
async function play(watch: FindingsWatch, clock: ManualClock, ticks: readonly Tick[]): Promise<Map<string, number>> {
  const first = new Map<string, number>();
  watch.start();
  for (const [second, tick] of ticks.entries()) {
    await clock.advance(1000);
    watch.accept(tick);
    // Looking is done in turns of the event loop.
    if (second % 15 < 4) await pause(0);
    for (const { rule } of named(watch.findings().findings)) if (!first.has(rule)) first.set(rule, second);
  }
  await watch.stop();
  return first;
}

describe('the verdict on what is watched is that of a report on the same data', () => {
  test.each(['healthy-training', 'data-starved', 'thermal-throttle', 'imbalance', 'gpu-lost,at=10m', 'memory-leak'])(
    '%s',
    async (spec) => {
      const ticks = await simulated(`${spec},gpus=4,history=0`, 20);
      const clock = new ManualClock(START);
      const watch = watchAt(clock);
      await play(watch, clock, ticks);
      await watch.lookAtAll();
      const live = watch.findings().findings.map(({ isCurrent: _, since: __, ...finding }) => finding);
      expect(named(live)).toEqual(named(diagnose(windowOf(ticks))));
    },
  );
});

test('a lack of data is told within a minute, a lost GPU within seconds', async () => {
  const starving = await simulated('data-starved,gpus=8,history=0', 3);
  const clock = new ManualClock(START);
  expect((await play(watchAt(clock), clock, starving)).get('data-starvation')).toBeLessThanOrEqual(60);
  const losing = await simulated('gpu-lost,gpus=8,history=0,at=5m', 6);
  const other = new ManualClock(START);
  const lost = (await play(watchAt(other), other, losing)).get('gpu-lost');
  expect(lost).toBeGreaterThanOrEqual(300);
  expect(lost).toBeLessThanOrEqual(304);
});

const script = (seconds: number, util: (second: number) => number): Tick[] =>
  scriptedTicks({
    gpus: 2,
    seconds,
    readings: (_, second) => ({ utilization_ratio: util(second), power_watts: 100 + 500 * util(second) }),
  });

test('what is over is told as over, and forgotten after an hour', async () => {
  const clock = new ManualClock(START);
  const watch = watchAt(clock);
  const ticks = script(3 * 3600, (second) => (second < 600 ? (second % 8 < 4 ? 0.95 : 0) : 0.95));
  await play(watch, clock, ticks.slice(0, 600));
  expect(watch.findings().findings[0]).toMatchObject({ rule: 'data-starvation', isCurrent: true });
  await play(watch, clock, ticks.slice(600, 1800));
  expect(named(watch.findings().findings)).toMatchObject([{ rule: 'data-starvation', isCurrent: false }]);
  await play(watch, clock, ticks.slice(1800, 6000));
  expect(named(watch.findings().findings)).toEqual([]);
});

test('a GPU that was lost before it could tell its name is the one that is back', async () => {
  const clock = new ManualClock(START);
  const watch = watchAt(clock);
  const absent = ReadingSet.allAbsent('gpu-lost');
  const ticks = script(400, () => 0.9).map((tick, second): Tick => {
    if (second >= 60) return tick;
    const [first, other] = tick.devices;
    const device = { ...first!.device, uuid: 'GPU-index-0', uuidIsDerived: true };
    const events =
      second > 0
        ? []
        : [{ at: tick.at, kind: 'gpu-lost', severity: 'critical', uuid: device.uuid, params: {} } as const];
    return {
      ...tick,
      devices: [{ device, state: 'lost', readings: absent, processes: { absent: 'gpu-lost' } }, other!],
      events,
    };
  });
  const uuid = ticks.at(-1)!.devices[0]!.device.uuid;
  const lost = () =>
    watch.findings().findings.filter(({ rule, state }) => rule === 'gpu-lost' && state === 'confirmed');
  await play(watch, clock, ticks.slice(0, 60));
  expect(lost()).toMatchObject([{ gpus: ['GPU-index-0'], isCurrent: true }]);
  await play(watch, clock, ticks.slice(60, 62));
  expect(lost()).toMatchObject([{ gpus: [uuid] }]);
  await play(watch, clock, ticks.slice(62));
  await watch.lookAtAll();
  expect(lost()).toMatchObject([{ gpus: [uuid], isCurrent: false }]);
});

test('memory stays bounded, and old ticks of a simulation are passed over', async () => {
  const clock = new ManualClock(START + 10 * 3_600_000);
  const watch = watchAt(clock, 3_900_000);
  for (const tick of script(4000, () => 0.9)) watch.accept(tick);
  expect(watch.findings()).toEqual({ at: null, from: null, to: null, headline: null, findings: [] });
  await watch.lookAtAll();
  expect(watch.findings().to).toBeNull();
  const late = script(20_000, (second) => (second % 100) / 100).map((tick): Tick => {
    const at: Millis = tick.at + 9 * 3_600_000;
    return { ...tick, at };
  });
  for (const tick of late) watch.accept(tick);
  await watch.lookAtAll();
  const { from, to } = watch.findings();
  expect(to! - from!).toBeGreaterThanOrEqual(3_190_000);
  expect(to! - from!).toBeLessThan(3_660_000);
});
