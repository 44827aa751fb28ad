import * as z from 'zod';
import {
  compactGpusSchema,
  errorSchema,
  eventSchema,
  eventsSchema,
  gpuSchema,
  gpusSchema,
  healthSchema,
  releaseSchema,
  seriesSchema,
  tickMessageSchema,
} from '../model/api.ts';
import { detailsSchema, metricsSchema, topologySchema } from '../model/api-device.ts';
import { findingSchema, findingsSchema } from '../model/api-finding.ts';
import { ownerSchema, podSchema, processesSchema, processSchema } from '../model/api-process.ts';
import { ERRORS, type ErrorCode } from '../model/i18n/errors.ts';
import type { Route } from './route.ts';

/** Names of the shapes in `components/schemas`. */
const COMPONENTS: Readonly<Record<string, z.ZodType>> = {
  Health: healthSchema,
  Gpus: gpusSchema,
  Gpu: gpuSchema,
  CompactGpus: compactGpusSchema,
  Details: detailsSchema,
  Process: processSchema,
  Owner: ownerSchema,
  Pod: podSchema,
  Processes: processesSchema,
  Topology: topologySchema,
  Metrics: metricsSchema,
  Series: seriesSchema,
  Events: eventsSchema,
  Findings: findingsSchema,
  Finding: findingSchema,
  Release: releaseSchema,
  Event: eventSchema,
  TickMessage: tickMessageSchema,
  Error: errorSchema,
};

/** Failures any route may answer with. */
const COMMON_ERRORS: readonly ErrorCode[] = [
  'BAD_REQUEST',
  'BAD_QUERY',
  'UNKNOWN_PARAMETER',
  'HOST_NOT_ALLOWED',
  'METHOD_NOT_ALLOWED',
  'INTERNAL',
];

const POST_ERRORS: readonly ErrorCode[] = ['ORIGIN_NOT_ALLOWED'];

/** The description of the API, OpenAPI 3.1. */
export function openApiDocument(routes: readonly Route[], version: string): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'gpulse',
      version,
      description:
        'Times are epoch milliseconds UTC, values are in base units: ratio 0–1, bytes, W, J, Hz, °C, seconds.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    // Relative to this document, so that it holds behind any base path.
    servers: [{ url: '..' }],
    paths: Object.fromEntries(routes.map((route) => [route.path, { [route.method ?? 'get']: operation(route) }])),
    components: { schemas: componentSchemas() },
  };
}

function operation(route: Route): object {
  return {
    operationId: route.operationId,
    summary: route.summary,
    parameters: parameters(route.query),
    responses: {
      200: { description: 'OK', content: { [route.contentType]: { schema: reference(route.response) } } },
      ...errorResponses([...COMMON_ERRORS, ...(route.method === 'post' ? POST_ERRORS : []), ...route.errors]),
    },
  };
}

function parameters(query: z.ZodObject): object[] {
  const { properties = {} } = z.toJSONSchema(query, {
    io: 'input',
    // zod leaves out the default of what is transformed, as it might not be of the input's type; ours always is.
    override: ({ zodSchema: { _zod }, jsonSchema }) => {
      if (_zod.def.type === 'default') jsonSchema.default = _zod.def.defaultValue;
    },
  });
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = property as { description?: string };
    return { name, in: 'query', required: false, description, schema };
  });
}

/** One response per status; several codes may share one. */
function errorResponses(codes: readonly ErrorCode[]): object {
  const byStatus = Map.groupBy(codes, (code) => ERRORS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, sharing]) => [
      status,
      { description: sharing.join(', '), content: { 'application/json': { schema: reference(errorSchema) } } },
    ]),
  );
}

function reference(schema: z.ZodType): object {
  const name = Object.keys(COMPONENTS).find((candidate) => COMPONENTS[candidate] === schema);
  return name === undefined ? {} : { $ref: `#/components/schemas/${name}` };
}

function componentSchemas(): object {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(COMPONENTS)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => `#/components/schemas/${id}` });
  return Object.fromEntries(Object.entries(schemas).map(([name, { $schema, $id, ...schema }]) => [name, schema]));
}
