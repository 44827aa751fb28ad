import type { FastifyInstance } from 'fastify';
import type { Exposition } from '../model/exposition.ts';
import { ADMINISTRATOR } from '../model/ports.ts';

/** Serves the page that Prometheus scrapes. A scraper reads what it is given, so that no query is looked at. */
export function registerMetricsPage(app: FastifyInstance, exposition: Exposition): void {
  app.get('/metrics', async (request, reply) => {
    const { accept, 'accept-encoding': acceptEncoding } = request.headers;
    const { contentType, encoding, body } = await exposition.page({ viewer: ADMINISTRATOR, accept, acceptEncoding });
    reply.header('content-type', contentType).header('cache-control', 'no-store');
    reply.header('vary', 'Accept, Accept-Encoding');
    if (encoding !== null) reply.header('content-encoding', encoding);
    return reply.send(body);
  });
}
