import type { ApiGpu } from '../model/api.ts';
import type { MetricId } from '../model/catalogue.ts';
import type { AbsenceReason } from '../model/reading.ts';

/** The value in the base unit of the catalogue, or null where absent. */
export function readingOf(gpu: ApiGpu, id: MetricId): number | null {
  return gpu.readings[id] ?? null;
}

/** Why a value is absent. A metric that an older server does not know is not collected. */
export function reasonOf(gpu: ApiGpu, id: MetricId): AbsenceReason {
  return gpu.absent[id] ?? 'not-collected';
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
