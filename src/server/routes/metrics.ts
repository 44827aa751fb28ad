import * as z from 'zod';
import { type ApiMetric, type ApiMetrics, metricsSchema } from '../../model/api-device.ts';
import { CATALOGUE, type Metric } from '../../model/catalogue.ts';
import type { Lang } from '../../model/i18n/text.ts';
import { TOPICS, topicOf } from '../../model/metric-topics.ts';
import { langParameter } from '../query/parameter.ts';
import { defineRoute } from '../route.ts';

/** The catalogue does not change, so that its text is made once per language. */
const texts = new Map<Lang, string>();

export const metricsRoute = defineRoute({
  path: '/api/v1/metrics',
  operationId: 'getMetrics',
  summary: 'What every metric means, in which unit it is, and its names under other tools; by topic',
  contentType: 'application/json',
  query: z.strictObject({ lang: langParameter }),
  response: metricsSchema,
  errors: [],
  handle({ lang }) {
    const text = texts.get(lang) ?? JSON.stringify(metrics(lang));
    texts.set(lang, text);
    return text;
  },
});

function metrics(lang: Lang): ApiMetrics {
  const byTopic = CATALOGUE.toSorted((a, b) => TOPICS.indexOf(topicOf(a.id)) - TOPICS.indexOf(topicOf(b.id)));
  return { metrics: byTopic.map((metric) => apiMetric(metric, lang)) };
}

function apiMetric(metric: Metric, lang: Lang): ApiMetric {
  const { id, scope, unit, kind, layer, cadence, label, help, states, smi, dcgm } = metric;
  return {
    id,
    scope: scope ?? 'device',
    topic: topicOf(id),
    unit,
    kind,
    layer,
    cadence,
    label: label[lang],
    help: help[lang],
    ...(states !== undefined && {
      states: Object.fromEntries(states.map(({ value, word }) => [String(value), word[lang]])),
    }),
    ...(smi !== undefined && { smi: smi.field }),
    ...(dcgm !== undefined && { dcgm }),
  };
}
