import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backOffMs, retryAfterMs } from './retry.ts';

test('waits double up to a minute, and never fall below half of that', () => {
  const check = (failures: number, most: number) => {
    expect(backOffMs(failures, 1)).toBe(most);
    expect(backOffMs(failures, 0)).toBe(most / 2);
  };
  check(1, 1000);
  check(2, 2000);
  check(6, 32_000);
  check(7, 60_000);
  check(5000, 60_000);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2000 }), fc.double({ min: 0, max: 1, noNaN: true }), (failures, random) => {
      const wait = backOffMs(failures, random);
      expect(wait).toBeGreaterThanOrEqual(500);
      expect(wait).toBeLessThanOrEqual(60_000);
    }),
  );
});

test('waits grow no longer than they may, but for the first second', () => {
  const check = (longest: number, waits: readonly number[]) =>
    expect([1, 2, 3, 4, 5, 20].map((failures) => backOffMs(failures, 1, longest))).toEqual(waits);
  check(10_000, [1000, 2000, 4000, 8000, 10_000, 10_000]);
  check(25, [1000, 1000, 1000, 1000, 1000, 1000]);
  check(900_000, [1000, 2000, 4000, 8000, 16_000, 60_000]);
});

test('Retry-After is seconds or a date', () => {
  const now = Date.UTC(2026, 0, 1);
  const check = (header: string | null, ms: number | null) => expect(retryAfterMs(header, now)).toBe(ms);
  check('7', 7000);
  check('0', 0);
  check('1.5', 1500);
  check(new Date(now + 30_000).toUTCString(), 30_000);
  check('86400', 900_000);
  check(null, null);
  check('', null);
  check('soon', null);
  check('-3', null);
  check(new Date(now - 30_000).toUTCString(), null);
});
