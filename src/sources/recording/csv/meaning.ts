import type { Metric } from '../../../model/catalogue.ts';

/** What a column of a log is about. */
export type Meaning =
  /** A reading. `scale` turns a plain number into the base unit; the column with the lowest `rank` is taken. */
  | {
      readonly kind: 'metric';
      readonly metric: Metric;
      readonly scale: number;
      readonly rank: number;
      /** Another metric that the column is taken for too, where the log has no column of its own for it. */
      readonly standsFor?: Metric;
    }
  /** `Active` or `Not Active` for one bit of the clock event reasons. */
  | { readonly kind: 'reason'; readonly bit: number }
  /** A date, a time since 1970 or, decided by its values, seconds from the start. */
  | { readonly kind: 'time' }
  /** A time since 1970; small numbers in such a column count the epochs of a training. */
  | { readonly kind: 'epoch' }
  /** Time from the start; `unitMs` is the length of one. */
  | { readonly kind: 'elapsed'; readonly unitMs: number }
  | { readonly kind: 'uuid' | 'bus-id' | 'serial' | 'index' | 'name' | 'driver' | 'host' | 'mig-mode' }
  | { readonly kind: 'pid' | 'process-name' | 'process-memory' }
  /** The mark of a query that has no readings of devices. */
  | { readonly kind: 'other-query' }
  /** A field of nvidia-smi that gpulse has no use for. */
  | { readonly kind: 'unused' }
  | { readonly kind: 'unknown' };

export type MetricMeaning = Extract<Meaning, { kind: 'metric' }>;
