import { expect, test } from 'vitest';
import { slotOf } from './catalogue.ts';
import { ABSENCE_REASONS, absent } from './reading.ts';
import { ReadingSet } from './reading-set.ts';

const POWER = slotOf('power_watts');

test('a new set is not collected anywhere, which is not zero', () => {
  const set = new ReadingSet();
  expect(set.get('power_watts')).toEqual({ absent: 'not-collected' });
  expect(set.number(POWER)).toBeNull();
});

test('zero is a value', () => {
  const set = new ReadingSet();
  set.setValue(POWER, 0);
  expect(set.get('power_watts')).toBe(0);
  expect(set.number(POWER)).toBe(0);
});

test.each(ABSENCE_REASONS)('keeps the reason %s', (reason) => {
  const set = new ReadingSet();
  set.setValue(POWER, 12);
  set.set(POWER, absent(reason));
  expect(set.get('power_watts')).toEqual({ absent: reason });
});

test.each([Number.NaN, Number.POSITIVE_INFINITY])('a value of %s is an error, not a reading', (value) => {
  const set = new ReadingSet();
  set.setValue(POWER, value);
  expect(set.get('power_watts')).toEqual({ absent: 'error' });
});

test('is readable once a single value is present', () => {
  const set = ReadingSet.allAbsent('no-permission');
  expect(set.isReadable()).toBe(false);
  set.setValue(POWER, 0);
  expect(set.isReadable()).toBe(true);
});

test('a clone does not follow its original', () => {
  const set = new ReadingSet();
  set.setValue(POWER, 1);
  const copy = set.clone();
  set.setValue(POWER, 2);
  expect(copy.get('power_watts')).toBe(1);
});

test('whoever says something about a further slot opens the set to all of them', () => {
  const filled = (fill: (set: ReadingSet) => void): readonly number[] | null => {
    const set = new ReadingSet();
    set.slots = [POWER];
    fill(set);
    return set.slots;
  };
  expect(filled((set) => set.setValue(POWER, 1))).toEqual([POWER]);
  expect(filled((set) => set.setAbsent(POWER, 'error'))).toEqual([POWER]);
  expect(filled((set) => set.setValue(POWER + 1, 1))).toBeNull();
  expect(filled((set) => set.set(POWER + 1, absent('error')))).toBeNull();
  expect(filled((set) => set.setValue(POWER + 1, Number.NaN))).toBeNull();
});
