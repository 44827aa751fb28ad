import { type MetricId, metric } from '../../model/catalogue.ts';
import type { Finding, RuleId } from '../../model/finding.ts';
import { duration, quantityText } from '../../model/format.ts';
import type { Lang } from '../../model/i18n/text.ts';
import type { Diagnosis } from '../diagnosis.ts';
import { median, type Values } from '../statistics/summary.ts';
import type { GpuSeries } from '../window/window.ts';
import { excerptOf, meanOf } from './excerpt.ts';
import { reportTranslator } from './translator.ts';

const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/** Characters of a line; it fits a terminal of 80 with its label. */
const WIDTH = 40;

/** Where nothing was read. */
const GAP = ' ';

/** Findings on a GPU that stands out from the others, which is to be seen beside them. */
const AMONG_OTHERS: readonly RuleId[] = ['straggler', 'thermal-outlier', 'memory-imbalance'];

/**
 * The course of what a finding is about, within its time and on its first GPU, in one line of text with its highest value and
 * how long it is. Each character is the mean of its part. One that stands out from the others is followed by the median of
 * those, in the same scale. Null where there is nothing to draw.
 */
export function sparkline(diagnosis: Diagnosis, finding: Finding, lang: Lang): string | null {
  const { window } = diagnosis;
  const { from, to, gpus } = finding;
  const gpu = window.gpus.find(({ device }) => device.uuid === gpus[0]);
  const id = drawnMetric(finding, gpu);
  const values = id === null ? null : (gpu?.column(id) ?? null);
  const first = window.at.findIndex((at) => at >= from);
  const past = window.at.findIndex((at) => at > to);
  const last = past < 0 ? window.length : past;
  if (id === null || values === null || first < 0 || last - first < BARS.length) return null;
  const others = othersOf(diagnosis, finding, id);
  const width = others.length === 0 ? WIDTH : WIDTH / 2;
  const cells = excerptOf(values, { start: first, end: last }, width);
  const own = meansIn(values, cells, width);
  const usual = medians(others.map((column) => meansIn(column, cells, width)));
  const top = Math.max(...[...own, ...usual].filter((mean) => !Number.isNaN(mean)));
  if (!(top > 0)) return null;
  const { label, unit } = metric(id);
  const span = duration(window.at[cells.end - 1]! - window.at[cells.start]!, lang);
  const beside = usual.length === 0 ? '' : ` ${reportTranslator(lang)('report.others')} ${barsOf(usual, top)}`;
  return `${label[lang]} ${barsOf(own, top)}${beside} 0–${quantityText(top, unit, lang)}, ${span}`;
}

/** The first metric of its evidence that can be drawn; null for none. */
function drawnMetric({ evidence }: Finding, gpu: GpuSeries | undefined): MetricId | null {
  return evidence.find(({ metric: about }) => about !== null && isDrawn(about) && gpu?.has(about))?.metric ?? null;
}

function isDrawn(id: MetricId): boolean {
  const { kind, unit, scope } = metric(id);
  return kind === 'gauge' && unit !== 'bits' && scope !== 'host';
}

/** Columns of the GPUs that one stands out from: none where it is not about that. */
function othersOf({ window }: Diagnosis, { rule, gpus }: Finding, id: MetricId): readonly Values[] {
  if (!AMONG_OTHERS.includes(rule)) return [];
  return window.gpus
    .filter(({ device }) => device.mig === undefined && !gpus.includes(device.uuid))
    .flatMap((gpu) => gpu.column(id) ?? []);
}

/** Means of so many parts of a column; of fewer cells than that each stands for itself. */
function meansIn(values: Values, { start, end }: { start: number; end: number }, most: number): number[] {
  const width = Math.min(most, end - start);
  const edge = (part: number): number => start + Math.floor((part * (end - start)) / width);
  return Array.from({ length: width }, (_, part) => meanOf(values.subarray(edge(part), edge(part + 1))));
}

/** Place by place; none for none. */
function medians(rows: readonly (readonly number[])[]): number[] {
  const [first = []] = rows;
  return first.map((_, place) => median(rows.map((row) => row[place]!).filter((value) => !Number.isNaN(value))));
}

function barsOf(means: readonly number[], top: number): string {
  return means
    .map((mean) =>
      Number.isNaN(mean) ? GAP : BARS[Math.min(BARS.length - 1, Math.floor((mean / top) * BARS.length))]!,
    )
    .join('');
}
