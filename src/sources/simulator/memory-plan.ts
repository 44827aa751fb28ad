import { uniform } from './random.ts';

const GIB = 2 ** 30;

/** Device memory is handed out in blocks of 2 MiB. */
const BLOCK = 2 * 2 ** 20;

/** What a process holds before it has loaded anything. */
const CONTEXT_BYTES = 0.5 * GIB;
const LOADED_AFTER_MS = 20_000;

/** Bytes that a process of a given age holds on the GPU with this random stream; whole blocks. */
export type MemoryPlan = (ageMs: number, gpuStream: number) => number;

/** Loads `gib` and keeps it, give or take up to `spreadGib` from GPU to GPU. */
export function steady(gib: number, spreadGib = 0): MemoryPlan {
  return (ageMs, gpuStream) => loading(ageMs, (gib + spreadGib * (2 * uniform(gpuStream, 0) - 1)) * GIB);
}

/** Loads `fromGib`, then grows evenly until it holds `toGib` at the age of `overMs`. */
export function leaking(fromGib: number, toGib: number, overMs: number): MemoryPlan {
  return (ageMs) => loading(ageMs, (fromGib + (toGib - fromGib) * Math.min(1, ageMs / overMs)) * GIB);
}

function loading(ageMs: number, bytes: number): number {
  const loaded = Math.min(1, ageMs / LOADED_AFTER_MS);
  return Math.floor((CONTEXT_BYTES + (bytes - CONTEXT_BYTES) * loaded) / BLOCK) * BLOCK;
}
