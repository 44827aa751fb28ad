import type { GpuEvent } from '../../model/event.ts';
import type { Diagnosis } from '../diagnosis.ts';

/** Of these there may be thousands, and each says little. */
const MINOR: readonly GpuEvent['kind'][] = [
  'process-started',
  'process-ended',
  'ecc-corrected',
  'throttle-ended',
  'recording-ended',
  'gpu-found',
];

const WEIGHT: Readonly<Record<GpuEvent['severity'], number>> = { critical: 2, warning: 1, info: 0 };

/** The events that matter most, in order of time, and how many were left out. */
export function timeline(
  { window }: Diagnosis,
  most: number,
): { readonly events: readonly GpuEvent[]; readonly more: number } {
  const throttled = new Set<string | null>();
  // That a GPU is throttled again and again is in the finding.
  const isRepeat = ({ kind, uuid }: GpuEvent): boolean => kind === 'throttle-began' && isKnown(throttled, uuid);
  const worth = window.events.filter((event) => !MINOR.includes(event.kind) && !isRepeat(event));
  const kept = new Set(
    [...worth].sort((a, b) => WEIGHT[b.severity] - WEIGHT[a.severity] || a.at - b.at).slice(0, most),
  );
  return {
    events: worth.filter((event) => kept.has(event)).sort((a, b) => a.at - b.at),
    more: worth.length - kept.size,
  };
}

/** True from the second time on. */
function isKnown(seen: Set<string | null>, uuid: string | null): boolean {
  const before = seen.size;
  return seen.add(uuid).size === before;
}
