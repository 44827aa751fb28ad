import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bridgeGaps } from './bridge-gaps.ts';

/** Columns as text: a digit is a value, `.` an empty bucket, `-` one that is drawn through. */
function check(column: string, bucketMs: number, intervalMs: number, want: string): void {
  const values = [...column].map((each) => (each === '.' ? null : Number(each)));
  const at = values.map((_, i) => 1000 + i * bucketMs);
  const drawn = bridgeGaps(at, values, intervalMs);
  const text = drawn.map((each) => (each === undefined ? '-' : each === null ? '.' : String(each))).join('');
  expect(text, `${column} at ${bucketMs}/${intervalMs}`).toBe(want);
}

test('holes of up to three intervals are drawn through, wider ones are gaps', () => {
  check('1.1.1', 500, 1000, '1-1-1');
  check('1..1', 1000, 1000, '1--1');
  check('1...1', 1000, 1000, '1...1');
  check('1.....1', 500, 1000, '1-----1');
  check('1......1', 500, 1000, '1......1');
  check('1.1', 10_000, 1000, '1.1');
  check('1.1', 10_000, 30_000, '1-1');
});

test('what is before the first and after the last value is never drawn', () => {
  check('..1.1..', 1000, 1000, '..1-1..');
  check('....', 1000, 1000, '....');
  check('', 1000, 1000, '');
  check('1', 1000, 1000, '1');
});

test('values are never touched, and a hole is drawn through as a whole or not at all', () => {
  const column = fc.array(fc.option(fc.integer({ min: 0, max: 9 })), { maxLength: 40 });
  fc.assert(
    fc.property(
      column,
      fc.integer({ min: 1, max: 5000 }),
      fc.integer({ min: 1, max: 5000 }),
      (values, bucket, interval) => {
        const at = values.map((_, i) => i * bucket);
        const drawn = bridgeGaps(at, values, interval);
        for (const [i, value] of values.entries()) {
          if (value !== null) expect(drawn[i]).toBe(value);
          else expect(drawn[i] ?? null).toBeNull();
          if (value === null && i > 0 && values[i - 1] === null) expect(drawn[i]).toBe(drawn[i - 1]);
        }
      },
    ),
  );
});
