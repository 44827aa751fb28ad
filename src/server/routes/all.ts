import type { Route } from '../route.ts';
import { eventsRoute } from './events.ts';
import { gpusRoute } from './gpus.ts';
import { healthRoute } from './health.ts';
import { openApiRoute } from './openapi.ts';
import { seriesRoute } from './series.ts';
import { streamRoute } from './stream.ts';

const DESCRIBED: readonly Route[] = [healthRoute, gpusRoute, seriesRoute, eventsRoute, streamRoute];

/** Every route of the API. */
export const API_ROUTES: readonly Route[] = [...DESCRIBED, openApiRoute(DESCRIBED)];
