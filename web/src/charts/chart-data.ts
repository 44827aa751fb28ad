import type uPlot from 'uplot';
import { bridgeGaps, type Drawable } from './bridge-gaps.ts';
import { bandOf } from './chart-band.ts';
import type { ChartSpec } from './chart-spec.ts';
import type { ChartWindow } from './chart-window.ts';

/**
 * Columns for uPlot: time in the middle of each bucket, then per line smallest, largest and mean, or only the mean for
 * a limit. The order is that of {@link chartSeries}.
 */
export function chartData(spec: ChartSpec, window: ChartWindow): uPlot.AlignedData {
  const { at, bucketMs, intervalMs } = window;
  const times = at.map((start) => start + bucketMs / 2);
  const empty = at.map(() => null);
  const columns = spec.lines.flatMap((line): Drawable[][] => {
    const band = bandOf(window, line);
    const drawn = (values: readonly (number | null)[] | undefined) => bridgeGaps(at, values ?? empty, intervalMs);
    return line.style === 'limit' ? [drawn(band?.mean)] : [drawn(band?.min), drawn(band?.max), drawn(band?.mean)];
  });
  return [times, ...columns];
}

/** Smallest and largest value drawn; infinite where there is none. */
export function extremes(spec: ChartSpec, window: ChartWindow): [lowest: number, highest: number] {
  let lowest = Number.POSITIVE_INFINITY;
  let highest = Number.NEGATIVE_INFINITY;
  for (const line of spec.lines) {
    const band = bandOf(window, line);
    for (const value of band?.min ?? []) if (value !== null && value < lowest) lowest = value;
    for (const value of band?.max ?? []) if (value !== null && value > highest) highest = value;
  }
  return [lowest, highest];
}
