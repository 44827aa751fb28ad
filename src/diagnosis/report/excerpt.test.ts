import { expect, test } from 'vitest';
import { excerptOf } from './excerpt.ts';

const all = { start: 0, end: 4000 };

function course(value: (cell: number) => number): Float32Array {
  return Float32Array.from({ length: 4000 }, (_, cell) => value(cell));
}

test('a slow course is drawn as a whole', () => {
  expect(
    excerptOf(
      course((cell) => (cell < 2000 ? 0 : 1)),
      all,
      40,
    ),
  ).toEqual(all);
  expect(
    excerptOf(
      course(() => 0.5),
      all,
      40,
    ),
  ).toEqual(all);
});

test('of a fast beat a part is drawn that shows it', () => {
  const { start, end } = excerptOf(
    course((cell) => cell % 8),
    all,
    40,
  );
  expect([end - start, start >= 0, end <= 4000]).toEqual([40, true, true]);
});

test('what fits is drawn as a whole, and what is missing does no harm', () => {
  expect(
    excerptOf(
      course((cell) => cell % 8),
      { start: 10, end: 60 },
      40,
    ),
  ).toEqual({ start: 10, end: 60 });
  expect(
    excerptOf(
      course(() => Number.NaN),
      all,
      40,
    ),
  ).toEqual(all);
});

test('the noise of a level is no beat: it is drawn as a whole', () => {
  expect(
    excerptOf(
      course((cell) => 0.95 + 0.02 * (cell % 2)),
      all,
      40,
    ),
  ).toEqual(all);
});
