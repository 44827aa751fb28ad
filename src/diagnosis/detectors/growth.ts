import type { Values } from '../statistics/summary.ts';
import type { Window } from '../window/window.ts';

/** How a counter grew. One that falls has started again from 0. */
export interface Growth {
  readonly total: number;
  /** Cells of the first and the last growth; the whole column where there is none. */
  readonly first: number;
  readonly last: number;
  /** Its value at first. */
  readonly before: number;
  /** The most it grew within an hour. */
  readonly worstHour: number;
  /** The most it grew within a minute. */
  readonly worstMinute: number;
}

/** Null for a column without values. */
export function growthOf(window: Window, column: Values | null): Growth | null {
  if (column === null) return null;
  const cells: number[] = [];
  const steps: number[] = [];
  let before = Number.NaN;
  let last = Number.NaN;
  for (let cell = 0; cell < column.length; cell++) {
    const value = column[cell]!;
    if (Number.isNaN(value)) continue;
    if (Number.isNaN(last)) before = value;
    else if (value !== last) {
      cells.push(cell);
      steps.push(value > last ? value - last : value);
    }
    last = value;
  }
  if (Number.isNaN(last)) return null;
  const total = steps.reduce((sum, step) => sum + step, 0);
  const within = (ms: number): number => mostWithin(window, cells, steps, ms);
  return {
    total,
    first: cells[0] ?? 0,
    last: cells.at(-1) ?? column.length - 1,
    before,
    worstHour: within(3_600_000),
    worstMinute: within(60_000),
  };
}

/** The largest sum of steps whose times lie within `ms` of each other. */
function mostWithin({ at }: Window, cells: readonly number[], steps: readonly number[], ms: number): number {
  let most = 0;
  let sum = 0;
  let start = 0;
  for (let i = 0; i < cells.length; i++) {
    sum += steps[i]!;
    while (at[cells[i]!]! - at[cells[start]!]! > ms) sum -= steps[start++]!;
    if (sum > most) most = sum;
  }
  return most;
}
