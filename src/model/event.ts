import type { Millis } from './reading.ts';

export const EVENT_KINDS = [
  'gpu-lost',
  'gpu-back',
  'gpu-found',
  'gpu-silent',
  'throttle-began',
  'throttle-ended',
  'xid',
  'sxid',
  'ecc-corrected',
  'ecc-uncorrected',
  'rows-remapped',
  'remapping-pending',
  'remapping-failed',
  'pages-retired',
  'retirement-pending',
  'process-started',
  'process-ended',
  'driver-gone',
  'driver-reloaded',
  'clock-stepped',
  'source-released',
  'source-resumed',
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
  /**
   * Given to an event that goes on, such as one Xid that is repeated: a later event with the same key is its newer state
   * and takes its place wherever events are kept. It keeps the `at` of the first.
   */
  readonly key?: string;
}
