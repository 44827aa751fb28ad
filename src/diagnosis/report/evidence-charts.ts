import { type MetricId, metric } from '../../model/catalogue.ts';
import type { Finding } from '../../model/finding.ts';
import type { Lang } from '../../model/i18n/text.ts';
import type { Diagnosis } from '../diagnosis.ts';
import type { Series, Window } from '../window/window.ts';
import { chartSvg, type Line } from './chart.ts';
import { excerptOf } from './excerpt.ts';
import { linesAround } from './log-lines.ts';

/** Lines and charts of one finding at most. */
const MOST_LINES = 8;
const MOST_CHARTS = 3;

/** So much of its own length is shown before and after a finding. */
const MARGIN = 0.15;

/** A beat is drawn with so many cells of it. */
const BEAT_CELLS = 240;

/** What a reader wants to see beside the metric itself. */
const COMPANIONS: readonly MetricId[] = ['utilization_ratio'];

/** The readings behind a finding, drawn around its time. */
export function evidenceCharts(diagnosis: Diagnosis, finding: Finding, lang: Lang): readonly string[] {
  const { window } = diagnosis;
  if (window.length < 3) return [];
  const metrics = [...new Set([...finding.evidence.flatMap(({ metric: id }) => id ?? []), ...COMPANIONS])];
  const { start, end } = drawnCells(window, finding);
  const events = window.events.filter(({ severity, kind }) => severity === 'critical' || kind === 'marker');
  const marks = [...events, ...linesAround(diagnosis, finding)].map(({ at }) => at);
  return metrics
    .flatMap((id) => {
      const lines = linesOf(window, finding, id);
      if (lines.length === 0) return [];
      const { label, unit, kind } = metric(id);
      if (unit === 'bits' || kind === 'counter') return [];
      const { from, to } = finding;
      const names = lines.map(({ name }, index) => `<span class="key c${index % 8}">${name}</span>`).join(' ');
      const svg = chartSvg({ title: label[lang], unit, at: window.at, lines, start, end, from, to, marks }, lang);
      return [`<figure><figcaption>${label[lang]} ${names}</figcaption>${svg}</figure>`];
    })
    .slice(0, MOST_CHARTS);
}

function linesOf(window: Window, { gpus }: Finding, id: MetricId): Line[] {
  const line = (series: Series, name: string): Line[] => {
    const values = series.column(id);
    return values === null ? [] : [{ name, values }];
  };
  if (metric(id).scope === 'host') return line(window.host, 'host');
  const chosen = window.gpus.filter(({ device }) => gpus.length === 0 || gpus.includes(device.uuid));
  const others = window.gpus.filter((gpu) => !chosen.includes(gpu) && gpu.device.mig === undefined);
  // One GPU among others is compared with them.
  const shown = chosen.length <= 2 ? [...chosen, ...others] : chosen;
  return shown.slice(0, MOST_LINES).flatMap((gpu) => line(gpu, `GPU ${gpu.device.index}`));
}

function cellsOf({ at, length }: Window, { from, to }: Finding): { start: number; end: number } {
  const margin = Math.max(30_000, (to - from) * MARGIN);
  let start = 0;
  while (start < length - 3 && at[start]! < from - margin) start++;
  let end = start + 2;
  while (end < length && at[end]! <= to + margin) end++;
  return { start, end };
}

/** All of it, unless it goes up and down too fast to be seen in that. */
function drawnCells(window: Window, finding: Finding): { start: number; end: number } {
  const cells = cellsOf(window, finding);
  const gpu = window.gpus.find(({ device }) => finding.gpus.includes(device.uuid));
  const util = gpu?.column('utilization_ratio') ?? null;
  return util === null ? cells : excerptOf(util, cells, BEAT_CELLS);
}
