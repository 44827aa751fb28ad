import { largest, type Values } from '../statistics/summary.ts';

/** Cells from `start` to before `end`. */
interface Cells {
  readonly start: number;
  readonly end: number;
}

/** With less of the ups and downs left than this share, a drawing of the whole shows nothing of them. */
const LEFT = 0.4;

/** Ups and downs that deviate by less than this share of the highest value are the noise of a level, and no beat. */
const NOISE = 0.1;

/**
 * The part of a course that is drawn in so many columns: the whole, unless its beat is too fast to be seen in it; then a
 * part from the middle, fine enough to show it.
 */
export function excerptOf(values: Values, { start, end }: Cells, columns: number): Cells {
  const perColumn = Math.floor((end - start) / columns);
  if (perColumn < 2) return { start, end };
  const means = Array.from({ length: columns }, (_, column) =>
    meanOf(values.subarray(start + column * perColumn, start + (column + 1) * perColumn)),
  ).filter((mean) => !Number.isNaN(mean));
  const part = values.subarray(start, end);
  const whole = deviationOf(part);
  if (!(whole > NOISE * largest(part)) || deviationOf(means) >= LEFT * whole) return { start, end };
  const middle = Math.floor((start + end - columns) / 2);
  return { start: middle, end: middle + columns };
}

/** NaN where there is nothing. */
export function meanOf(values: Iterable<number>): number {
  let [sum, count] = [0, 0];
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    sum += value;
    count++;
  }
  return count === 0 ? Number.NaN : sum / count;
}

function deviationOf(values: Iterable<number>): number {
  let [sum, squares, count] = [0, 0, 0];
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    sum += value;
    squares += value * value;
    count++;
  }
  return count === 0 ? 0 : Math.sqrt(Math.max(0, squares / count - (sum / count) ** 2));
}
