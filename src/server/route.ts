import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Clock } from '../model/clock.ts';
import type { Controls } from '../model/controls.ts';
import type { ErrorCode } from '../model/i18n/errors.ts';
import type { Lang } from '../model/i18n/text.ts';
import { ADMINISTRATOR, type Viewer } from '../model/ports.ts';
import type { Reader } from '../model/reader.ts';
import { withinDeadline } from './deadline.ts';
import { requestLanguage } from './language.ts';
import { ANSWER_TIMEOUT_MS } from './limits.ts';
import { parseQuery } from './query/parameter.ts';
import type { StreamHub } from './stream/hub.ts';
import type { WorkQueue } from './work-queue.ts';

/** What handlers work with. */
export interface Services {
  readonly reader: Reader;
  readonly controls: Controls;
  readonly clock: Clock;
  /** Every query of the history goes through it. */
  readonly history: WorkQueue;
  readonly stream: StreamHub;
}

interface RouteRequest<Query> extends Services {
  readonly query: Query;
  readonly lang: Lang;
  readonly viewer: Viewer;
  /** Aborted once the client has gone or has its answer. */
  readonly gone: AbortSignal;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** JSON as text, at once or in pieces; null where the handler has answered by itself. */
type Answer = string | Readable | null;

interface RouteDescription {
  readonly path: string;
  /** `get` where it is missing. A `post` changes something, and is refused from pages of other origins. */
  readonly method?: 'post';
  readonly operationId: string;
  readonly summary: string;
  readonly contentType: 'application/json' | 'text/event-stream';
  readonly response: z.ZodType;
  /** Failures it may answer with, beside those every route has. */
  readonly errors: readonly ErrorCode[];
}

interface RouteDefinition<Query extends z.ZodObject> extends RouteDescription {
  readonly query: Query;
  readonly handle: (request: RouteRequest<z.output<Query>>) => Answer | Promise<Answer>;
}

/** One route as data: what is registered, what is validated and what `/api/openapi.json` says all come from it. */
export interface Route extends RouteDescription {
  readonly query: z.ZodObject;
  readonly answer: (request: FastifyRequest, reply: FastifyReply, services: Services) => Answer | Promise<Answer>;
}

export function defineRoute<Query extends z.ZodObject>(definition: RouteDefinition<Query>): Route {
  return {
    ...definition,
    answer(request, reply, services) {
      const query = parseQuery(definition.query, request.query);
      const answer = definition.handle({
        ...services,
        query,
        lang: requestLanguage(request),
        viewer: viewerOf(request),
        gone: signalOf(reply),
        request,
        reply,
      });
      return answer instanceof Promise ? withinDeadline(services.clock, ANSWER_TIMEOUT_MS, answer) : answer;
    },
  };
}

/** Until there is authentication, everybody who reaches the server is its administrator. */
function viewerOf(_request: FastifyRequest): Viewer {
  return ADMINISTRATOR;
}

function signalOf(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => controller.abort());
  return controller.signal;
}

/** GET, and HEAD with it; or POST. */
export function registerRoute(app: FastifyInstance, route: Route, services: Services): void {
  const handle = async (request: FastifyRequest, reply: FastifyReply) => {
    const answer = await route.answer(request, reply, services);
    if (answer === null) return reply;
    return reply
      .header('content-type', `${route.contentType}; charset=utf-8`)
      .header('cache-control', 'no-store')
      .send(answer);
  };
  if (route.method === 'post') app.post(route.path, handle);
  else app.get(route.path, handle);
}
