import { expect, test } from 'vitest';
import { slowingReasons } from './slowing-reasons.ts';

test('idle, set and display clocks do not count as slowing', () => {
  const check = (mask: number, want: string) =>
    expect(
      slowingReasons(mask)
        .map(({ id }) => id)
        .join(' '),
    ).toBe(want);
  check(0, '');
  check(0x1, '');
  check(0x2 | 0x10 | 0x100, '');
  check(0x4, 'power-cap');
  check(0x1 | 0x4 | 0x40, 'power-cap hw-thermal');
  check(0x8 | 0x20 | 0x80, 'hw-slowdown sw-thermal power-brake');
});
