import type { MetricId } from '../../model/catalogue.ts';
import { metric } from '../../model/catalogue.ts';
import { type Finding, NAMED_STATES } from '../../model/finding.ts';
import { quantityText } from '../../model/format.ts';
import type { Lang } from '../../model/i18n/text.ts';
import { openCase } from '../case/case-file.ts';
import { atWork } from '../case/gpu-case.ts';
import type { Diagnosis } from '../diagnosis.ts';
import { mean } from '../statistics/summary.ts';
import { reportTranslator } from './words.ts';

const COMPARED: readonly MetricId[] = [
  'utilization_ratio',
  'power_watts',
  'sm_clock_hertz',
  'temperature_celsius',
  'memory_used_bytes',
];

/** Of these more is better; of the others that depends. */
const DIRECTION: Readonly<Partial<Record<MetricId, 1 | -1>>> = {
  utilization_ratio: 1,
  sm_clock_hertz: 1,
};

/** A smaller change than this share is noise between two runs. */
const NOISE = 0.03;

interface Change {
  readonly metric: MetricId;
  readonly before: number;
  readonly after: number;
  /** Null for what is neither good nor bad. */
  readonly verdict: 'better' | 'worse' | 'same' | null;
}

export interface Comparison {
  readonly changes: readonly Change[];
  readonly gone: readonly Finding[];
  readonly fresh: readonly Finding[];
  readonly still: readonly Finding[];
  /** Lost share of the GPU time, before and after. */
  readonly lostShares: readonly [number, number];
}

/** What changed from one recording to another: means over the work of all GPUs, and the findings. */
export function compare(before: Diagnosis, after: Diagnosis): Comparison {
  const [old, now] = [before, after].map(({ window }) => openCase(window).gpus);
  const level = (gpus: typeof old, id: MetricId): number => {
    const means = gpus!.flatMap((gpu) => {
      const column = gpu.gpu.column(id);
      return column === null || gpu.work.seconds === 0 ? [] : [mean(atWork(gpu, column))];
    });
    return mean(Float64Array.from(means));
  };
  const changes = COMPARED.flatMap((id): Change[] => {
    const [a, b] = [level(old, id), level(now, id)];
    return Number.isNaN(a) || Number.isNaN(b)
      ? []
      : [{ metric: id, before: a, after: b, verdict: verdictOn(id, a, b) }];
  });
  const named = ({ findings }: Diagnosis): Finding[] => findings.filter(({ state }) => NAMED_STATES.includes(state));
  const has = (list: readonly Finding[], rule: Finding['rule']): boolean => list.some((one) => one.rule === rule);
  const [was, is] = [named(before), named(after)];
  return {
    changes,
    gone: was.filter(({ rule }) => !has(is, rule)),
    fresh: is.filter(({ rule }) => !has(was, rule)),
    still: is.filter(({ rule }) => has(was, rule)),
    lostShares: [lostShare(before), lostShare(after)],
  };
}

function verdictOn(id: MetricId, before: number, after: number): Change['verdict'] {
  const direction = DIRECTION[id];
  if (direction === undefined) return null;
  const change = (after - before) / Math.abs(before || 1);
  if (Math.abs(change) < NOISE) return 'same';
  return change * direction > 0 ? 'better' : 'worse';
}

/** The costliest finding counts: two findings may be about the same time. */
function lostShare({ window, findings }: Diagnosis): number {
  const whole = window.gpus.length * window.secondsOf(() => true);
  const lost = Math.max(0, ...findings.map(({ lostSeconds }) => lostSeconds));
  return whole === 0 ? 0 : Math.min(1, lost / whole);
}

/** {@link compare} for people, as plain text that is Markdown as well. */
export function comparisonText(before: Diagnosis, after: Diagnosis, lang: Lang): string {
  const t = reportTranslator(lang);
  const { changes, gone, fresh, still, lostShares } = compare(before, after);
  const percent = (share: number): string => `${Math.round(share * 1000) / 10}%`;
  const [open, close, comma] = lang === 'zh' ? ['（', '）', '、'] : [' (', ')', ', '];
  const rules = (findings: readonly Finding[]): string =>
    [...new Set(findings.map(({ rule }) => t(`rule.${rule}`)))].join(comma);
  const lines = changes.map(({ metric: id, before: a, after: b, verdict }) => {
    const { label, unit } = metric(id);
    const word = verdict === null ? '' : `${open}${t(`report.${verdict}`)}${close}`;
    return `- ${label[lang]}: ${quantityText(a, unit, lang)} → ${quantityText(b, unit, lang)}${word}`;
  });
  const [lostBefore, lostAfter] = lostShares;
  return [
    `${t('report.before')}: ${before.recorded.name}`,
    `${t('report.after')}: ${after.recorded.name}`,
    '',
    ...lines,
    ...(lostBefore > 0 || lostAfter > 0
      ? [`- ${t('report.lost-time')}: ${percent(lostBefore)} → ${percent(lostAfter)}`]
      : []),
    ...(gone.length > 0 ? [`- ${t('report.gone')}: ${rules(gone)}`] : []),
    ...(fresh.length > 0 ? [`- ${t('report.new')}: ${rules(fresh)}`] : []),
    ...(still.length > 0 ? [`- ${t('report.still')}: ${rules(still)}`] : []),
  ].join('\n');
}
