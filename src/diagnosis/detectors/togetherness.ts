import type { Evidence } from '../../model/finding.ts';
import { type GpuCase, typicalAtWork } from '../case/gpu-case.ts';
import { observe } from '../detector.ts';
import type { Window } from '../window/window.ts';
import { percent, spanOf } from '../wording.ts';

/** Ranks of one job take their memory within so long of each other, and give it back. */
const TOGETHER_SECONDS = 15;

/** A GPU that holds less than this share of what it holds at work is free. */
const FREE = 0.2;

/** Memory that differs by no more than this share of the card is the same. */
const ALIKE = 0.02;

/** So many are not alike by chance. */
const LEAST_ALIKE = 3;

/** Frameworks that take memory in advance take as much for every program. */
const TAKEN_IN_ADVANCE = 0.7;

/**
 * What shows that GPUs work on one job where no log lists their processes: they took their memory at the same time, or
 * gave it back, or all of them hold the same. Null where nothing does.
 */
export function togetherness(window: Window, gpus: readonly GpuCase[]): Evidence | null {
  const levels = gpus.map((gpu) => typicalAtWork(gpu, gpu.memory));
  if (gpus.length < 2 || levels.some((level) => !(level > 0))) return null;
  const held = gpus.map(({ memory }, index) => heldCells(memory!, FREE * levels[index]!));
  const began = held.every(({ first }) => first > 0);
  const ended = held.every(({ last }) => last < window.length - 1);
  const seconds = Math.min(
    began
      ? secondsApart(
          window,
          held.map(({ first }) => first),
        )
      : Number.POSITIVE_INFINITY,
    ended
      ? secondsApart(
          window,
          held.map(({ last }) => last),
        )
      : Number.POSITIVE_INFINITY,
  );
  if (seconds <= Math.max(TOGETHER_SECONDS, window.stepMs / 1000))
    return observe('evidence.job-together', { span: spanOf(seconds) }, 'memory_used_bytes', { seconds });
  const [low, high] = [Math.min(...levels), Math.max(...levels)];
  if (gpus.length < LEAST_ALIKE || high - low > ALIKE || high > TAKEN_IN_ADVANCE) return null;
  return observe('evidence.job-alike', { share: percent(high) }, 'memory_used_bytes', { low, high });
}

/** From the first of some cells to the last, as finely as samples tell. */
function secondsApart({ at, stepMs }: Window, cells: readonly number[]): number {
  const times = cells.map((cell) => at[cell]!);
  return Math.max(stepMs, Math.max(...times) - Math.min(...times)) / 1000;
}

/** First and last cell in which more is held than by a free GPU. */
function heldCells(memory: NonNullable<GpuCase['memory']>, least: number): { first: number; last: number } {
  let [first, last] = [0, memory.length - 1];
  while (first < memory.length && !(memory[first]! >= least)) first++;
  while (last > first && !(memory[last]! >= least)) last--;
  return { first, last };
}
