import type { ApiGpu } from '../model/api.ts';
import { isThrottled } from '../model/clock-events.ts';
import { isMute, readingOf, shareOf, utilisationOf } from './gpu-reading.ts';
import { holderOf } from './holder.ts';

/**
 * What a person has to know about a GPU in one word, worst first.
 *
 * - `lost`, `stale`, `asleep`: the state the server reports
 * - `errors`: something critical happened to it within the last hour, or nothing that matters can be read of it
 * - `throttled`: something slows it against its owner's will
 * - `full`: hardly any memory is left
 * - `held`: memory is taken, but nothing has been computed for as long as we have watched
 * - `unknown`: it does not report utilisation, and someone may be on it
 * - `light`: memory is taken by someone who hardly let it compute in the last minute
 * - `busy`: it computes, or did for a good part of the last minute for a process that is still there
 * - `free`: it could
 */
export const CONDITIONS = [
  ...(['lost', 'errors', 'throttled', 'stale', 'full', 'asleep'] as const),
  ...(['held', 'light', 'unknown', 'busy', 'free'] as const),
] as const;

export type Condition = (typeof CONDITIONS)[number];

/** Below this utilisation a GPU counts as idle: desktop and monitoring touch it now and then. */
const IDLE_BELOW = 0.05;
/** From this mean over a minute on a job uses its GPU; below, it mostly waits, whatever the reading of this second. */
const BUSY_FROM = 0.2;
/** A process that holds less than this share of the memory takes nothing away from others. */
const HELD_FROM = 0.1;
/** From this share on a job that needs a little more memory fails. */
const FULL_FROM = 0.95;

/** What was seen of a GPU before now. */
export interface Past {
  /** Mean utilisation of the last 15 minutes, null where none was seen. */
  readonly recent: number | null;
  /** Mean utilisation of the last minute, null where none was seen. */
  readonly lastMinute: number | null;
  /** Whether a critical event within the last hour concerns it. */
  readonly hasErrors: boolean;
}

export function conditionOf(gpu: ApiGpu, past: Past): Condition {
  if (gpu.state === 'lost') return 'lost';
  if (past.hasErrors) return 'errors';
  if (gpu.state !== 'ok') return gpu.state;
  if (isMute(gpu)) return 'errors';
  if (isThrottled(readingOf(gpu, 'clock_event_reasons') ?? 0)) return 'throttled';
  const load = loadOf(gpu, past);
  const isFull = (shareOf(gpu, 'memory_used_bytes', 'memory_total_bytes') ?? 0) >= FULL_FROM;
  return isFull && load !== 'held' ? 'full' : load;
}

/** An idle GPU is free unless someone is on it: a job computes now and then, or it only holds the memory. */
function loadOf(gpu: ApiGpu, { recent, lastMinute }: Past): Condition {
  const now = utilisationOf(gpu);
  const level = lastMinute ?? now;
  const share = shareOf(gpu, 'memory_used_bytes', 'memory_total_bytes');
  const isTaken = (share ?? 0) >= HELD_FROM;
  // Where processes cannot be listed, memory that is taken is taken by someone.
  const hasHolder = gpu.processes.length > 0 || (gpu.processesAbsent !== null && isTaken);
  if (level === null) return isSurelyEmpty(gpu, share) ? 'free' : 'unknown';
  const computes = (now ?? 0) >= IDLE_BELOW;
  if (hasHolder && level >= BUSY_FROM) return 'busy';
  if (!hasHolder || !isTaken) return computes ? 'busy' : 'free';
  return computes || (recent ?? 0) >= IDLE_BELOW ? 'light' : 'held';
}

/** Nobody computes where there is nobody. */
function isSurelyEmpty({ processes, processesAbsent, processesPartial }: ApiGpu, share: number | null): boolean {
  const isListed = processesAbsent === null && processesPartial === null;
  return isListed && processes.length === 0 && share !== null && share < HELD_FROM;
}

/** What makes a condition that has nothing to do with who uses the GPU. */
const OF_THE_CARD: readonly Condition[] = ['lost', 'errors', 'throttled', 'stale', 'asleep'];

/** The condition of a card that is cut into MIG instances: its own trouble, else the worst of theirs. */
export function cardCondition(own: Condition, instances: readonly Condition[]): Condition {
  if (instances.length === 0 || OF_THE_CARD.includes(own)) return own;
  return CONDITIONS.find((condition) => instances.includes(condition)) ?? own;
}

/** True for conditions that someone has to look at now. */
export function isTrouble(condition: Condition): boolean {
  return condition === 'lost' || condition === 'errors' || condition === 'throttled' || condition === 'stale';
}

/** True where a condition gives no reason to look at the GPU at all. */
export function isOrdinary(condition: Condition): boolean {
  return condition === 'busy' || condition === 'free' || condition === 'asleep';
}

/** How many cards are in one condition, and for `held` what is taken and by whom. */
export interface Count {
  readonly condition: Condition;
  readonly gpus: number;
  /** Memory in use on these cards; of a card that is cut into instances only on those that are in the condition. */
  readonly memoryBytes: number;
  /** Who holds the processes there, each once, by name. */
  readonly users: readonly string[];
}

/** A card with what it comes down to, and its MIG instances likewise. */
export interface Judged {
  readonly gpu: ApiGpu;
  readonly condition: Condition;
  readonly instances: readonly Judged[];
}

/** One count per condition that occurs, worst first; `busy` and `free` always, as they answer a question by a zero. */
export function verdict(cards: readonly Judged[]): readonly Count[] {
  return CONDITIONS.map((condition) => {
    const matching = cards.filter((card) => card.condition === condition);
    const places = matching.flatMap((card) => placesOf(card, condition));
    const users = places.flatMap((gpu) => gpu.processes.flatMap((process) => holderOf(process) ?? []));
    return {
      condition,
      gpus: matching.length,
      memoryBytes: places.reduce((sum, gpu) => sum + (readingOf(gpu, 'memory_used_bytes') ?? 0), 0),
      users: [...new Set(users)].sort(),
    };
  }).filter(({ condition, gpus: count }) => count > 0 || condition === 'busy' || condition === 'free');
}

/** The instances that a card is in its condition for, else the card itself. */
function placesOf({ gpu, instances }: Judged, condition: Condition): readonly ApiGpu[] {
  const matching = instances.filter((instance) => instance.condition === condition);
  return matching.length === 0 ? [gpu] : matching.map((instance) => instance.gpu);
}
