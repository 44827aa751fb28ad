import { metric } from '../model/catalogue.ts';
import { AppError, invariant } from '../model/errors.ts';
import type { Grid, RangeQuery, Series } from '../model/ports.ts';
import type { GridData } from './protocol.ts';

/** Most points a query may ask for, and most cells of one answer: it is turned into arrays on the main thread. */
const MAX_POINTS = 11_000;
const MAX_CELLS = 1_000_000;

/** The query with `points` within its limits. Fails with HISTORY_QUERY_TOO_LARGE for what would take seconds. */
export function checkedQuery(query: RangeQuery): RangeQuery {
  invariant(Number.isFinite(query.from) && Number.isFinite(query.to), `range from ${query.from} to ${query.to}`);
  const points = Math.min(Math.max(Math.trunc(query.points), 1), MAX_POINTS);
  const series = query.devices.length * query.metrics.length;
  if (series * points > MAX_CELLS) {
    throw new AppError('HISTORY_QUERY_TOO_LARGE', { series, points, limit: MAX_CELLS });
  }
  return { ...query, points };
}

/** The answer of the worker in the form of the port, where a bucket without a value is null. */
export function toGrid({ from, to, devices, metrics }: RangeQuery, data: GridData): Grid {
  const { start, buckets, bucketMs, intervalMs } = data;
  const at = Array.from({ length: buckets }, (_, bucket) => start + bucket * bucketMs);
  const series: Series[] = [];
  for (const device of devices) {
    for (const id of metrics) {
      const first = series.length * buckets;
      const part = (cells: Float64Array) => withNulls(cells.subarray(first, first + buckets));
      const count = Array.from(data.count.subarray(first, first + buckets));
      const isCounter = data.growth !== null && metric(id).kind === 'counter';
      const growth = isCounter ? Array.from(data.growth.subarray(first, first + buckets), withCount(count)) : null;
      series.push({
        device,
        metric: id,
        min: part(data.min),
        mean: part(data.mean),
        max: part(data.max),
        count,
        ...(growth === null ? {} : { growth }),
      });
    }
  }
  return { from, to, bucketMs, intervalMs, at, series };
}

function withNulls(cells: Float64Array): (number | null)[] {
  const values = new Array<number | null>(cells.length);
  for (let i = 0; i < cells.length; i++) values[i] = Number.isNaN(cells[i]!) ? null : cells[i]!;
  return values;
}

/** Null in place of what has no samples. */
function withCount(count: readonly number[]): (value: number, i: number) => number | null {
  return (value, i) => (count[i] === 0 ? null : value);
}
