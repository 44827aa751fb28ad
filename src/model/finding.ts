import type { MetricId } from './catalogue.ts';
import type { Severity } from './event.ts';
import type { Text } from './i18n/text.ts';
import type { Millis } from './reading.ts';

/** Every cause that gpulse can name, health before performance, in the order in which a report lists them. */
export const RULES = [
  'gpu-lost',
  'xid',
  'ecc-growth',
  'row-remap',
  'power-brake',
  'thermal-throttle',
  'pcie-degraded',
  'nvlink-degraded',
  'thermal-outlier',
  'power-cap',
  'collective-hang',
  'oom-fragmentation',
  'memory-leak',
  'memory-near-limit',
  'foreign-process',
  'ghost-memory',
  'not-on-gpu',
  'imbalance',
  'straggler',
  'memory-imbalance',
  'data-starvation',
  'epoch-gap',
  'checkpoint-stall',
  'comm-bound',
  'copy-bound',
  'launch-bound',
  'bandwidth-bound',
  'idle-held',
  'low-utilization',
  'monitor-overhead',
] as const;

export type RuleId = (typeof RULES)[number];

/**
 * How sure a finding is.
 *
 * - `confirmed`: two independent signals agree, or the driver itself states the fault
 * - `likely`: one strong signal, and what else would look the same has been excluded
 * - `possible`: the data fits, but cannot tell it from other causes
 * - `ruled-out`: the data would show it and does not, or something else explains it
 * - `not-evaluable`: the data cannot tell; `missing` names what would
 */
export type FindingState = (typeof FINDING_STATES)[number];

/** Every state, from sure to open. */
export const FINDING_STATES = ['confirmed', 'likely', 'possible', 'ruled-out', 'not-evaluable'] as const;

/** Findings that name a cause, from sure to unsure. */
export const NAMED_STATES: readonly FindingState[] = ['confirmed', 'likely', 'possible'];

/** One observation behind a finding. Its numbers can be computed again from the readings between `from` and `to`. */
export interface Evidence {
  readonly text: Text;
  /** Null where it is not about one metric, such as an event. */
  readonly metric: MetricId | null;
  /** In base units. */
  readonly values: Readonly<Record<string, number>>;
}

/** The verdict on one cause. */
export interface Finding {
  readonly rule: RuleId;
  readonly state: FindingState;
  readonly severity: Severity;
  /** health must alert; performance hints. */
  readonly layer: 'health' | 'performance';
  /** UUIDs of the GPUs it is about. */
  readonly gpus: readonly string[];
  readonly from: Millis;
  readonly to: Millis;
  /** GPU time that was lost to it within the data, in seconds, over all of its GPUs. */
  readonly lostSeconds: number;
  readonly evidence: readonly Evidence[];
  /** Metrics that would settle what stays open. */
  readonly missing: readonly MetricId[];
  /** What to change, and how to see that it helped. */
  readonly fix: Text;
  /** The cause that explains this one, which is then ruled out as a cause of its own. */
  readonly consequenceOf?: RuleId;
}

/** A finding on a machine that is being watched. */
export interface LiveFinding extends Finding {
  /** When it was seen first; `from` is where its evidence begins. */
  readonly since: Millis;
  /** False for what is over. */
  readonly isCurrent: boolean;
}

/** What is known of the last hour of a machine that is being watched. */
export interface LiveFindings {
  /** When it was looked at last, on the clock of the data; null before the first time. */
  readonly at: Millis | null;
  /** Time of the oldest and of the newest sample that was looked at. */
  readonly from: Millis | null;
  readonly to: Millis | null;
  /** What a report on the same time would say first; null where a cause is named, and before the first look. */
  readonly headline: Text | null;
  /** In every state, those that name a cause first. */
  readonly findings: readonly LiveFinding[];
}
