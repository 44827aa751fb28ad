import * as z from 'zod';
import { gpusSchema } from '../../model/api.ts';
import { langParameter } from '../query/parameter.ts';
import { defineRoute } from '../route.ts';
import { apiGpus } from '../wire/api-gpu.ts';

export const gpusRoute = defineRoute({
  path: '/api/v1/gpus',
  operationId: 'getGpus',
  summary: 'The newest reading of every metric of every GPU, and the processes on it',
  contentType: 'application/json',
  query: z.strictObject({ lang: langParameter }),
  response: gpusSchema,
  errors: [],
  handle: ({ reader, viewer }) =>
    JSON.stringify(apiGpus(reader.snapshot(viewer), reader.host, reader.source(viewer).name)),
});
