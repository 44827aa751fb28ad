import { expect, test } from 'vitest';
import { namePeriod, rowsPerInstant, typicalInterval } from './instants.ts';

test('rowsPerInstant finds how many rows come together', () => {
  const check = (times: number[], want: number) => expect(rowsPerInstant(times), times.join()).toBe(want);
  check([], 1);
  check([0], 1);
  check([0, 1000, 2000, 3000], 1);
  check([0, 2, 1000, 1003, 2000, 2001], 2);
  check([0, 2, 4, 1000, 1003, 1005, 2000], 3);
  check([0, 0, 0, 0, 1000, 1000, 1000, 1000], 4);
  check([0, 3], 2);
  check([0, 2, 1000, 2000, 2002, 3000], 1);
  check([0, 600, 1000, 1600], 1);
});

test('namePeriod finds names that come round', () => {
  const check = (names: string, want: number) => expect(namePeriod([...names]), names).toBe(want);
  check('', 1);
  check('AAAA', 1);
  check('ABAB', 2);
  check('ABABA', 2);
  check('AABAAB', 3);
  check('AB', 1);
  check('AAAB', 1);
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
