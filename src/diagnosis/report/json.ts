import type { GpuEvent } from '../../model/event.ts';
import type { Finding } from '../../model/finding.ts';
import type { Lang } from '../../model/i18n/text.ts';
import { type Diagnosis, spanOfRecording } from '../diagnosis.ts';
import { present, quantiles } from '../statistics/summary.ts';
import type { GpuSeries } from '../window/window.ts';
import { gainOf } from './cost.ts';
import { trialsFor } from './experiment.ts';

/** Distribution of one metric on one GPU, in base units. */
interface Summary {
  readonly min: number;
  readonly mean: number;
  readonly max: number;
  readonly p5: number;
  readonly p50: number;
  readonly p95: number;
}

/** The report as data: times are epoch milliseconds UTC, values in base units. */
export function reportJson(diagnosis: Diagnosis, lang: Lang): object {
  const { recorded, window, findings } = diagnosis;
  const span = spanOfRecording(diagnosis);
  return {
    source: {
      name: recorded.name,
      format: recorded.format,
      rows: recorded.rows ?? window.rows,
      skippedRows: Object.values(recorded.skipped).reduce((sum, count) => sum + count, 0),
      skipped: recorded.skipped,
      gpus: recorded.gpus ?? window.gpus.filter(({ device }) => device.mig === undefined).length,
      from: span?.from ?? null,
      to: span?.to ?? null,
    },
    events: window.events.map(eventJson),
    gpus: window.gpus.map((gpu) => ({
      uuid: gpu.device.uuid,
      index: gpu.device.index,
      name: gpu.device.name,
      summary: summaries(gpu),
    })),
    findings: findings.map((finding) => ({ ...findingJson(finding, lang), gain: gainJson(diagnosis, finding) })),
    experiment: trialsFor(findings),
    ...(recorded.run === undefined ? {} : { run: recorded.run }),
  };
}

/** A finding with its evidence in one language; its fix in both. */
export function findingJson(finding: Finding, lang: Lang): object {
  return {
    ...finding,
    evidence: finding.evidence.map(({ text, metric, values }) => ({
      text: text[lang],
      metric,
      values: shortened(values),
    })),
  };
}

/** How many times as fast it could be without this cause; null where that cannot be foreseen. */
function gainJson(diagnosis: Diagnosis, finding: Finding): number | null {
  const gain = gainOf(diagnosis, finding);
  return gain === null ? null : shortenedNumber(gain);
}

function eventJson({ params, key: _, ...event }: GpuEvent): object {
  const code = params['xid'] ?? params['code'];
  const { raw, ...rest } = params;
  return { ...event, ...(code === undefined ? {} : { code }), params: raw === undefined ? rest : { ...rest, raw } };
}

/** Of every gauge that has values. */
function summaries(gpu: GpuSeries): Readonly<Record<string, Summary>> {
  return Object.fromEntries(
    gpu.extremes().map(({ metric, min, mean, max }) => {
      const [p5, p50, p95] =
        min === max ? [min, min, min] : quantiles(present(gpu.collected(metric)!), [0.05, 0.5, 0.95]);
      return [metric, shortened({ min, mean, max, p5: p5!, p50: p50!, p95: p95! })];
    }),
  );
}

/** Columns hold about seven digits: more would be noise. */
function shortened<Values extends Readonly<Record<string, number>>>(values: Values): Values {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, shortenedNumber(value)])) as Values;
}

function shortenedNumber(value: number): number | null {
  if (!Number.isFinite(value)) return null;
  return Number.isInteger(value) ? value : Number(value.toPrecision(7));
}
