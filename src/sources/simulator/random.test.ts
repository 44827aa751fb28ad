import fc from 'fast-check';
import { expect, test } from 'vitest';
import { drift, hash32, uniform } from './random.ts';

const streams = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const counters = fc.integer({ min: -100_000, max: 1_000_000 });

test('the same position always gives the same number, in its range', () => {
  fc.assert(
    fc.property(streams, counters, (stream, counter) => {
      const value = uniform(stream, counter);
      expect(uniform(stream, counter)).toBe(value);
      expect(value).toBeGreaterThanOrEqual(0);
      expect(value).toBeLessThan(1);
      expect(Number.isInteger(hash32(stream, counter))).toBe(true);
    }),
  );
});

test('numbers of one stream spread evenly and do not follow one another, and neighbouring streams differ', () => {
  const count = 20_000;
  for (const stream of [0, 1, 2, 0xffffffff, hash32(1, 3)]) {
    const row = Array.from({ length: count }, (_, counter) => uniform(stream, counter) - 0.5);
    const next = Array.from({ length: count }, (_, counter) => uniform(stream + 1, counter) - 0.5);
    const mean = row.reduce((sum, value) => sum + value, 0) / count;
    const variance = row.reduce((sum, value) => sum + value * value, 0) / count;
    const lag = row.reduce((sum, value, i) => sum + value * (row[i + 1] ?? 0), 0) / count / variance;
    const cross = row.reduce((sum, value, i) => sum + value * next[i]!, 0) / count / variance;
    expect(Math.abs(mean)).toBeLessThan(0.01);
    expect(Math.abs(variance - 1 / 12)).toBeLessThan(0.003);
    expect(Math.abs(lag)).toBeLessThan(0.03);
    expect(Math.abs(cross)).toBeLessThan(0.03);
  }
});

test('drift is continuous and stays between −1 and 1', () => {
  for (let x = -5; x < 5; x += 0.01) {
    expect(Math.abs(drift(9, x))).toBeLessThanOrEqual(1);
    expect(Math.abs(drift(9, x + 0.01) - drift(9, x))).toBeLessThan(0.04);
  }
});
