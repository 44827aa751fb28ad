import type { ApiGpu } from '../model/api.ts';
import type { MetricId } from '../model/catalogue.ts';
import { AMISS, CORE_METRICS } from '../model/core-metrics.ts';
import type { AbsenceReason } from '../model/reading.ts';

/** The value in the base unit of the catalogue, or null where absent. */
export function readingOf(gpu: ApiGpu, id: MetricId): number | null {
  return gpu.readings[id] ?? null;
}

/** Why a value is absent. A metric that an older server does not know is not collected. */
export function reasonOf(gpu: ApiGpu, id: MetricId): AbsenceReason {
  return gpu.absent[id] ?? 'not-collected';
}

/**
 * Share of time in which the GPU computed. Of a MIG instance, for which drivers give no utilisation, the same as its
 * profiling counters have it; null where neither is known.
 */
export function utilisationOf(gpu: ApiGpu): number | null {
  const reported = readingOf(gpu, 'utilization_ratio');
  return reported === null && gpu.mig !== null ? readingOf(gpu, 'graphics_engine_active_ratio') : reported;
}

/** True for a GPU that is there and of which nothing that matters can be read, through no property of its own. */
export function isMute(gpu: ApiGpu): boolean {
  return (
    CORE_METRICS.every((id) => readingOf(gpu, id) === null) &&
    CORE_METRICS.some((id) => AMISS.includes(gpu.absent[id] ?? ''))
  );
}

/** Degrees left before this device slows down: as the device reports it, else from its own threshold, else null. */
export function temperatureMargin(gpu: ApiGpu): number | null {
  const reported = readingOf(gpu, 'temperature_margin_celsius');
  if (reported !== null) return reported;
  const [slowdown, now] = [readingOf(gpu, 'temperature_slowdown_celsius'), readingOf(gpu, 'temperature_celsius')];
  return slowdown === null || now === null ? null : slowdown - now;
}

/** Part of a whole, both readings of the same GPU; null where either is absent or the whole is nothing. */
export function shareOf(gpu: ApiGpu, part: MetricId, whole: MetricId): number | null {
  const [a, b] = [readingOf(gpu, part), readingOf(gpu, whole)];
  return a === null || b === null || b <= 0 ? null : a / b;
}
