import type { Millis } from './reading.ts';

export const EVENT_KINDS = [
  'gpu-lost',
  'gpu-back',
  'gpu-found',
  'gpu-silent',
  'throttle-began',
  'throttle-ended',
  'xid',
  'ecc-corrected',
  'ecc-uncorrected',
  'process-started',
  'process-ended',
  'driver-reloaded',
  'clock-stepped',
  'source-stalled',
  'source-recovered',
  'recording-restarted',
  'recording-ended',
  'marker',
] as const;

export type EventKind = (typeof EVENT_KINDS)[number];

export type Severity = 'info' | 'warning' | 'critical';

/**
 * Something that happened. The sentence a person reads is made from `kind` and `params` by the message table, so an
 * event carries no text of its own.
 */
export interface GpuEvent {
  readonly at: Millis;
  readonly kind: EventKind;
  readonly severity: Severity;
  /** The device it happened to; null for the host or the source. */
  readonly uuid: string | null;
  readonly params: Readonly<Record<string, string | number>>;
}
