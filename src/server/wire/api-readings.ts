import type { ApiGpu } from '../../model/api.ts';
import { DEVICE_METRICS, type Metric } from '../../model/catalogue.ts';
import { absenceCode, absenceReason, type ReadingSet } from '../../model/reading-set.ts';

const ERROR = absenceCode('error');

/** Every metric of a list, or only those that differ from `before`; each null has its reason. */
export function apiReadings(
  now: ReadingSet,
  before: ReadingSet | null,
  metrics: readonly Metric[] = DEVICE_METRICS,
): Pick<ApiGpu, 'readings' | 'absent'> {
  const readings: ApiGpu['readings'] = {};
  const absent: ApiGpu['absent'] = {};
  for (const { id, slot } of metrics) {
    if (before !== null && isSame(now, before, slot)) continue;
    const value = now.values[slot]!;
    const code = codeOf(now.codes[slot]!, value);
    readings[id] = code === 0 ? value : null;
    if (code !== 0) absent[id] = absenceReason(code);
  }
  return { readings, absent };
}

/** True where some reading differs. */
export function readingsDiffer(now: ReadingSet, before: ReadingSet): boolean {
  return now !== before && DEVICE_METRICS.some(({ slot }) => !isSame(now, before, slot));
}

function isSame(a: ReadingSet, b: ReadingSet, slot: number): boolean {
  const code = a.codes[slot];
  return code === b.codes[slot] && (code !== 0 || a.values[slot] === b.values[slot]);
}

/** A number that is not finite has no JSON; a source may not yield one, and if it does it is absent, not zero. */
function codeOf(code: number, value: number): number {
  return code === 0 && !Number.isFinite(value) ? ERROR : code;
}
