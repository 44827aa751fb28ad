import { expect, test } from 'vitest';
import { slotOf } from '../../model/catalogue.ts';
import type { Tick } from '../../model/tick.ts';
import { scriptedTicks, windowOf } from '../test-ticks.ts';
import { TickLog } from './tick-log.ts';
import { Window } from './window.ts';

const plain = (seconds: number, every = 1): Tick[] =>
  scriptedTicks({
    gpus: 2,
    seconds,
    every,
    readings: (gpu, second) => ({ utilization_ratio: ((second + gpu) % 10) / 10, power_limit_watts: 700 }),
  });

test('columns hold what was sampled, and a constant too', () => {
  const [first] = windowOf(plain(50)).gpus;
  expect([...first!.column('utilization_ratio')!].slice(0, 3).map((value) => value.toFixed(1))).toEqual([
    '0.0',
    '0.1',
    '0.2',
  ]);
  expect(new Set(first!.column('power_limit_watts'))).toEqual(new Set([700]));
  expect(first!.column('temperature_celsius')).toBeNull();
});

test('a metric that is missing once or twice counts as before, for longer or at the end it is NaN, never 0', () => {
  const has = [true, false, false, true, false, false, false, true, false];
  const window = windowOf(
    scriptedTicks({
      gpus: 1,
      seconds: has.length,
      readings: (_, second) => (has[second] ? { power_watts: 300 + second } : { temperature_celsius: 50 }),
    }),
  );
  const { NaN: none } = Number;
  expect([...window.gpus[0]!.column('power_watts')!]).toEqual([300, 300, 300, 303, none, none, none, 307, none]);
  expect(window.gpus[0]!.collected('power_watts')![1]).toBeNaN();
});

test('a missed sample is an empty cell that counts as the one before; a wide hole ends a piece', () => {
  const ticks = plain(60).filter((_, second) => second !== 10 && (second < 30 || second >= 50));
  const window = windowOf(ticks);
  expect(window.stepMs).toBe(1000);
  expect(window.pieces).toEqual([
    { start: 0, end: 30 },
    { start: 30, end: 40 },
  ]);
  const util = window.gpus[0]!.column('utilization_ratio')!;
  expect(util[10]).toBe(util[9]);
  expect(window.secondsOf(() => true)).toBe(40);
  // What people are told about the values has no filled ones in it.
  expect(window.gpus[0]!.collected('utilization_ratio')!.length).toBe(39);
});

test('a device that was forgotten and comes again is there again', () => {
  const [both, ...later] = plain(9);
  const back = later.pop();
  const alone = later.map((tick) => ({ ...tick, devices: tick.devices.slice(0, 1) }));
  const log = new TickLog();
  for (const tick of [both!, ...alone]) log.add(tick);
  log.forget(3);
  expect(log.gpus.size).toBe(1);
  log.add(back!);
  expect([...log.gpus.values()].map(({ samples }) => samples)).toEqual([9, 1]);
});

test('rows that come twice change nothing', () => {
  const once = windowOf(plain(40));
  const twice = windowOf(plain(40).flatMap((tick) => [tick, tick]));
  expect(twice.length).toBe(once.length);
  expect([...twice.gpus[1]!.column('utilization_ratio')!]).toEqual([...once.gpus[1]!.column('utilization_ratio')!]);
});

test('a clock that steps back begins a new piece', () => {
  const ticks = plain(20);
  const late = plain(10).map((tick) => ({ ...tick, at: tick.at - 100_000 }));
  expect(windowOf([...ticks, ...late]).pieces).toEqual([
    { start: 0, end: 20 },
    { start: 20, end: 30 },
  ]);
});

test('memory stays bounded: a recording that is too long is seen less finely', () => {
  const log = new TickLog({ mostValues: 4096 });
  for (const tick of plain(20_000)) log.add(tick);
  const window = new Window(log, { seesXids: false });
  expect(window.length).toBeLessThan(5000);
  expect(window.stepMs % 2000).toBe(0);
  expect(window.to - window.from).toBeGreaterThan(19_900_000);
  const [gpu] = window.gpus;
  const [util] = gpu!.extremes();
  expect(util).toMatchObject({ metric: 'utilization_ratio', count: 20_000, min: 0, max: 0.9 });
  expect(util!.mean).toBeCloseTo(0.45);
  const values = [...gpu!.column('utilization_ratio')!];
  expect(values.reduce((sum, value) => sum + value, 0) / values.length).toBeCloseTo(0.45);
});

test('a slower pace in the second half is one piece, with the time that its cells stand for', () => {
  const fast = plain(100);
  const slow = plain(1000, 10).map((tick) => ({ ...tick, at: tick.at + 100_000 }));
  const window = windowOf([...fast, ...slow]);
  expect(window.pieces.length).toBeLessThanOrEqual(2);
  expect(window.secondsOf(() => true)).toBeGreaterThan(1000);
});

test('an empty recording is an empty window', () => {
  const window = windowOf([]);
  expect([window.length, window.gpus.length, window.from, window.to]).toEqual([0, 0, 0, 0]);
});

test('a sample whose source tells which slots it fills is collected as any other', () => {
  const ticks = plain(50);
  const want = windowOf(ticks);
  const slots = [slotOf('power_limit_watts'), slotOf('temperature_celsius'), slotOf('utilization_ratio')];
  for (const { devices } of ticks) for (const { readings } of devices) readings.slots = slots;
  const found = windowOf(ticks);
  const columnsOf = (window: Window) =>
    window.gpus.map((gpu) => [gpu.extremes(), gpu.column('utilization_ratio'), gpu.column('power_limit_watts')]);
  expect(columnsOf(found)).toEqual(columnsOf(want));
});
