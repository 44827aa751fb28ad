import type { ProcessTrack } from '../window/process-log.ts';
import type { Level, Rhythm } from './rhythm-profile.ts';

/**
 * What a GPU is used for, as far as it can be told.
 *
 * - `train`: in a beat, or by its markers
 * - `batch`: steady work
 * - `serve`: waits for requests, so idle time is no fault
 * - `idle-held`: does nothing and keeps memory
 * - `idle`: does nothing
 * - `unknown`: performance rules may say `possible` at most
 */
export type Workload = 'train' | 'batch' | 'serve' | 'idle-held' | 'idle' | 'unknown';

const SERVERS =
  /vllm|sglang|triton|text-generation|\btgi\b|ollama|llama[-_.]server|llama-cpp|comfy|text-embeddings|infinity_emb|lmdeploy|tensorrt_llm|uvicorn|ray::serve|xinference/i;

/** Software that takes memory for itself in advance: how full it is says nothing. */
const PRE_ALLOCATES = /vllm|sglang|jax|xla|lmdeploy|tensorrt_llm|aphrodite/i;

function isServer({ name }: ProcessTrack): boolean {
  return name !== null && SERVERS.test(name);
}

export function preAllocates({ name }: ProcessTrack): boolean {
  return name !== null && PRE_ALLOCATES.test(name);
}

/** A beat this regular is the beat of steps. */
const REGULAR = 0.3;

/** Median utilisation from which work is busy, however it goes up and down. */
const BUSY = 0.6;

/** Steadier than this is one program that runs, not requests that come. */
const STEADY = 0.45;

/** Bursts: idle for a good part of the time, again and again. */
const IDLE_SHARE = 0.2;
const BURSTS_PER_MINUTE = 0.6;

const LEAST_SECONDS = 60;

export interface WorkloadSigns {
  readonly level: Level;
  readonly rhythms: readonly Rhythm[];
  readonly seconds: number;
  readonly processes: readonly ProcessTrack[];
  readonly hasMarkers: boolean;
}

/** The workload of a GPU that works. */
export function workloadOf({ level, rhythms, seconds, processes, hasMarkers }: WorkloadSigns): Workload {
  if (hasMarkers) return 'train';
  if (processes.some(isServer)) return 'serve';
  if (seconds < LEAST_SECONDS || isTorn(rhythms)) return 'unknown';
  const cycling = rhythms.filter(({ cycles }) => cycles >= 6);
  const regular = cycling.filter(({ strength }) => strength >= REGULAR);
  if (cycling.length > 0 && regular.length >= cycling.length / 2) return 'train';
  if (level.p50 >= BUSY) return rhythms.some(({ strength }) => strength >= REGULAR) ? 'train' : 'batch';
  return level.mean >= 0.1 && level.variation < STEADY ? 'batch' : 'unknown';
}

/**
 * True for work that goes on and off without a beat. Requests come like that, and so does data from a disk that is too slow:
 * utilisation alone cannot tell them apart.
 */
export function isTorn(rhythms: readonly Rhythm[]): boolean {
  const torn = rhythms.filter(
    ({ waiting, cyclesPerMinute, strength }) =>
      waiting >= IDLE_SHARE && cyclesPerMinute >= BURSTS_PER_MINUTE && strength < REGULAR,
  );
  return torn.length > 0 && torn.length >= rhythms.length / 2;
}
