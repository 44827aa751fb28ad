import * as z from 'zod';
import { FINDING_STATES, RULES } from './finding.ts';

/** Shapes of the findings that the HTTP API answers; see `api.ts`. */

const millis = z.number().int().describe('epoch milliseconds UTC');

export const findingSchema = z.object({
  rule: z.enum(RULES),
  title: z.string().describe('the cause in the language of the request'),
  state: z.enum(FINDING_STATES),
  stateText: z.string(),
  severity: z.enum(['info', 'warning', 'critical']),
  layer: z.enum(['health', 'performance']).describe('health must alert, performance hints'),
  gpus: z.array(z.string()).describe('uuids of the GPUs it is about'),
  since: millis.describe('when it was seen first within the last hour'),
  from: millis.describe('start of what its evidence is about'),
  to: millis.describe('end of what its evidence is about'),
  isCurrent: z.boolean().describe('false for what is over, and for what names no cause'),
  lostSeconds: z.number().describe('GPU time that was lost to it, over all of its GPUs'),
  evidence: z.array(
    z.object({
      text: z.string(),
      metric: z.string().nullable().describe('null where it is not about one metric'),
      values: z.record(z.string(), z.number()).describe('its numbers in base units'),
    }),
  ),
  missing: z.array(z.string()).describe('metric ids that would settle what stays open'),
  missingText: z.string().nullable().describe('the same in words; null where nothing is missing'),
  fix: z.string().describe('what to change, and how to see that it helped'),
  consequenceOf: z.enum(RULES).optional().describe('the cause that explains this one'),
});

export const findingsSchema = z.object({
  at: millis.nullable().describe('when it was looked at last; null before the first time'),
  from: millis.nullable().describe('oldest sample that was looked at'),
  to: millis.nullable().describe('newest sample that was looked at'),
  headline: z
    .string()
    .nullable()
    .describe('what is said where no cause is named; null where one is, in any state asked for or not'),
  findings: z.array(findingSchema).describe('those that name a cause first, health before performance'),
});

export type ApiFinding = z.infer<typeof findingSchema>;
export type ApiFindings = z.infer<typeof findingsSchema>;
