import type { GpuEvent } from '../../model/event.ts';
import type { Lang } from '../../model/i18n/text.ts';
import { type Diagnosis, spanOfRecording } from '../diagnosis.ts';
import { present, quantiles } from '../statistics/summary.ts';
import type { GpuSeries } from '../window/window.ts';

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
    findings: findings.map((finding) => ({
      ...finding,
      evidence: finding.evidence.map(({ text, metric, values }) => ({
        text: text[lang],
        metric,
        values: shortened(values),
      })),
    })),
  };
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
