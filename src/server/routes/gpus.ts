import * as z from 'zod';
import { gpusSchema } from '../../model/api.ts';
import { langParameter } from '../query/parameter.ts';
import { defineRoute } from '../route.ts';
import { gpusJson } from '../wire/gpus-json.ts';

export const gpusRoute = defineRoute({
  path: '/api/v1/gpus',
  operationId: 'getGpus',
  summary: 'The newest reading of every metric of every GPU, and the processes on it',
  contentType: 'application/json',
  query: z.strictObject({ lang: langParameter }),
  response: gpusSchema,
  errors: [],
  handle: ({ reader, viewer }) => gpusJson(reader.snapshot(viewer), reader.host, reader.source(viewer).name),
});
