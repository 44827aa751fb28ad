import type { ApiMetric } from '../../../src/model/api-device.ts';
import type { MetricId } from '../../../src/model/catalogue.ts';
import { quantityText } from '../../../src/model/format.ts';
import type { Lang } from '../../../src/model/i18n/text.ts';
import type { Metrics } from '../session/metric-table.ts';

/** A value of a metric for people: with its unit, or the word for a state. */
export function metricText({ unit, states }: ApiMetric, value: number, lang: Lang): string {
  return states?.[String(value)] ?? quantityText(value, unit, lang);
}

/** What a metric is called; nothing until that is known. */
export function metricLabel(metrics: Metrics | null, id: MetricId): string {
  return metrics === null ? '' : (metrics.get(id)?.label ?? id);
}
