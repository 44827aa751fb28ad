import { expect, test } from 'vitest';
import { gridShape, medianOf, niceWidth } from './range.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

test('a width is the next nice one', () => {
  const check = (atLeast: number, want: number) => expect(niceWidth(atLeast), `${atLeast}`).toBe(want);
  check(-5, 100);
  check(0, 100);
  check(101, 200);
  check(500, 500);
  check(501, 1000);
  check(2001, 5000);
  check(10_001, 15_000);
  check(59_000, 60_000);
  check(172_800, 300_000);
  check(30 * 60_000, 30 * 60_000);
  check(30 * 60_000 + 1, HOUR);
  check(4 * HOUR, 6 * HOUR);
  check(13 * HOUR, DAY);
  check(DAY + 1, 2 * DAY);
  check(3 * DAY, 5 * DAY);
  check(7 * DAY, 10 * DAY);
  check(365 * DAY, 500 * DAY);
});

test('a grid is as fine as the points and the data allow', () => {
  const check = (span: number, points: number, interval: number | null, want: number) =>
    expect(gridShape(0, span, points, interval).bucketMs, `${span} ms, ${points} points, ${interval}`).toBe(want);
  check(DAY, 500, 1000, 300_000);
  check(HOUR, 3600, 1000, 1000);
  check(HOUR, 11_000, 1000, 1000);
  check(HOUR, 11_000, 1049, 1000);
  check(HOUR, 11_000, 1060, 2000);
  check(10_000, 100, 100, 100);
  check(10_000, 1000, 100, 100);
  check(10_000, 1000, 30_000, 30_000);
  check(10_000, 10, null, 1000);
});

test('a grid covers the range and not a bucket more', () => {
  const check = (from: number, to: number, want: { start: number; buckets: number }) =>
    expect(gridShape(from, to, 10, 1000), `${from}…${to}`).toEqual({ ...want, bucketMs: 1000 });
  check(0, 10_000, { start: 0, buckets: 10 });
  check(1, 10_000, { start: 0, buckets: 10 });
  check(500, 10_500, { start: 0, buckets: 11 });
  check(999, 1001, { start: 0, buckets: 2 });
  check(1000, 1001, { start: 1000, buckets: 1 });
  check(5000, 5000, { start: 5000, buckets: 0 });
  check(6000, 5000, { start: 6000, buckets: 0 });
  check(-1500, 500, { start: -2000, buckets: 3 });
});

test('a median ignores a few odd values', () => {
  expect(medianOf([])).toBeNull();
  expect(medianOf([7])).toBe(7);
  expect(medianOf([1, 9])).toBe(1);
  expect(medianOf([1000, 1003, 999, 60_000, 1])).toBe(1000);
  expect(medianOf([10, 9, 100])).toBe(10);
});
