import type { ChartLine } from './chart-spec.ts';
import type { ChartWindow } from './chart-window.ts';

type Column = readonly (number | null)[];

/** One line of a chart over the buckets of a window. */
export interface Band {
  readonly min: Column;
  readonly mean: Column;
  readonly max: Column;
}

/**
 * Mean and extremes of a line; undefined where it has no values. Where the device itself keeps the extremes between two
 * samples, what a sample missed is in the band too.
 */
export function bandOf(window: ChartWindow, { metric, trough, peak }: ChartLine): Band | undefined {
  const column = window.column(metric);
  if (column === undefined) return undefined;
  const { min, mean, max } = column;
  return {
    min: joined(min, trough === undefined ? undefined : window.column(trough)?.min, Math.min),
    mean,
    max: joined(max, peak === undefined ? undefined : window.column(peak)?.max, Math.max),
  };
}

/** Only buckets that have a value of the line itself: an extreme alone has no line to belong to. */
function joined(own: Column, extreme: Column | undefined, choose: (a: number, b: number) => number): Column {
  if (extreme === undefined) return own;
  return own.map((value, i) => {
    const other = extreme[i] ?? null;
    return value === null || other === null ? value : choose(value, other);
  });
}
