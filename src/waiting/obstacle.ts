import { slotOf } from '../model/catalogue.ts';
import type { GpuProcess } from '../model/process.ts';
import type { DeviceSample } from '../model/tick.ts';
import { type GpuRequest, neededBytes } from './request.ts';

const UTILISATION = slotOf('utilization_ratio');
const ENGINE = slotOf('graphics_engine_active_ratio');
const MEMORY_TOTAL = slotOf('memory_total_bytes');
const MEMORY_USED = slotOf('memory_used_bytes');
const MEMORY_FREE = slotOf('memory_free_bytes');

/**
 * Why a GPU cannot be had now.
 *
 * - `unwell`: lost, or it gives no data
 * - `claimed`: another `gpulse wait` holds it
 * - `processes`: somebody computes on it, however idle it is at the moment
 * - `busy`: it works
 * - `memory`: too little of its memory is free
 * - `unknown`: nothing tells whether it is free
 */
export type Obstacle = 'unwell' | 'claimed' | 'processes' | 'busy' | 'memory' | 'unknown';

/** What keeps a GPU from being free at this moment; null where nothing does. */
export function obstacleOf(sample: DeviceSample, request: GpuRequest): Obstacle | null {
  const { state, readings } = sample;
  if (state === 'lost' || state === 'stale') return 'unwell';
  const computing = computingOn(sample);
  // A card that sleeps is used by nobody, and is not woken to ask.
  if (state === 'asleep') return null;
  if (computing.length > 0 && !request.isShared) return 'processes';
  const use = readings.number(UTILISATION) ?? readings.number(ENGINE);
  if (use !== null && use > request.idleRatio) return 'busy';
  const [total, free] = [readings.number(MEMORY_TOTAL), freeBytes(sample)];
  if (total === null || free === null) return 'unknown';
  return free < neededBytes(request, total) ? 'memory' : null;
}

/** Processes that compute on a device, as far as they can be seen. */
export function computingOn({ processes }: DeviceSample): readonly GpuProcess[] {
  return 'absent' in processes ? [] : processes.filter(({ kind }) => kind !== 'graphics');
}

/** Null where the device does not tell. */
export function freeBytes({ readings }: DeviceSample): number | null {
  const free = readings.number(MEMORY_FREE);
  if (free !== null) return free;
  const [total, used] = [readings.number(MEMORY_TOTAL), readings.number(MEMORY_USED)];
  return total === null || used === null ? null : total - used;
}

/** Null where the device does not tell. */
export function totalBytes({ readings }: DeviceSample): number | null {
  return readings.number(MEMORY_TOTAL);
}
