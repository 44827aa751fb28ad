import * as z from 'zod';
import { tickMessageSchema } from '../../model/api.ts';
import { langParameter, single } from '../query/parameter.ts';
import { defineRoute } from '../route.ts';
import type { SnapshotForm } from '../stream/hub.ts';

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  // Caddy 2.6 compresses event streams despite no-transform, and then holds every message back; not what has a coding.
  'content-encoding': 'identity',
  // nginx would hold messages back until its buffer is full.
  'x-accel-buffering': 'no',
} as const;

const FORMS: readonly SnapshotForm[] = ['full', 'compact'];

export const streamRoute = defineRoute({
  path: '/api/v1/stream',
  operationId: 'streamGpus',
  summary:
    'Server-sent events: `snapshot` with the body of /api/v1/gpus, then one `tick` per tick with what changed. A lost ' +
    'connection is resumed by the Last-Event-ID header or the lastEventId parameter, with a new snapshot if need be',
  contentType: 'text/event-stream',
  query: z.strictObject({
    lastEventId: single({
      expected: { en: 'id', zh: '消息 id' },
      description: 'id of the last message received; the Last-Event-ID header goes before it',
      parse: (text) => text,
    }),
    form: single<SnapshotForm>({
      expected: FORMS.join(' | '),
      description:
        'how a snapshot is written: full, as /api/v1/gpus has it, or compact, with every list of absences once; full where it is missing',
      schema: { enum: FORMS },
      parse: (text) => FORMS.find((form) => form === text),
    }),
    lang: langParameter,
  }),
  response: tickMessageSchema,
  errors: ['TOO_MANY_STREAMS', 'STREAM_ENDED'],
  handle({ query, lang, stream, request, reply }) {
    if (request.method === 'HEAD') {
      reply.headers(HEADERS).send();
      return null;
    }
    const lastId = request.headers['last-event-id'] ?? query.lastEventId ?? null;
    const { form = 'full' } = query;
    stream.open(reply.raw, { lang, form, lastId: typeof lastId === 'string' ? lastId : null, headers: HEADERS });
    reply.hijack();
    return null;
  },
});
