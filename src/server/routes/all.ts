import type { Route } from '../route.ts';
import { eventsRoute } from './events.ts';
import { findingsRoute } from './findings.ts';
import { gpusRoute } from './gpus.ts';
import { healthRoute } from './health.ts';
import { hostRoute } from './host.ts';
import { metricsRoute } from './metrics.ts';
import { openApiRoute } from './openapi.ts';
import { processesRoute } from './processes.ts';
import { releaseRoute, resumeRoute } from './release.ts';
import { seriesRoute } from './series.ts';
import { streamRoute } from './stream.ts';
import { topologyRoute } from './topology.ts';

const DESCRIBED: readonly Route[] = [
  healthRoute,
  gpusRoute,
  processesRoute,
  topologyRoute,
  metricsRoute,
  hostRoute,
  seriesRoute,
  eventsRoute,
  findingsRoute,
  streamRoute,
  releaseRoute,
  resumeRoute,
];

/** Every route of the API. */
export const API_ROUTES: readonly Route[] = [...DESCRIBED, openApiRoute(DESCRIBED)];
