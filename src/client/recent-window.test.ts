import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ApiSeries } from '../model/api.ts';
import type { LiveState } from './live-state.ts';
import { RecentWindow } from './recent-window.ts';
import { testGpu } from './test-gpu.ts';
import { UtilisationHistory } from './utilisation-history.ts';

const MINUTE = 60_000;
const T0 = 1_800_000_000_000;

function buckets(window: RecentWindow, now: number): [at: number, min: number, mean: number, max: number][] {
  const out: [number, number, number, number][] = [];
  window.forEach(now, (...bucket) => out.push(bucket));
  return out;
}

test('samples of one bucket are folded into smallest, mean and largest', () => {
  const window = new RecentWindow(MINUTE, 10_000);
  for (const [at, value] of [
    [0, 0.2],
    [1000, 0.6],
    [9999, 0.4],
    [30_000, 1],
  ] as const) {
    window.add(T0 + at, value);
  }
  const [first, second] = buckets(window, T0 + 35_000);
  expect(first?.map((n) => Number(n.toFixed(6)))).toEqual([T0, 0.2, 0.4, 0.6]);
  expect(second).toEqual([T0 + 30_000, 1, 1, 1]);
  expect(window.mean(T0 + 35_000)).toBeCloseTo(2.2 / 4);
});

test('what is older than the span is not in it, and an empty window has no mean', () => {
  const window = new RecentWindow(MINUTE, 10_000);
  expect(window.mean(T0)).toBeNull();
  window.add(T0, 0.5);
  expect(window.mean(T0 + 59_000)).toBe(0.5);
  expect(window.mean(T0 + 60_000)).toBeNull();
  expect(buckets(window, T0 + 60_000)).toEqual([]);
});

test('holds what a plain list of samples would hold', () => {
  const sample = fc.tuple(fc.integer({ min: 0, max: 30 }), fc.double({ min: 0, max: 1, noNaN: true }));
  fc.assert(
    fc.property(fc.array(sample, { minLength: 1, maxLength: 80 }), (steps) => {
      const window = new RecentWindow(MINUTE, 10_000);
      const all: [number, number][] = [];
      let at = T0;
      for (const [seconds, value] of steps) {
        at += seconds * 1000;
        window.add(at, value);
        all.push([at, value]);
      }
      const oldest = Math.floor(at / 10_000) * 10_000 - 50_000;
      const inside = all.filter(([time]) => time >= oldest).map(([, value]) => value);
      expect(window.mean(at)).toBeCloseTo(inside.reduce((a, b) => a + b, 0) / inside.length);
      const shown = buckets(window, at);
      expect(Math.max(...shown.map(([, , , max]) => max))).toBe(Math.max(...inside));
      expect(Math.min(...shown.map(([, min]) => min))).toBe(Math.min(...inside));
    }),
  );
});

test('UtilisationHistory joins the filled past with later ticks and counts nothing twice', () => {
  const history = new UtilisationHistory();
  const grid: ApiSeries = {
    from: T0,
    to: T0 + 20_000,
    bucketMs: 10_000,
    intervalMs: 1000,
    at: [T0, T0 + 10_000],
    series: [
      {
        gpu: 'GPU-0',
        metric: 'utilization_ratio',
        unit: 'ratio',
        min: [0.1, null],
        mean: [0.2, null],
        max: [0.3, null],
        count: [10, 0],
      },
    ],
  };
  history.fill(grid);
  const state = (at: number, value: number | null, sampledAt = at): LiveState => ({
    at,
    host: 'node',
    source: 'test',
    sequence: 1,
    machine: null,
    gpus: [testGpu({ at: sampledAt, readings: { utilization_ratio: value } })],
  });
  history.add(state(T0 + 19_000, 0.9));
  expect(history.mean('GPU-0', T0 + 20_000)).toBeCloseTo(0.2);
  history.add(state(T0 + 20_000, 1));
  history.add(state(T0 + 21_000, null));
  history.add(state(T0 + 22_000, 1, T0 + 5000));
  expect(history.mean('GPU-0', T0 + 22_000)).toBeCloseTo((0.2 * 10 + 1) / 11);
  expect(history.mean('GPU-0', T0 + 22_000, 10_000)).toBe(1);
  expect(history.mean('GPU-0', T0 + 40_000, 10_000)).toBeNull();
  expect(history.mean('GPU-1', T0)).toBeNull();
});
