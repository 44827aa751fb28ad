import * as z from 'zod';
import { type ApiTopology, topologySchema } from '../../model/api-device.ts';
import { langParameter } from '../query/parameter.ts';
import { defineRoute } from '../route.ts';

export const topologyRoute = defineRoute({
  path: '/api/v1/topology',
  operationId: 'getTopology',
  summary: 'How the GPUs are joined',
  contentType: 'application/json',
  query: z.strictObject({ lang: langParameter }),
  response: topologySchema,
  errors: [],
  handle({ reader, viewer }) {
    const links = reader.topology(viewer);
    const answer: ApiTopology = {
      links: links?.map(({ from, to, level, canPeerRead }) => ({ from, to, level, canPeerRead })) ?? null,
    };
    return JSON.stringify(answer);
  },
});
