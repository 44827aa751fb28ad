import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ApiSeries } from '../../model/api.ts';
import { metric } from '../../model/catalogue.ts';
import type { Grid, Series } from '../../model/ports.ts';

/**
 * JSON of {@link ApiSeries} in pieces of one series each. Between two the event loop runs, so that a long answer does
 * not hold up a tick.
 */
export async function* seriesJson({ series, ...grid }: Grid): AsyncGenerator<string> {
  const { from, to, bucketMs, intervalMs, at } = grid;
  yield `${JSON.stringify({ from, to, bucketMs, intervalMs, at }).slice(0, -1)},"series":[`;
  for (let i = 0; i < series.length; i++) {
    await nextTurn();
    yield `${i === 0 ? '' : ','}${JSON.stringify(apiSeries(series[i]!))}`;
  }
  yield ']}';
}

/** The columns go out as the history gives them. */
type ReadonlySeries = {
  readonly [Name in keyof ApiSeries['series'][number]]: Readonly<ApiSeries['series'][number][Name]>;
};

function apiSeries({ device, metric: id, min, mean, max, count, growth }: Series): ReadonlySeries {
  const series = { gpu: device, metric: id, unit: metric(id).unit, min, mean, max, count };
  return growth === undefined ? series : { ...series, growth };
}
