import * as z from 'zod';
import { TOPICS } from './metric-topics.ts';
import { UNITS } from './metrics/entry.ts';
import { ABSENCE_REASONS } from './reading.ts';

/** Shapes in the HTTP API of what a device is made of, and of what its metrics mean. */

const absence = z.enum(ABSENCE_REASONS);
const count = z.number().nullable();

export const detailsSchema = z.object({
  fans: z
    .array(z.object({ ratio: z.number().nullable(), absent: absence.nullable() }))
    .nullable()
    .describe('speed of each fan, in the order of the driver; null where the source does not ask'),
  links: z
    .array(
      z.object({
        link: z.number().int(),
        isActive: z.boolean(),
        peerBusId: z.string().nullable().describe('PCI bus id of what is at its other end'),
        crcErrors: count,
        replayErrors: count,
        recoveryErrors: count,
        absent: z.record(z.string(), absence).describe('the reason for every count that is null'),
      }),
    )
    .nullable()
    .describe('NVLink ports; null where the source does not ask'),
});

export const detailsChangeSchema = z.object({
  fans: detailsSchema.shape.fans.exactOptional(),
  links: detailsSchema.shape.links.exactOptional(),
});

export const topologySchema = z.object({
  links: z
    .array(
      z.object({
        from: z.string(),
        to: z.string(),
        level: z.string().describe('as `nvidia-smi topo -m` names it: NV18, PIX, PXB, PHB, NODE, SYS; XGMI for AMD'),
        canPeerRead: z.boolean().nullable().describe('whether one can read the memory of the other'),
      }),
    )
    .nullable()
    .describe('each pair of GPUs once, by uuid; null where the source cannot tell'),
});

export const metricsSchema = z.object({
  metrics: z.array(
    z.object({
      id: z.string(),
      scope: z.enum(['device', 'host']),
      topic: z.enum(TOPICS),
      unit: z.enum(UNITS),
      kind: z.enum(['gauge', 'counter', 'state']),
      layer: z.enum(['health', 'performance']),
      cadence: z.enum(['static', 'fast', 'slow']),
      label: z.string().describe('in the language of the request'),
      help: z.string(),
      states: z
        .record(z.string(), z.string())
        .optional()
        .describe('the words for the values of a metric of the unit `state`'),
      smi: z.string().optional().describe('the field of `nvidia-smi --query-gpu`'),
      dcgm: z.string().optional().describe('the name under dcgm-exporter'),
    }),
  ),
});

export type ApiDetails = z.infer<typeof detailsSchema>;
export type ApiLink = NonNullable<ApiDetails['links']>[number];
export type ApiTopology = z.infer<typeof topologySchema>;
export type ApiMetrics = z.infer<typeof metricsSchema>;
export type ApiMetric = ApiMetrics['metrics'][number];
