import { expect, test } from 'vitest';
import { ManualClock } from '../model/manual-clock.ts';
import { ScriptedSource, testDevice, testSample } from '../model/scripted-source.ts';
import type { Tick } from '../model/tick.ts';
import { Player } from './player.ts';
import { TickFinisher } from './tick-finisher.ts';

const START = Date.UTC(2025, 0, 1);

/** Plays ticks that were recorded at the given seconds. */
function play(seconds: readonly number[], speed: number) {
  const clock = new ManualClock();
  const gpu = testDevice(0);
  const source = new ScriptedSource('recorded', [gpu], async (_at, call) => {
    const second = seconds[call];
    if (second === undefined) return null;
    return { at: START + second * 1000, monotonic: second * 1000, devices: [testSample(gpu)], events: [] };
  });
  const ticks: Tick[] = [];
  let drains = 0;
  const player = new Player({
    source,
    clock,
    finisher: new TickFinisher(source, null),
    publish: (tick) => ticks.push(tick),
    speed,
    drained: async () => void drains++,
  });
  return { clock, player, ticks, drains: () => drains };
}

test('reads a recording to its end without waiting, keeping its own times', async () => {
  const { player, ticks, drains } = play([0, 1, 2, 3600], Number.POSITIVE_INFINITY);
  await player.finished();
  expect(ticks.slice(0, 4).map(({ at }) => at - START)).toEqual([0, 1000, 2000, 3_600_000]);
  expect(ticks.at(-1)?.events.map(({ kind }) => kind)).toEqual(['recording-ended']);
  expect(player.status()).toMatchObject({ state: 'ended', intervalMs: 1000 });
  expect(drains()).toBe(1);
});

test('tells how far apart the ticks of a recording usually are', async () => {
  const check = async (seconds: readonly number[], want: number | undefined) => {
    const { player } = play(seconds, Number.POSITIVE_INFINITY);
    await player.finished();
    expect(player.status().intervalMs).toBe(want);
  };
  await check([0, 5, 10, 600, 605, 610], 5000);
  await check([10, 15, 3, 8, 13], 5000);
  await check([7], undefined);
});

test('waits for the sinks every 256 ticks', async () => {
  const { player, drains } = play(
    Array.from({ length: 1000 }, (_, second) => second),
    Number.POSITIVE_INFINITY,
  );
  await player.finished();
  expect(drains()).toBe(1000 / 256 - ((1000 / 256) % 1) + 1);
});

test('plays at a given speed', async () => {
  const { clock, ticks } = play([0, 1, 2, 3], 2);
  await clock.advance(0);
  expect(ticks.length).toBe(1);
  await clock.advance(500);
  expect(ticks.length).toBe(2);
  await clock.advance(1000);
  expect(ticks.filter(({ devices }) => devices.length > 0).length).toBe(4);
});

test('does not wait out a long hole', async () => {
  const { clock, ticks } = play([0, 86_400], 1);
  await clock.advance(5000);
  expect(ticks.filter(({ devices }) => devices.length > 0).length).toBe(2);
});

test('stops in the middle', async () => {
  const { clock, player, ticks } = play([0, 1, 2], 1);
  await clock.advance(0);
  player.stop();
  await player.finished();
  await clock.advance(10_000);
  expect(ticks.length).toBe(1);
});
