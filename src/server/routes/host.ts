import * as z from 'zod';
import { hostSchema } from '../../model/api.ts';
import { langParameter } from '../query/parameter.ts';
import { defineRoute } from '../route.ts';
import { apiHost } from '../wire/api-machine.ts';

export const hostRoute = defineRoute({
  path: '/api/v1/host',
  operationId: 'getHost',
  summary: 'The newest readings of the machine itself: CPU, memory, disks, network and pressure',
  contentType: 'application/json',
  query: z.strictObject({ lang: langParameter }),
  response: hostSchema,
  errors: [],
  handle: ({ reader, viewer }) => JSON.stringify(apiHost(reader.host, reader.snapshot(viewer).machine)),
});
