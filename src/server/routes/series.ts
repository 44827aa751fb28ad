import { Readable } from 'node:stream';
import * as z from 'zod';
import { seriesSchema } from '../../model/api.ts';
import { HOST_UUID } from '../../model/tick.ts';
import { MAX_BUCKETS } from '../limits.ts';
import { areOfHost, chooseGpus, chooseMetrics, gpuParameter, metricParameter } from '../query/choice.ts';
import { badQuery, integer, langParameter } from '../query/parameter.ts';
import { momentParameter, resolveSpan } from '../query/span.ts';
import { defineRoute } from '../route.ts';
import { seriesJson } from '../wire/series-json.ts';

const DEFAULT_SPAN_MS = 15 * 60_000;
const DEFAULT_POINTS = 500;
const MOST_POINTS = 11_000;

export const seriesRoute = defineRoute({
  path: '/api/v1/series',
  operationId: 'getSeries',
  summary: 'Metrics over time, as minimum, mean, maximum and count per bucket',
  contentType: 'application/json',
  query: z.strictObject({
    metric: metricParameter,
    gpu: gpuParameter,
    from: momentParameter('start, inclusive; 15 minutes before the end where it is missing'),
    to: momentParameter('end, exclusive; now where it is missing'),
    points: integer('most buckets wanted; aligning them to the epoch may add one', 1, MOST_POINTS, DEFAULT_POINTS),
    lang: langParameter,
  }),
  response: seriesSchema,
  errors: ['MISSING_PARAMETER', 'UNKNOWN_METRIC', 'UNKNOWN_GPU', 'HISTORY_STOPPED', 'BUSY'],
  async handle({ query, reader, viewer, clock, history, gone }) {
    const metrics = chooseMetrics(query.metric);
    const ofHost = query.gpu === undefined && areOfHost(metrics);
    const devices = ofHost ? [HOST_UUID] : await chooseGpus(query.gpu, reader, viewer);
    const { points } = query;
    const buckets = metrics.length * devices.length * points;
    if (buckets > MAX_BUCKETS) {
      const given = `${metrics.length} × ${devices.length} × ${points} = ${buckets}`;
      throw badQuery('metric × gpu × points', given, `≤ ${MAX_BUCKETS}`);
    }
    const grid = await history.run(async () => {
      const span = await resolveSpan(query, { reader, viewer, clock, defaultMs: DEFAULT_SPAN_MS });
      return reader.series(viewer, { metrics, devices, ...span, points });
    }, gone);
    return Readable.from(seriesJson(grid), { objectMode: false });
  },
});
