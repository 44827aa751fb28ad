import * as z from 'zod';
import { EVENT_KINDS } from './event.ts';
import { ABSENCE_REASONS } from './reading.ts';

/**
 * Shapes of everything the HTTP API answers, and the source of `/api/openapi.json`. Times are epoch milliseconds UTC,
 * values are in the base units of the catalogue. Clients import the types only.
 */

const millis = z.number().int().describe('epoch milliseconds UTC');
const absence = z.enum(ABSENCE_REASONS);

export const processSchema = z.object({
  pid: z.number().int(),
  kind: z.enum(['compute', 'graphics', 'compute+graphics']),
  name: z.string().nullable(),
  user: z.string().nullable(),
  memoryBytes: z.number().nullable(),
});

export const gpuSchema = z.object({
  uuid: z.string(),
  index: z.number().int(),
  name: z.string(),
  vendor: z.enum(['nvidia', 'amd', 'intel', 'unknown']),
  state: z.enum(['ok', 'lost', 'asleep', 'stale']),
  at: millis.describe('when this device was sampled, epoch milliseconds UTC'),
  pciBusId: z.string().nullable(),
  driverVersion: z.string().nullable(),
  readings: z.record(z.string(), z.number().nullable()).describe('every metric id of the catalogue; null where absent'),
  absent: z.record(z.string(), absence).describe('the reason for every null in readings'),
  processes: z.array(processSchema),
  processesAbsent: absence.nullable().describe('why processes cannot be listed; null where they can'),
});

export const eventSchema = z.object({
  at: millis,
  kind: z.enum(EVENT_KINDS),
  severity: z.enum(['info', 'warning', 'critical']),
  uuid: z.string().nullable(),
  params: z.record(z.string(), z.union([z.string(), z.number()])),
  text: z.string().describe('the sentence in the language of the request'),
});

export const gpusSchema = z.object({
  at: millis.nullable(),
  host: z.string(),
  source: z.string(),
  sequence: z.number().int(),
  gpus: z.array(gpuSchema),
});

const column = z.array(z.number().nullable());

export const seriesSchema = z.object({
  from: millis,
  to: millis,
  bucketMs: z.number(),
  intervalMs: z.number().describe('typical distance of two samples; a hole wider than three of these is a gap'),
  at: z.array(millis).describe('start of each bucket'),
  series: z.array(
    z.object({
      gpu: z.string(),
      metric: z.string(),
      unit: z.string(),
      min: column,
      mean: column,
      max: column,
      count: z.array(z.number().int()),
    }),
  ),
});

export const eventsSchema = z.object({ events: z.array(eventSchema) });

const errorBodySchema = z.object({ code: z.string(), message: z.string(), hint: z.string() });
export const errorSchema = z.object({ error: errorBodySchema });

export const healthSchema = z.object({
  status: z.enum(['ok', 'degraded', 'no-device']),
  now: millis,
  host: z.string(),
  version: z.string(),
  source: z.object({
    name: z.string(),
    origin: z.enum(['live', 'simulated', 'recorded']),
    state: z.enum(['searching', 'running', 'stalled', 'ended']),
    reason: errorBodySchema.nullable().describe('why no device was found'),
    lastTickAt: millis
      .nullable()
      .describe('when the newest tick arrived, by the clock of this host, also where a recording is played'),
    intervalMs: z.number(),
    missedTicks: z.number().int(),
    notices: z.array(z.object({ key: z.string(), text: z.string() })),
  }),
  history: z.object({
    path: z.string(),
    bytes: z.number(),
    from: millis.nullable(),
    to: millis.nullable(),
    droppedTicks: z.number().int(),
    failure: errorBodySchema.nullable(),
  }),
  own: z.object({ residentBytes: z.number(), cpuSeconds: z.number(), uptimeSeconds: z.number() }),
});

/** What stays the same about a device from tick to tick. */
const factsSchema = gpuSchema.pick({ index: true, name: true, vendor: true, pciBusId: true, driverVersion: true });

/**
 * Sent as `event: tick`: what changed since the message before. Absent keys are unchanged. A device that was not listed
 * before comes with `facts` and every reading.
 */
export const tickMessageSchema = z.object({
  at: millis.nullable(),
  sequence: z.number().int(),
  source: z.string().optional().describe('name of the source, if another one is in use now'),
  order: z
    .array(z.string())
    .optional()
    .describe('uuids of all devices in their order, if one appeared, went or moved; what is not in it is gone'),
  gpus: z.array(
    z.object({
      uuid: z.string(),
      facts: factsSchema.optional().describe('given for a new device, and where a fact changed'),
      state: gpuSchema.shape.state,
      at: millis,
      readings: z.record(z.string(), z.number().nullable()).describe('changed readings only'),
      absent: z.record(z.string(), absence).describe('reasons of the nulls among the changed readings'),
      processes: z.array(processSchema).optional().describe('the whole list, if it changed'),
      processesAbsent: absence.nullable().optional(),
    }),
  ),
  events: z.array(eventSchema),
});

export type ApiGpu = z.infer<typeof gpuSchema>;
export type ApiGpus = z.infer<typeof gpusSchema>;
export type ApiProcess = z.infer<typeof processSchema>;
export type ApiEvent = z.infer<typeof eventSchema>;
export type ApiEvents = z.infer<typeof eventsSchema>;
export type ApiSeries = z.infer<typeof seriesSchema>;
export type ApiHealth = z.infer<typeof healthSchema>;
export type ApiError = z.infer<typeof errorBodySchema>;
export type ApiTickMessage = z.infer<typeof tickMessageSchema>;
