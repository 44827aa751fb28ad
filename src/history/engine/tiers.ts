import type { Millis } from '../../model/reading.ts';

/**
 * Level 0 holds ticks, every level above it sums of the level below. A month at 500 points is then read from hours, and a
 * spike of a second still shows as the maximum of its hour.
 */
interface Tier {
  /** Width of a row; divides the width of the next tier, and every bucket width people can read off an axis above it. */
  readonly widthMs: Millis;
  /** Rows of one block: four hours, a day, a week. */
  readonly sealRows: number;
}

export const TIERS: readonly Tier[] = [
  { widthMs: 60_000, sealRows: 240 },
  { widthMs: 300_000, sealRows: 288 },
  { widthMs: 3_600_000, sealRows: 168 },
];

export const LEVELS = TIERS.length + 1;

/** Width of a row of a level; 0 for ticks. */
export function widthOf(level: number): Millis {
  return level === 0 ? 0 : TIERS[level - 1]!.widthMs;
}

/**
 * Columns of a tier: eight per metric, numbered 8 · column + part. A part that is missing has its usual value: no excess,
 * nothing missing, no reset. Metrics are numbered from 1, so that the numbers below 8 are free for what all have in common.
 */
export const PARTS = 8;

export const PART = {
  /** For bit sets the bits that were set at every row. */
  min: 0,
  /** For bit sets the bits that were set at any row. */
  max: 1,
  /** Total less count · minimum, to the millionth: small, and free of the noise that a late tick makes in a total. */
  excess: 2,
  /** Rows at which the metric was absent. */
  missing: 3,
  first: 4,
  last: 5,
  /** Growth of a counter less (last − first): what it had lost by starting again. */
  reset: 6,
} as const;

/** Number of rows that a row of a tier sums up, as a column of the device. */
export const TICKS_COLUMN = 0;

export function partColumn(column: number, part: number): number {
  return PARTS * column + part;
}
