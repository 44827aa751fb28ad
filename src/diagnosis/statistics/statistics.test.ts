import fc from 'fast-check';
import { expect, test } from 'vitest';
import { beat, cycles } from './rhythm.ts';
import { correlation, outliers, spreadOf, theilSen } from './robust.ts';
import { joined, stretches } from './stretches.ts';
import { mean, meanUnder, median, medianUnder, present, quantiles, quantilesUnder } from './summary.ts';

const floats = fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 300 });

test('quantiles are those of the sorted values, few or many', () => {
  fc.assert(
    fc.property(floats, fc.float({ min: 0, max: 1, noNaN: true }), fc.boolean(), (numbers, share, isLong) => {
      // Long enough for the way that does not sort.
      const values = Float32Array.from(
        isLong ? Array.from({ length: 5000 }, (_, i) => numbers[i % numbers.length]!) : numbers,
      );
      const sorted = values.slice().sort();
      const rank = Math.min(values.length - 1, Math.max(0, Math.ceil(share * values.length) - 1));
      expect(Math.abs(quantiles(values, [share])[0]! - sorted[rank]!)).toBe(0);
    }),
  );
});

test('what is not there is left out', () => {
  const values = Float32Array.of(1, Number.NaN, 3, 5);
  expect([...present(values)]).toEqual([1, 3, 5]);
  expect([...present(values, Uint8Array.of(1, 1, 0, 1))]).toEqual([1, 5]);
  expect(quantiles(new Float32Array(0), [0.5])).toEqual([Number.NaN]);
});

test('under a mask statistics are those of what is there', () => {
  const cell = fc.record({ value: fc.float(), isPicked: fc.boolean() });
  fc.assert(
    fc.property(fc.array(cell, { maxLength: 600 }), (cells) => {
      const values = Float32Array.from(cells, ({ value }) => value);
      const mask = Uint8Array.from(cells, ({ isPicked }) => (isPicked ? 1 : 0));
      for (const picked of [mask, null]) {
        const there = present(values, picked);
        expect(quantilesUnder(values, picked, [0.05, 0.95])).toEqual(quantiles(there, [0.05, 0.95]));
        expect(medianUnder(values, picked)).toBe(median(there));
        expect(meanUnder(values, picked)).toBe(mean(there));
      }
    }),
  );
});

test('the slope of Theil and Sen does not mind outliers', () => {
  const xs = Array.from({ length: 40 }, (_, i) => i);
  const ys = xs.map((x) => (x % 10 === 3 ? 1e6 : 5 + 2 * x));
  expect(theilSen(xs, ys)).toBeCloseTo(2);
  expect(theilSen([1], [1])).toBe(0);
});

test('outliers: one of many, not two groups, and not within the noise', () => {
  const check = (values: number[], direction: 1 | -1, want: number[]) =>
    expect(outliers(values, 0.15, direction).map(({ index }) => index)).toEqual(want);
  check([100, 101, 99, 100, 160], 1, [4]);
  check([100, 101, 99, 100, 60], -1, [4]);
  check([100, 101, 60, 61], -1, []);
  check([100, 140, 60, 100, 130], 1, []);
  check([100, 200], 1, []);
});

test('correlation', () => {
  const up = Float32Array.from({ length: 50 }, (_, i) => i);
  expect(
    correlation(
      up,
      up.map((value) => 3 - value),
    ),
  ).toBeCloseTo(-1);
  expect(correlation(up, new Float32Array(50).fill(2))).toBe(0);
  expect(correlation(up.subarray(0, 5), up.subarray(0, 5))).toBe(0);
});

test('spread of the bulk', () => {
  expect(spreadOf([10, 10, 10, 1000])).toBe(0);
  expect(median([3, 1, 2])).toBe(2);
});

test('a beat is found with its own period, not a multiple of it', () => {
  const wave = (period: number, jitter: number) =>
    Float32Array.from({ length: 600 }, (_, i) => ((i + jitter * Math.sin(i)) % period < period / 2 ? 0.95 : 0.02));
  expect(beat(wave(8, 0))?.lag).toBe(8);
  expect(beat(wave(30, 1))?.lag).toBeGreaterThan(27);
  expect(beat(wave(30, 1))?.lag).toBeLessThan(33);
  expect(beat(new Float32Array(600).fill(0.9))).toBeNull();
});

test('chance has no beat', () => {
  let seed = 7;
  const random = (): number => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const values = Float32Array.from({ length: 600 }, () => (random() < 0.5 ? 0.9 : 0));
  expect(beat(values)?.strength ?? 0).toBeLessThan(0.3);
});

test('cycles count full swings only', () => {
  expect(cycles(Float32Array.of(0, 0.9, 0.5, 0.9, 0.1, 0.7, 0.4, 0, 0.5))).toBe(2);
});

test('stretches and joining them', () => {
  const cells = [0, 1, 1, 0, 1, 0, 0, 0, 1];
  const found = stretches({ start: 0, end: cells.length }, (cell) => cells[cell] === 1);
  expect(found).toEqual([
    { start: 1, end: 3 },
    { start: 4, end: 5 },
    { start: 8, end: 9 },
  ]);
  expect(joined(found, 1)).toEqual([
    { start: 1, end: 5 },
    { start: 8, end: 9 },
  ]);
});
