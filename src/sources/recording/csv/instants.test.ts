import { expect, test } from 'vitest';
import { rhythmOf, roundOfNames, typicalInterval } from './instants.ts';

test('rhythmOf finds how many rows come together', () => {
  const check = (times: number[], want: number) => expect(rhythmOf(times).rows, times.join()).toBe(want);
  check([], 1);
  check([0], 1);
  check([0, 1000, 2000, 3000], 1);
  check([0, 2, 1000, 1003, 2000, 2001], 2);
  check([0, 2, 4, 1000, 1003, 1005, 2000], 3);
  check([0, 0, 0, 0, 1000, 1000, 1000, 1000], 4);
  check([0, 3], 2);
  check([0, 2, 1000, 2000, 2002, 3000], 1);
  check([0, 600, 1000, 1600], 1);
  check([0, 0, 1, 1, 1000, 1000, 1001, 1001], 4);
});

test('rhythmOf is not led astray by a row that is missing, a hole, or bursts of samples', () => {
  const check = (times: number[], want: object) => expect(rhythmOf(times), times.join()).toMatchObject(want);
  const instant = (at: number, rows: number) => Array.from({ length: rows }, (_, row) => at + row);
  check([...instant(0, 4), ...instant(1000, 3), ...instant(2000, 4), ...instant(3000, 4)], { rows: 4, start: 0 });
  check([...instant(0, 3), ...instant(1000, 4), ...instant(2000, 4)], { rows: 4, start: 3, intervalMs: 1000 });
  check([...instant(0, 4), ...instant(1000, 3), ...instant(9e6, 4), ...instant(9e6 + 1000, 4)], {
    rows: 4,
    intervalMs: 1000,
  });
  check([0, 1000, 2000, 60_000, 61_000, 62_000], { rows: 1 });
  // In whole seconds an instant may lie on both sides of one.
  check([0, 0, 0, 60_000, 60_000, 61_000, 120_000, 120_000, 120_000], { rows: 3, intervalMs: 60_000 });
});

test('roundOfNames finds names that come round, even with one missing', () => {
  const check = (names: string, want: string | null) =>
    expect(roundOfNames([...names])?.join('') ?? null, names).toBe(want);
  check('', null);
  check('AAAA', null);
  check('ABAB', 'AB');
  check('ABABA', 'AB');
  check('AABAAB', 'AAB');
  check('AB', null);
  check('AAAB', null);
  check('AABAABABAABAABAABAAB', 'AAB');
});

test('typicalInterval is the median per device', () => {
  const check = (times: number[], devices: string, want: number | null) =>
    expect(typicalInterval(times, (row) => devices[row] ?? '')).toBe(want);
  check([], '', null);
  check([0, 0], 'AB', null);
  check([0, Number.NaN, 1000], 'AAA', 1000);
  check([0, 5, 1000, 1005, 2000, 2005], 'ABABAB', 1000);
  check([0, 1000, 181_000, 182_000, 183_000], 'AAAAA', 1000);
});
