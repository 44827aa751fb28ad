import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import type { Exposition } from '../model/exposition.ts';
import { ADMINISTRATOR } from '../model/ports.ts';
import { langParameter, parseQuery } from './query/parameter.ts';

/**
 * The language is that of errors: names and help of series are the same for everybody. Other parameters are passed over, since
 * scrape jobs have some that were meant for another exporter.
 */
const QUERY = z.object({ lang: langParameter });

/** Serves the page that Prometheus scrapes, and what probes written for other exporters of GPUs ask. */
export function registerMetricsPage(app: FastifyInstance, exposition: Exposition): void {
  app.get('/metrics', async (request, reply) => {
    parseQuery(QUERY, request.query);
    const { accept, 'accept-encoding': acceptEncoding } = request.headers;
    const { contentType, encoding, body } = await exposition.page({ viewer: ADMINISTRATOR, accept, acceptEncoding });
    reply.header('content-type', contentType).header('cache-control', 'no-store');
    reply.header('vary', 'Accept, Accept-Encoding');
    if (encoding !== null) reply.header('content-encoding', encoding);
    return reply.send(body);
  });
  // A probe that fails restarts the process, which helps no GPU: how these are is told by /api/v1/health.
  app.get('/health', async (_, reply) => reply.type('text/plain; charset=utf-8').send('OK\n'));
}
