import type { ApiGpu } from '../model/api.ts';
import { isThrottled } from '../model/clock-events.ts';
import { readingOf, shareOf } from './gpu-reading.ts';

/**
 * What a person has to know about a GPU in one word, worst first.
 *
 * - `lost`, `stale`, `asleep`: the state the server reports
 * - `throttled`: something slows it against its owner's will
 * - `held`: memory is taken, but nothing has been computed for as long as we have watched
 * - `unknown`: it does not report utilisation
 * - `busy`: it computes, or did a moment ago for a process that is still there
 * - `free`: it could
 */
export const CONDITIONS = ['lost', 'throttled', 'stale', 'asleep', 'held', 'unknown', 'busy', 'free'] as const;

export type Condition = (typeof CONDITIONS)[number];

/** Below this utilisation a GPU counts as idle: desktop and monitoring touch it now and then. */
const IDLE_BELOW = 0.05;
/** A process that holds less than this share of the memory takes nothing away from others. */
const HELD_FROM = 0.1;

/** `recentMean` is the mean utilisation of the last minutes, null where none was seen. */
export function conditionOf(gpu: ApiGpu, recentMean: number | null): Condition {
  if (gpu.state !== 'ok') return gpu.state;
  if (isThrottled(readingOf(gpu, 'clock_event_reasons') ?? 0)) return 'throttled';
  const now = readingOf(gpu, 'utilization_ratio');
  const wasBusy = (recentMean ?? 0) >= IDLE_BELOW;
  if (now === null) return recentMean === null ? 'unknown' : wasBusy ? 'busy' : idleCondition(gpu, false);
  return now >= IDLE_BELOW ? 'busy' : idleCondition(gpu, wasBusy);
}

/** An idle GPU is free unless someone is on it: a job that computed a moment ago pauses, another one only holds it. */
function idleCondition(gpu: ApiGpu, wasBusy: boolean): Condition {
  const isTaken = (shareOf(gpu, 'memory_used_bytes', 'memory_total_bytes') ?? 0) >= HELD_FROM;
  // Where processes cannot be listed, memory that is taken is taken by someone.
  const hasHolder = gpu.processes.length > 0 || (gpu.processesAbsent !== null && isTaken);
  if (!hasHolder) return 'free';
  if (wasBusy) return 'busy';
  return isTaken ? 'held' : 'free';
}

/** True for conditions that someone has to look at now. */
export function isTrouble(condition: Condition): boolean {
  return condition === 'lost' || condition === 'throttled' || condition === 'stale';
}

/** How many GPUs are in one condition, and for `held` what is taken and by whom. */
export interface Count {
  readonly condition: Condition;
  readonly gpus: number;
  /** Memory in use on these GPUs. */
  readonly memoryBytes: number;
  /** Users of the processes on them, each once, by name. */
  readonly users: readonly string[];
}

/** One count per condition that occurs, worst first; `busy` and `free` always, as they answer a question by a zero. */
export function verdict(gpus: readonly { gpu: ApiGpu; condition: Condition }[]): readonly Count[] {
  return CONDITIONS.map((condition) => {
    const matching = gpus.filter((each) => each.condition === condition).map((each) => each.gpu);
    const users = matching.flatMap((gpu) => gpu.processes.flatMap((process) => process.user ?? []));
    return {
      condition,
      gpus: matching.length,
      memoryBytes: matching.reduce((sum, gpu) => sum + (readingOf(gpu, 'memory_used_bytes') ?? 0), 0),
      users: [...new Set(users)].sort(),
    };
  }).filter(({ condition, gpus: count }) => count > 0 || condition === 'busy' || condition === 'free');
}
