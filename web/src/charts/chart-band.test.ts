import { expect, test } from 'vitest';
import { bandOf } from './chart-band.ts';
import { ChartWindow } from './chart-window.ts';

function series(metric: string, min: (number | null)[], max: (number | null)[]) {
  const count = min.map((value) => (value === null ? 0 : 1));
  return { gpu: 'GPU-0', metric, unit: 'watts', min, mean: min, max, count };
}

const LINE = { metric: 'power_watts', style: 'main', peak: 'power_peak_watts', trough: 'power_trough_watts' } as const;

test('the band has what the device saw between samples, where there is a line', () => {
  const grid = { from: 0, to: 4, bucketMs: 1, intervalMs: 1, at: [0, 1, 2, 3] };
  const own = series('power_watts', [100, 200, null, 300], [100, 250, null, 300]);
  const peak = series('power_peak_watts', [1, 1, 1, 1], [400, 240, 500, null]);
  const trough = series('power_trough_watts', [50, 220, 10, null], [9, 9, 9, 9]);
  const band = bandOf(new ChartWindow({ ...grid, series: [own, peak, trough] }), LINE);
  expect(band).toEqual({ min: [50, 200, null, 300], mean: own.mean, max: [400, 250, null, 300] });
  expect(bandOf(new ChartWindow({ ...grid, series: [own] }), LINE)).toEqual({
    min: own.min,
    mean: own.mean,
    max: own.max,
  });
  expect(bandOf(new ChartWindow({ ...grid, series: [peak] }), LINE)).toBeUndefined();
});
