import { type MetricId, metric } from '../../../model/catalogue.ts';
import { MetricColumn } from '../csv/metric.ts';
import { plainScale, smiMeaning } from '../csv/smi-fields.ts';

interface Target {
  readonly column: MetricColumn;
  /** Of several values for one metric that of the lowest rank is taken. */
  readonly rank: number;
}

/** What a value of nvidia-smi is about: readings of metrics, or one bit of the clock event reasons. */
export interface SmiField {
  /** How it is called in reports to the user. */
  readonly title: string;
  readonly targets: readonly Target[];
  /** 0 where it is no reason. */
  readonly reason: number;
}

/** Ranks of values that stand in for a metric. */
const STAND_IN_RANK = 3;

/** A metric by its id in place of a field. `scale` turns a number without a unit into the base unit. */
export function metricField(id: MetricId, title: string, scale?: number): SmiField {
  const entry = metric(id);
  const column = new MetricColumn({ position: -1, title, metric: entry, scale: scale ?? plainScale(entry) });
  return { title, targets: [{ column, rank: 0 }], reason: 0 };
}

/** One bit of the clock event reasons. */
export function reasonField(bit: number, title: string): SmiField {
  return { title, targets: [], reason: bit };
}

/**
 * The field of `nvidia-smi --query-gpu` of this name, which is what the catalogue knows metrics by; null where gpulse has
 * no use for it.
 */
export function smiField(name: string, title = name): SmiField | null {
  const meaning = smiMeaning(name.toLowerCase());
  if (meaning?.kind === 'reason') return reasonField(meaning.bit, title);
  if (meaning?.kind !== 'metric') return null;
  const { scale, rank, standsFor } = meaning;
  const column = new MetricColumn({ position: -1, title, metric: meaning.metric, scale });
  const other = standsFor === undefined ? null : new MetricColumn({ position: -1, title, metric: standsFor, scale });
  const targets =
    other === null
      ? [{ column, rank }]
      : [
          { column, rank },
          { column: other, rank: STAND_IN_RANK },
        ];
  return { title, targets, reason: 0 };
}
