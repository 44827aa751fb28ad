import * as z from 'zod';
import { type ApiEvents, eventsSchema } from '../../model/api.ts';
import type { Text } from '../../model/i18n/text.ts';
import type { Viewer } from '../../model/ports.ts';
import type { Reader } from '../../model/reader.ts';
import { chooseGpus } from '../query/choice.ts';
import { badQuery, integer, langParameter, single } from '../query/parameter.ts';
import { momentParameter, resolveSpan } from '../query/span.ts';
import { defineRoute } from '../route.ts';
import { apiEvent } from '../wire/api-event.ts';

const DEFAULT_SPAN_MS = 24 * 3_600_000;
const DEFAULT_LIMIT = 200;
const MOST_EVENTS = 10_000;
const GPU_NOTATION: Text = { en: 'all | uuid | index', zh: 'all | UUID | 序号' };

export const eventsRoute = defineRoute({
  path: '/api/v1/events',
  operationId: 'getEvents',
  summary: 'What happened, oldest first',
  contentType: 'application/json',
  query: z.strictObject({
    from: momentParameter('start, inclusive; 24 hours before the end where it is missing'),
    to: momentParameter('end, exclusive; now where it is missing'),
    gpu: single({
      expected: GPU_NOTATION,
      description: 'one GPU, all of them where it is missing; events of the host are always included',
      parse: (text) => text || undefined,
    }),
    limit: integer('the newest so many', 1, MOST_EVENTS, DEFAULT_LIMIT),
    lang: langParameter,
  }),
  response: eventsSchema,
  errors: ['UNKNOWN_GPU', 'HISTORY_STOPPED', 'BUSY'],
  async handle({ query, reader, viewer, clock, history, lang, gone }) {
    const device = query.gpu === undefined ? undefined : await oneGpu(query.gpu, reader, viewer);
    const events = await history.run(async () => {
      const span = await resolveSpan(query, { reader, viewer, clock, defaultMs: DEFAULT_SPAN_MS });
      return reader.events(viewer, { ...span, limit: query.limit, ...(device === undefined ? {} : { device }) });
    }, gone);
    const answer: ApiEvents = { events: events.map((event) => apiEvent(event, lang)) };
    return JSON.stringify(answer);
  },
});

/** UUID of the one device that is meant, undefined for all of them. */
async function oneGpu(name: string, reader: Reader, viewer: Viewer): Promise<string | undefined> {
  if (name === 'all') return undefined;
  const [uuid, ...others] = await chooseGpus([name], reader, viewer);
  if (uuid === undefined || others.length > 0) throw badQuery('gpu', name, GPU_NOTATION);
  return uuid;
}
