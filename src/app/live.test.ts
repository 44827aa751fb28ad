import { expect, test } from 'vitest';
import { ManualClock } from '../model/manual-clock.ts';
import type { Origin } from '../model/ports.ts';
import type { Update } from '../model/reader.ts';
import { testDevice, testSample } from '../model/scripted-source.ts';
import { Live } from './live.ts';

function bench(origin: Origin) {
  const clock = new ManualClock();
  const live = new Live({ clock, origin, staleAfterMs: 3000 });
  const accept = (...indexes: number[]) =>
    live.accept({
      at: clock.now(),
      monotonic: clock.monotonic(),
      devices: indexes.map((index) => testSample(testDevice(index))),
      events: [],
    });
  const states = () => live.snapshot().devices.map(({ device, state }) => `${device.index} ${state}`);
  return { clock, live, accept, states };
}

test('is empty before the first tick', () => {
  expect(bench('live').live.snapshot()).toEqual({ sequence: 0, at: null, devices: [] });
});

test('lists devices by index, whatever the order of a tick', () => {
  const { accept, states } = bench('live');
  accept(3, 0);
  accept(1);
  expect(states()).toEqual(['0 ok', '1 ok', '3 ok']);
});

test('a device that misses three ticks keeps its last sample and is stale', async () => {
  const { accept, states } = bench('recorded');
  accept(0, 1);
  accept(0);
  accept(0);
  expect(states()).toEqual(['0 ok', '1 ok']);
  accept(0);
  expect(states()).toEqual(['0 ok', '1 stale']);
  accept(0, 1);
  expect(states()).toEqual(['0 ok', '1 ok']);
});

test('without ticks everything of this host turns stale, a recording does not', async () => {
  const [live, recorded] = [bench('live'), bench('recorded')];
  for (const { accept, clock } of [live, recorded]) {
    accept(0);
    await clock.advance(3001);
  }
  expect(live.states()).toEqual(['0 stale']);
  expect(recorded.states()).toEqual(['0 ok']);
});

test('a device that its driver gives every five seconds is not stale in between, and stale when it stops', async () => {
  const { accept, clock, states } = bench('live');
  accept(0, 1);
  for (let second = 1; second <= 10; second++) {
    await clock.advance(1000);
    if (second % 5 === 0) accept(0, 1);
    else accept(0);
  }
  await clock.advance(4000);
  accept(0);
  expect(states()).toEqual(['0 ok', '1 ok']);
  await clock.advance(9000);
  accept(0);
  expect(states()).toEqual(['0 ok', '1 stale']);
});

test('a lost device keeps the time at which it last gave data', async () => {
  const { live, accept, clock } = bench('live');
  accept(0);
  const { at } = live.snapshot();
  await clock.advance(5000);
  const lost = { ...testSample(testDevice(0)), state: 'lost' as const };
  live.accept({ at: clock.now(), monotonic: clock.monotonic(), devices: [lost], events: [] });
  expect(live.snapshot().devices).toMatchObject([{ state: 'lost', at }]);
});

test('a card that was known by its place only gives way to the one that tells its name', () => {
  const { live, clock, states } = bench('live');
  const accept = (uuid: string, uuidIsDerived: boolean) =>
    live.accept({
      at: clock.now(),
      monotonic: 0,
      devices: [testSample({ ...testDevice(2), uuid, uuidIsDerived })],
      events: [],
    });
  accept('GPU-index-2', true);
  accept('GPU-true', false);
  expect(states()).toEqual(['2 ok']);
  expect(live.snapshot().devices[0]?.device.uuid).toBe('GPU-true');
});

test('a tick without devices passes its events on and leaves the time of the data alone', () => {
  const { clock, live, accept } = bench('live');
  accept(0);
  const at = live.snapshot().at;
  const updates: Update[] = [];
  const stop = live.subscribe((update) => updates.push(update));
  const event = { at: clock.now(), kind: 'marker', severity: 'info', uuid: null, params: { text: 'x' } } as const;
  live.accept({ at: clock.now() + 5000, monotonic: 0, devices: [], events: [event] });
  expect(live.snapshot()).toMatchObject({ sequence: 1, at });
  expect(updates.map(({ events }) => events)).toEqual([[event]]);
  stop();
  accept(0);
  expect(updates.length).toBe(1);
});
