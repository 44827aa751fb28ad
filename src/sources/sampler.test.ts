import { expect, test } from 'vitest';
import { AppError } from '../model/errors.ts';
import type { GpuEvent } from '../model/event.ts';
import { ManualClock } from '../model/manual-clock.ts';
import type { EventFeed, HostReader } from '../model/ports.ts';
import { ReadingSet } from '../model/reading-set.ts';
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
function bench(
  answer: (call: number, tick: Tick) => Promise<Tick | null>,
  more: { feeds?: readonly EventFeed[]; host?: HostReader } = {},
): Bench {
  const clock = new ManualClock();
  const source = new ScriptedSource('live', [GPU], (at, call) =>
    answer(call, { at, monotonic: clock.monotonic(), devices: [testSample(GPU)], events: [] }),
  );
  const ticks: Tick[] = [];
  const finisher = new TickFinisher(source, null);
  const sampler = new Sampler({
    source,
    clock,
    intervalMs: 1000,
    finisher,
    publish: (tick) => ticks.push(tick),
    ...more,
  });
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

test('reports a stall once, and its end with how long there was no data', async () => {
  const pending = Promise.withResolvers<void>();
  const { clock, sampler, ticks } = bench(async (call, tick) => {
    if (call === 1) await pending.promise;
    return tick;
  });
  await clock.advance(9000);
  expect(sampler.status().state).toBe('running');
  await clock.advance(1000);
  expect(sampler.status().state).toBe('stalled');
  expect(kinds(ticks)).toEqual(['source-stalled']);
  pending.resolve();
  await clock.advance(1000);
  expect(sampler.status().state).toBe('running');
  expect(kinds(ticks)).toEqual(['source-stalled', 'source-recovered']);
  const recovered = ticks.flatMap(({ events }) => events).find(({ kind }) => kind === 'source-recovered');
  expect(recovered?.params).toEqual({ seconds: 10 });
});

test('calls that fail one after the other are a stall too, counted from the last data and not from the last try', async () => {
  const { clock, sampler, ticks } = bench((call, tick) =>
    call > 0 && call < 41
      ? Promise.reject(new AppError('NVML_TIMEOUT', { seconds: 5, call: 'x' }))
      : Promise.resolve(tick),
  );
  await clock.advance(40_000);
  expect(sampler.status()).toMatchObject({ state: 'stalled', failure: { code: 'NVML_TIMEOUT' } });
  await clock.advance(1000);
  const events = ticks.flatMap((tick) => tick.events);
  expect(events.map(({ kind, params }) => [kind, params['seconds']])).toEqual([
    ['source-stalled', 10],
    ['source-recovered', 41],
  ]);
});

test('a driver that takes half a minute to start is not reported as stalled, one that takes longer than a minute is', async () => {
  const pending = Promise.withResolvers<void>();
  const { clock, ticks } = bench(async (_call, tick) => {
    await pending.promise;
    return tick;
  });
  await clock.advance(59_000);
  expect(kinds(ticks)).toEqual([]);
  await clock.advance(1000);
  expect(kinds(ticks)).toEqual(['source-stalled']);
});

test('a source that answers every four seconds at an interval of one is no stall', async () => {
  const { clock, sampler, ticks } = bench(
    (_call, tick) => new Promise((resolve) => clock.after(4000, () => resolve(tick))),
  );
  await clock.advance(40_000);
  expect(kinds(ticks)).toEqual([]);
  expect(sampler.status().state).toBe('running');
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

/** A feed that gives each of its batches once. */
function feedOf(...batches: GpuEvent[][]): EventFeed {
  return { take: () => batches.shift() ?? [], notices: () => [], close: () => Promise.resolve() };
}

const xid = (n: number): GpuEvent => ({ at: n, kind: 'xid', severity: 'critical', uuid: null, params: { xid: n } });

test('events of a feed ride on the next tick, before its own', async () => {
  const { clock, ticks } = bench((_call, tick) => Promise.resolve({ ...tick, events: [xid(1)] }), {
    feeds: [feedOf([xid(79)], [], [xid(48), xid(63)])],
  });
  await clock.advance(2000);
  expect(ticks.map(({ events }) => events.map(({ at }) => at))).toEqual([[79, 1], [1], [48, 63, 1]]);
});

test('events of a feed do not wait for a driver that hangs, nor for a source that fails', async () => {
  const hanging = bench(() => new Promise(() => {}), { feeds: [feedOf([xid(119)])] });
  await hanging.clock.advance(3000);
  expect(hanging.ticks).toMatchObject([{ devices: [], events: [{ params: { xid: 119 } }] }]);
  const failing = bench(() => Promise.reject(new AppError('NVML_TIMEOUT')), { feeds: [feedOf([xid(79)])] });
  await failing.clock.advance(0);
  expect(kinds(failing.ticks)).toEqual(['xid']);
});

test('the host is read at the time of each tick, and also while there is none', async () => {
  const times: number[] = [];
  const sample = { readings: new ReadingSet(), cpuRatios: new Float64Array(1) };
  const host: HostReader = {
    read(monotonic) {
      times.push(monotonic);
      return sample;
    },
    close: () => {},
  };
  const { clock, ticks } = bench((call, tick) => (call < 2 ? Promise.resolve(tick) : new Promise(() => {})), { host });
  await clock.advance(4000);
  expect(times).toEqual([0, 1000, 3000, 4000]);
  expect(ticks.map((tick) => [tick.devices.length, tick.host === sample])).toEqual([
    [1, true],
    [1, true],
    [0, true],
    [0, true],
  ]);
});
