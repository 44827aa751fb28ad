import { expect, test } from 'vitest';
import { AppError } from '../model/errors.ts';
import { ManualClock } from '../model/manual-clock.ts';
import { ScriptedSource, testDevice, testSample } from '../model/scripted-source.ts';
import type { Tick } from '../model/tick.ts';
import { Sampler } from './sampler.ts';
import { TickFinisher } from './tick-finisher.ts';

const GPU = testDevice(0);

interface Bench {
  clock: ManualClock;
  source: ScriptedSource;
  sampler: Sampler;
  ticks: Tick[];
}

/** A sampler at one tick per second over a source whose calls are answered by `answer`. */
function bench(answer: (call: number, tick: Tick) => Promise<Tick | null>): Bench {
  const clock = new ManualClock();
  const source = new ScriptedSource('live', [GPU], (at, call) =>
    answer(call, { at, monotonic: clock.monotonic(), devices: [testSample(GPU)], events: [] }),
  );
  const ticks: Tick[] = [];
  const finisher = new TickFinisher(source, () => ({ name: null, user: null }));
  const sampler = new Sampler({ source, clock, intervalMs: 1000, finisher, publish: (tick) => ticks.push(tick) });
  return { clock, source, sampler, ticks };
}

const kinds = (ticks: readonly Tick[]): string[] => ticks.flatMap(({ events }) => events.map(({ kind }) => kind));

test('samples at once and then at every interval', async () => {
  const { clock, ticks } = bench((_call, tick) => Promise.resolve(tick));
  const start = clock.now();
  await clock.advance(3000);
  expect(ticks.map(({ at }) => at - start)).toEqual([0, 1000, 2000, 3000]);
});

test('never asks while a call is under way, and counts what it missed', async () => {
  const pending = Promise.withResolvers<Tick | null>();
  const { clock, source, sampler } = bench(() => pending.promise);
  await clock.advance(2000);
  expect(source.calls).toBe(1);
  expect(sampler.status().missedTicks).toBe(2);
});

test('reports a stall once, and its end with how long it took', async () => {
  const pending = Promise.withResolvers<void>();
  const { clock, sampler, ticks } = bench(async (call, tick) => {
    if (call === 1) await pending.promise;
    return tick;
  });
  await clock.advance(10_000);
  expect(sampler.status().state).toBe('stalled');
  expect(kinds(ticks)).toEqual(['source-stalled']);
  pending.resolve();
  await clock.advance(1000);
  expect(sampler.status().state).toBe('running');
  expect(kinds(ticks)).toEqual(['source-stalled', 'source-recovered']);
  const recovered = ticks.flatMap(({ events }) => events).find(({ kind }) => kind === 'source-recovered');
  expect(recovered?.params).toEqual({ seconds: 9 });
});

test('a slow answer is no step of the wall clock', async () => {
  const pending = Promise.withResolvers<void>();
  const { clock, ticks } = bench(async (call, tick) => {
    if (call === 1) await pending.promise;
    return { ...tick, monotonic: clock.monotonic() };
  });
  await clock.advance(12_000);
  pending.resolve();
  await clock.advance(3000);
  expect(kinds(ticks)).not.toContain('clock-stepped');
});

test('a failed call is remembered and the next one is tried', async () => {
  const { clock, sampler, ticks } = bench((call, tick) =>
    call === 1 ? Promise.reject(new AppError('NVML_NO_DEVICES')) : Promise.resolve(tick),
  );
  await clock.advance(1000);
  expect(sampler.status().failure?.code).toBe('NVML_NO_DEVICES');
  await clock.advance(1000);
  expect(sampler.status().failure).toBeNull();
  expect(ticks.length).toBe(2);
});

test('publishes nothing after it was stopped, even if a call under way answers', async () => {
  const pending = Promise.withResolvers<void>();
  const { clock, sampler, ticks } = bench(async (_call, tick) => {
    await pending.promise;
    return tick;
  });
  sampler.stop();
  pending.resolve();
  await clock.advance(5000);
  expect(ticks).toEqual([]);
});

test('a GPU that is known but has never answered is shown as stale, not hidden', async () => {
  const { clock, source, ticks } = bench((_call, tick) => Promise.resolve(tick));
  source.known.push(testDevice(1));
  await clock.advance(1000);
  expect(ticks.at(-1)?.devices.map(({ device, state }) => [device.index, state])).toEqual([
    [0, 'ok'],
    [1, 'stale'],
  ]);
});
