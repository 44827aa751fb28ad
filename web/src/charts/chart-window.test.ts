import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ApiSeries } from '../../../src/model/api.ts';
import { ChartWindow } from './chart-window.ts';

const T0 = 1_800_000_000_000;

function grid(values: (number | null)[], metric = 'power_watts', bucketMs = 1000): ApiSeries {
  return {
    from: T0,
    to: T0 + values.length * bucketMs,
    bucketMs,
    intervalMs: 1000,
    at: values.map((_, i) => T0 + i * bucketMs),
    series: [
      {
        gpu: 'GPU-0',
        metric,
        unit: metric === 'clock_event_reasons' ? 'bits' : 'watts',
        min: values,
        mean: values,
        max: values,
        count: values.map((value) => (value === null ? 0 : 1)),
      },
    ],
  };
}

test('a tick in a new bucket is added, one in the last bucket is merged, one that was answered is left out', () => {
  const window = new ChartWindow(grid([1, 2]));
  window.append(T0 + 1500, () => 100);
  expect(window.column('power_watts')?.max).toEqual([1, 2]);
  window.append(T0 + 2000, () => 3);
  window.append(T0 + 2500, () => 5);
  expect(window.at.map((at) => at - T0)).toEqual([0, 1000, 2000]);
  expect(window.column('power_watts')).toEqual({ min: [1, 2, 3], mean: [1, 2, 4], max: [1, 2, 5], count: [1, 1, 2] });
});

test('an absent value makes an empty bucket, not a zero', () => {
  const window = new ChartWindow(grid([1]));
  window.append(T0 + 1000, () => null);
  expect(window.column('power_watts')).toEqual({ min: [1, null], mean: [1, null], max: [1, null], count: [1, 0] });
});

test('a hole in time leaves an empty bucket', () => {
  const window = new ChartWindow(grid([1]));
  window.append(T0 + 60_000, () => 2);
  expect(window.at.map((at) => at - T0)).toEqual([0, 1000, 60_000]);
  expect(window.column('power_watts')?.mean).toEqual([1, null, 2]);
});

test('bit sets are joined and have no mean', () => {
  const window = new ChartWindow(grid([], 'clock_event_reasons'));
  window.append(T0 + 100, () => 0x4);
  window.append(T0 + 200, () => 0x40);
  expect(window.column('clock_event_reasons')).toMatchObject({ max: [0x44], mean: [null] });
});

test('dropBefore forgets buckets that ended, and the answer is not changed', () => {
  const answer = grid([1, 2, 3]);
  const window = new ChartWindow(answer);
  window.dropBefore(T0 + 1500);
  expect(window.at).toEqual([T0 + 1000, T0 + 2000]);
  expect(window.column('power_watts')?.max).toEqual([2, 3]);
  expect(answer.at).toHaveLength(3);
  window.dropBefore(T0 + 60_000);
  expect(window.at).toEqual([]);
  window.append(T0 + 61_000, () => 9);
  expect(window.column('power_watts')?.max).toEqual([9]);
});

test('between sparse samples the nearest one is read, in a gap none', () => {
  const window = new ChartWindow(grid([5, null, null, 6, null, null, null, null, 7], 'power_watts', 500));
  const values = window.column('power_watts')!.mean;
  const check = (index: number, want: number) => expect(window.nearestWith(values, index), `at ${index}`).toBe(want);
  check(0, 0);
  check(1, 0);
  check(2, 3);
  check(3, 3);
  check(5, 3);
  check(6, 8);
  const gap = new ChartWindow(grid([5, null, null, null, null, null, 6]));
  expect(gap.nearestWith(gap.column('power_watts')!.mean, 3)).toBe(3);
  expect(new ChartWindow(grid([])).nearestWith([], 0)).toBe(0);
});

test('isEmpty tells a range without any value', () => {
  expect(new ChartWindow(grid([])).isEmpty).toBe(true);
  expect(new ChartWindow(grid([null, null])).isEmpty).toBe(true);
  expect(new ChartWindow(grid([null, 0])).isEmpty).toBe(false);
});

test('has tells whether there is anything to draw', () => {
  expect(new ChartWindow(grid([null, null])).has('power_watts')).toBe(false);
  expect(new ChartWindow(grid([null, 0])).has('power_watts')).toBe(true);
  expect(new ChartWindow(grid([1])).has('temperature_celsius')).toBe(false);
});

test('following ticks gives the buckets the server would have made', () => {
  const steps = fc.array(fc.tuple(fc.integer({ min: 100, max: 4000 }), fc.integer({ min: 0, max: 700 })), {
    minLength: 1,
  });
  fc.assert(
    fc.property(steps, fc.constantFrom(1000, 2000, 10_000), (ticks, bucketMs) => {
      const window = new ChartWindow(grid([], 'power_watts', bucketMs));
      const buckets = new Map<number, number[]>();
      let at = T0;
      for (const [step, watts] of ticks) {
        at += step;
        window.append(at, () => watts);
        const bucket = Math.floor(at / bucketMs) * bucketMs;
        buckets.set(bucket, [...(buckets.get(bucket) ?? []), watts]);
      }
      const column = window.column('power_watts')!;
      expect([...window.at]).toEqual([...window.at].sort((a, b) => a - b));
      for (const [i, start] of window.at.entries()) {
        const samples = buckets.get(start) ?? [];
        expect(column.count[i]).toBe(samples.length);
        if (samples.length === 0) continue;
        expect(column.min[i]).toBe(Math.min(...samples));
        expect(column.max[i]).toBe(Math.max(...samples));
        expect(column.mean[i]).toBeCloseTo(samples.reduce((a, b) => a + b, 0) / samples.length);
      }
      expect([...buckets.keys()].every((start) => window.at.includes(start))).toBe(true);
    }),
  );
});
