import type { IncomingMessage } from 'node:http';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { AppError } from '../model/errors.ts';
import type { Exposition } from '../model/exposition.ts';
import { badRequest } from './bad-request.ts';
import { pathBelow } from './base-path.ts';
import { registerDashboard } from './dashboard.ts';
import { answerClientError, sendFailure, shown } from './failure.ts';
import type { FaultLog } from './fault-log.ts';
import type { HostGuard } from './host-guard.ts';
import { MAX_CONNECTIONS, MAX_HEADER_BYTES, REQUEST_TIMEOUT_MS } from './limits.ts';
import { registerMetricsPage } from './metrics-page.ts';
import { registerRoute, type Services } from './route.ts';
import { API_ROUTES } from './routes/all.ts';
import { setSecurityHeaders } from './security-headers.ts';

interface HttpOptions {
  readonly services: Services;
  readonly faults: FaultLog;
  readonly isHostAllowed: HostGuard;
  readonly basePath: string;
  readonly webRoot: string | null;
  /** What /metrics shows; without it there is no such page. */
  readonly exposition: Exposition | null;
}

const POST_PATHS: ReadonlySet<string> = new Set(
  API_ROUTES.flatMap(({ method, path }) => (method === 'post' ? [path] : [])),
);

/** Fastify's own validation is not used; leaving it out saves loading a schema compiler at start. */
const NO_COMPILERS = {
  buildValidator: () => () => {
    throw new Error('BUG: a route has a Fastify schema');
  },
  buildSerializer: () => () => {
    throw new Error('BUG: a route has a Fastify schema');
  },
};

/** Everything between the socket and the routes: limits, guards, headers, failures. It does not listen yet. */
export function createHttp({
  services,
  faults,
  isHostAllowed,
  basePath,
  webRoot,
  exposition,
}: HttpOptions): FastifyInstance {
  const fail = (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
    sendFailure(error, request, reply, faults);
  const app = fastify({
    logger: false,
    // Node would refuse a request without a Host header by itself, with an empty answer.
    http: { maxHeaderSize: MAX_HEADER_BYTES, requireHostHeader: false },
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: true,
    return503OnClosing: false,
    schemaController: { compilersFactory: NO_COMPILERS },
    rewriteUrl: (request) => pathBelow(basePath, request.url ?? '/'),
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      setSecurityHeaders(reply.raw);
      fail(error, request, reply);
    },
  });
  app.server.maxConnections = MAX_CONNECTIONS;
  app.addHook('onRequest', async (request, reply) => {
    setSecurityHeaders(reply.raw);
    checkRequest(request, isHostAllowed);
  });
  app.setErrorHandler(fail);
  for (const route of API_ROUTES) registerRoute(app, route, services);
  if (exposition !== null) registerMetricsPage(app, exposition);
  registerDashboard(app, { webRoot, basePath });
  return app;
}

/** Throws for a request that is refused whatever it asks for. */
function checkRequest({ method, headers, raw }: FastifyRequest, isHostAllowed: HostGuard): void {
  if (headers.host === undefined && raw.httpVersion === '1.1') throw badRequest('request.no-host');
  // Node keeps the first; a proxy in between may have looked at another.
  if (hostHeaders(raw) > 1) throw badRequest('request.hosts');
  if (!isHostAllowed(headers.host)) throw new AppError('HOST_NOT_ALLOWED', { host: shown(headers.host ?? '') });
  if (method !== 'POST') {
    if (method !== 'GET' && method !== 'HEAD') throw new AppError('METHOD_NOT_ALLOWED', { method });
    return;
  }
  const [path] = raw.url?.split('?') ?? [];
  if (!POST_PATHS.has(path ?? '')) throw new AppError('METHOD_NOT_ALLOWED', { method });
  // A browser sends it with every POST, also with that of a form on a page of somebody else.
  const { origin } = headers;
  if (origin !== undefined && !isHostAllowed(hostOf(origin))) {
    throw new AppError('ORIGIN_NOT_ALLOWED', { origin: shown(origin) });
  }
}

/** The host of an origin; a name that no host has where there is none, as for `null`. */
function hostOf(origin: string): string {
  return URL.parse(origin)?.host || '.';
}

function hostHeaders({ rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]!.toLowerCase() === 'host') count++;
  return count;
}
