import * as z from 'zod';
import { detailsChangeSchema, detailsSchema } from './api-device.ts';
import { podSchema, processChangeSchema, processSchema } from './api-process.ts';
import { DEVICE_FACTS } from './device.ts';
import { EVENT_KINDS } from './event.ts';
import { ABSENCE_REASONS } from './reading.ts';

/**
 * Shapes of everything the HTTP API answers, and the source of `/api/openapi.json`. Times are epoch milliseconds UTC,
 * values are in the base units of the catalogue. Clients import the types only.
 */

const millis = z.number().int().describe('epoch milliseconds UTC');
const absence = z.enum(ABSENCE_REASONS);

export const gpuSchema = z.object({
  uuid: z.string(),
  index: z.number().int(),
  name: z.string(),
  vendor: z.enum(['nvidia', 'amd', 'intel', 'huawei', 'unknown']),
  state: z.enum(['ok', 'lost', 'asleep', 'stale']),
  at: millis.describe('when this device was sampled, epoch milliseconds UTC'),
  pciBusId: z.string().nullable(),
  driverVersion: z.string().nullable(),
  minor: z.number().int().nullable().describe('N of /dev/nvidiaN'),
  serial: z.string().nullable(),
  facts: z.partialRecord(z.enum(DEVICE_FACTS), z.string()).describe('what is known of the device itself'),
  mig: z
    .object({
      parent: z.string().describe('uuid of the card'),
      gpuInstance: z.number().int().nullable(),
      computeInstance: z.number().int().nullable(),
      profile: z.string().nullable(),
    })
    .nullable()
    .describe('where a MIG instance is cut out of its card; null for a card'),
  readings: z.record(z.string(), z.number().nullable()).describe('every metric id of the catalogue; null where absent'),
  absent: z.record(z.string(), absence).describe('the reason for every null in readings'),
  processes: z.array(processSchema),
  processesAbsent: absence.nullable().describe('why processes cannot be listed; null where they can'),
  processesPartial: absence.nullable().describe('set where processes are missing from the list, with the reason'),
  details: detailsSchema.describe('what comes in more than one number per metric'),
  allotted: z
    .array(podSchema)
    .nullable()
    .describe('pods to which the device is allotted, busy or not; null where nobody tells'),
});

export const eventSchema = z.object({
  at: millis,
  kind: z.enum(EVENT_KINDS),
  severity: z.enum(['info', 'warning', 'critical']),
  uuid: z.string().nullable(),
  params: z.record(z.string(), z.union([z.string(), z.number()])),
  text: z.string().describe('the sentence in the language of the request'),
  key: z
    .string()
    .optional()
    .describe('given to an event that goes on: a later one with the same key is its newer state and replaces it'),
});

/** Readings of the machine. */
const machineSchema = z.object({
  at: millis.describe('when the host was read'),
  readings: z
    .record(z.string(), z.number().nullable())
    .describe('every host metric of the catalogue; null where absent'),
  absent: z.record(z.string(), absence).describe('the reason for every null in readings'),
});

export const hostSchema = z.object({
  host: z.string(),
  machine: machineSchema
    .extend({
      cpuRatios: z.array(z.number()).describe('busy share per CPU, in the order of the kernel; empty where unknown'),
    })
    .nullable()
    .describe('null where the source is not this machine, or nothing has been read yet'),
});

export const gpusSchema = z.object({
  at: millis.nullable(),
  host: z.string(),
  source: z.string(),
  sequence: z.number().int(),
  gpus: z.array(gpuSchema),
  machine: machineSchema.nullable().describe('the host; null where the source is not this machine'),
});

/** The same with every list of absences written once, since the GPUs of a machine nearly all lack the same. */
export const compactGpusSchema = gpusSchema.extend({
  gpus: z.array(
    gpuSchema.omit({ absent: true }).extend({
      readings: z.record(z.string(), z.number()).describe('the readings that are present'),
      absences: z.number().int().describe('position of the list of what is absent'),
    }),
  ),
  absences: z.array(z.record(z.string(), absence)).describe('what is absent, and why'),
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
      growth: column
        .optional()
        .describe(
          'given for counters: how much it grew in each bucket, where a lower value means that it started again',
        ),
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
    state: z.enum(['searching', 'running', 'stalled', 'ended', 'released']),
    releasedUntil: millis
      .nullable()
      .describe('while the devices are released: when they are taken up again at the latest'),
    reason: errorBodySchema.nullable().describe('why no device was found'),
    lastTickAt: millis
      .nullable()
      .describe('when the newest tick arrived, by the clock of this host, also where a recording is played'),
    intervalMs: z.number(),
    missedTicks: z.number().int(),
    notices: z.array(
      z.object({
        key: z.string(),
        text: z.string(),
        isRemark: z.boolean().describe('it only says what gpulse cannot see; nothing is at fault'),
      }),
    ),
  }),
  history: z.object({
    path: z.string(),
    bytes: z.number(),
    from: millis.nullable(),
    to: millis.nullable(),
    droppedTicks: z.number().int(),
    daysThatFit: z
      .number()
      .nullable()
      .describe('days of every sample that the limits and the disk have room for; null while that is not known'),
    damage: errorBodySchema.nullable().describe('what of the files could not be read any more'),
    failure: errorBodySchema.nullable(),
    queue: z
      .object({
        ticks: z.number().int(),
        bytes: z.number(),
        maxBytes: z.number(),
        failingSince: millis.nullable(),
      })
      .nullable()
      .describe('what waits on this host for a history engine elsewhere; null where the history is kept here'),
  }),
  own: z.object({ residentBytes: z.number(), cpuSeconds: z.number(), uptimeSeconds: z.number() }),
});

export const releaseSchema = z.object({
  state: healthSchema.shape.source.shape.state,
  releasedUntil: healthSchema.shape.source.shape.releasedUntil,
});

/** What stays the same about a device from tick to tick. */
const factsSchema = gpuSchema.pick({
  index: true,
  name: true,
  vendor: true,
  pciBusId: true,
  driverVersion: true,
  minor: true,
  serial: true,
  facts: true,
  mig: true,
});

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
      processes: z.array(processSchema).optional().describe('the whole list, if more than figures changed'),
      processChanges: z.array(processChangeSchema).optional().describe('changed figures in a list that is the same'),
      processesAbsent: absence.nullable().optional(),
      processesPartial: absence.nullable().optional(),
      details: detailsChangeSchema.optional().describe('the parts that changed, each whole'),
      allotted: gpuSchema.shape.allotted.optional(),
    }),
  ),
  machine: machineSchema.optional().describe('the host if it was read again: changed readings only'),
  events: z.array(eventSchema),
});

export type ApiGpu = z.infer<typeof gpuSchema>;
export type ApiGpus = z.infer<typeof gpusSchema>;
export type ApiCompactGpus = z.infer<typeof compactGpusSchema>;
export type ApiHost = z.infer<typeof hostSchema>;
export type ApiMachine = z.infer<typeof machineSchema>;
export type ApiEvent = z.infer<typeof eventSchema>;
export type ApiEvents = z.infer<typeof eventsSchema>;
export type ApiSeries = z.infer<typeof seriesSchema>;
export type ApiHealth = z.infer<typeof healthSchema>;
export type ApiRelease = z.infer<typeof releaseSchema>;
export type ApiError = z.infer<typeof errorBodySchema>;
export type ApiTickMessage = z.infer<typeof tickMessageSchema>;
