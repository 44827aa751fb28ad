import { median, type Values } from './summary.ts';

/** Turns the median absolute deviation of normal noise into its standard deviation. */
const MAD_TO_SIGMA = 1.4826;

/** Standard deviation of the bulk of some numbers, which single outliers do not move. */
export function spreadOf(numbers: readonly number[]): number {
  const middle = median(numbers);
  return MAD_TO_SIGMA * median(numbers.map((value) => Math.abs(value - middle)));
}

/**
 * Slope by Theil and Sen: the median of the slopes between all pairs of points, per unit of `xs`. For at most a few hundred
 * points; 0 for fewer than two.
 */
export function theilSen(xs: readonly number[], ys: readonly number[]): number {
  const slopes: number[] = [];
  for (let i = 0; i < xs.length; i++) {
    for (let j = i + 1; j < xs.length; j++) {
      if (xs[j] !== xs[i]) slopes.push((ys[j]! - ys[i]!) / (xs[j]! - xs[i]!));
    }
  }
  return slopes.length === 0 ? 0 : median(slopes);
}

/** How one of several peers stands out from the others. */
export interface Outlier {
  readonly index: number;
  readonly value: number;
  /** Median of the others. */
  readonly base: number;
}

/**
 * Members that stand out from the median of the others, each left out of its own comparison: by more than `ratio` of it,
 * and by more than three times the spread of the others, or 2 % of the base where they are closer than that. Nothing where
 * 40 % or more stand out: these are two groups, not outliers. Direction +1 looks for high, −1 for low ones.
 */
export function outliers(values: readonly number[], ratio: number, direction: 1 | -1): readonly Outlier[] {
  if (values.length < 3) return [];
  const found = values.flatMap((value, index) => {
    const others = values.filter((_, other) => other !== index);
    const base = median(others);
    const difference = direction * (value - base);
    const isOut =
      difference > ratio * Math.abs(base) && difference > 3 * Math.max(spreadOf(others), 0.02 * Math.abs(base));
    return isOut ? [{ index, value, base }] : [];
  });
  return found.length >= 0.4 * values.length ? [] : found;
}

/** Correlation of two columns where both are there, −1…1; 0 where one of them does not vary or fewer than 8 cells are. */
export function correlation(left: Values, right: Values, from = 0, to = left.length): number {
  let count = 0;
  let [sumL, sumR, sumLL, sumRR, sumLR] = [0, 0, 0, 0, 0];
  for (let i = from; i < to; i++) {
    const [l, r] = [left[i]!, right[i]!];
    if (Number.isNaN(l) || Number.isNaN(r)) continue;
    count++;
    sumL += l;
    sumR += r;
    sumLL += l * l;
    sumRR += r * r;
    sumLR += l * r;
  }
  if (count < 8) return 0;
  const covariance = sumLR / count - (sumL / count) * (sumR / count);
  const variance = (sumLL / count - (sumL / count) ** 2) * (sumRR / count - (sumR / count) ** 2);
  return variance > 1e-12 ? covariance / Math.sqrt(variance) : 0;
}
