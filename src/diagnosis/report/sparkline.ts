import { type MetricId, metric } from '../../model/catalogue.ts';
import type { Finding } from '../../model/finding.ts';
import { duration, quantityText } from '../../model/format.ts';
import type { Lang } from '../../model/i18n/text.ts';
import type { Diagnosis } from '../diagnosis.ts';
import { excerptOf, meanOf } from './excerpt.ts';

const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/** Characters of a line; it fits a terminal of 80 with its label. */
const WIDTH = 40;

/** Where nothing was read. */
const GAP = ' ';

/**
 * The course of what a finding is about, within its time and on its first GPU, in one line of text with its highest value and
 * how long it is. Each character is the mean of its part. Null where there is nothing to draw.
 */
export function sparkline({ window }: Diagnosis, { gpus, from, to, evidence }: Finding, lang: Lang): string | null {
  const gpu = window.gpus.find(({ device }) => device.uuid === gpus[0]);
  const id = evidence.find(({ metric: about }) => about !== null && isDrawn(about) && gpu?.has(about))?.metric;
  const values = id == null ? null : (gpu?.column(id) ?? null);
  const first = window.at.findIndex((at) => at >= from);
  const past = window.at.findIndex((at) => at > to);
  const last = past < 0 ? window.length : past;
  if (id == null || values === null || first < 0 || last - first < BARS.length) return null;
  const { start, end } = excerptOf(values, { start: first, end: last }, WIDTH);
  const width = Math.min(WIDTH, end - start);
  const edge = (part: number): number => start + Math.floor((part * (end - start)) / width);
  const means = Array.from({ length: width }, (_, part) => meanOf(values.subarray(edge(part), edge(part + 1))));
  const top = Math.max(...means.filter((mean) => !Number.isNaN(mean)));
  if (!(top > 0)) return null;
  const bars = means.map((mean) =>
    Number.isNaN(mean) ? GAP : BARS[Math.min(BARS.length - 1, Math.floor((mean / top) * BARS.length))]!,
  );
  const { label, unit } = metric(id);
  const span = duration(window.at[end - 1]! - window.at[start]!, lang);
  return `${label[lang]} ${bars.join('')} 0–${quantityText(top, unit, lang)}, ${span}`;
}

function isDrawn(id: MetricId): boolean {
  const { kind, unit, scope } = metric(id);
  return kind === 'gauge' && unit !== 'bits' && scope !== 'host';
}
