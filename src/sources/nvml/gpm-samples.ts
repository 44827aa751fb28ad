import { CODE, type Code } from './abi.ts';
import { ASK } from './asking.ts';
import { Abandoned, type Handle, type Nvml } from './nvml.ts';
import { symbol } from './symbols.ts';

const ALLOC = symbol('nvmlGpmSampleAlloc');
const FREE = symbol('nvmlGpmSampleFree');

/** Samples that nobody has used for so many milliseconds are given back when others are needed. */
const UNUSED_MS = 60_000;

/** A sample of the library's own, with its address in the two words in which it stands in a struct. */
export interface GpmSample {
  readonly handle: Handle;
  readonly low: number;
  readonly high: number;
}

/** What is known of the performance counters of one card, or of one MIG instance. */
export class GpmMemory {
  /** Id of the MIG instance; null for the card as a whole. */
  readonly gpuInstance: number | null;
  asking = ASK;
  isSupported = false;
  /** Positions of the metrics that the library knows; null until it has refused one. */
  known: readonly number[] | null = null;
  older: GpmSample | null = null;
  newer: GpmSample | null = null;
  /** When `older` was taken; null where it holds nothing. */
  takenAt: number | null = null;
  /** When there were values last. */
  readAt = Number.NEGATIVE_INFINITY;
  usedAt = 0;

  constructor(gpuInstance: number | null = null) {
    this.gpuInstance = gpuInstance;
  }

  /** After a reset of the GPU. Its samples stay allocated. */
  forget(): void {
    this.asking = ASK;
    this.isSupported = false;
    this.known = null;
    this.takenAt = null;
  }

  swap(now: number): void {
    [this.older, this.newer] = [this.newer, this.older];
    this.takenAt = now;
  }
}

/** Every sample that is allocated, so that each is freed before the library is shut down. */
export class GpmSamples {
  readonly #owners = new Set<GpmMemory>();

  /** Gives an owner the two samples it needs. */
  provide(nvml: Nvml, owner: GpmMemory, now: number): Code {
    owner.usedAt = now;
    if (owner.older !== null && owner.newer !== null) return CODE.ok;
    for (const other of this.#owners) if (now - other.usedAt > UNUSED_MS) this.#free(nvml, other);
    this.#owners.add(owner);
    for (const place of ['older', 'newer'] as const) {
      if (owner[place] !== null) continue;
      const sample = allocate(nvml);
      if (typeof sample === 'number') return sample;
      owner[place] = sample;
    }
    return CODE.ok;
  }

  /** Frees them all. */
  release(nvml: Nvml): void {
    for (const owner of this.#owners) this.#free(nvml, owner);
  }

  #free(nvml: Nvml, owner: GpmMemory): void {
    const { older, newer } = owner;
    owner.older = null;
    owner.newer = null;
    owner.takenAt = null;
    this.#owners.delete(owner);
    for (const sample of [older, newer]) if (sample !== null) free(nvml, sample);
  }
}

/** The code where the library has none to give. */
function allocate(nvml: Nvml): GpmSample | Code {
  nvml.out.fill(0, 0, 2);
  const code = nvml.call(ALLOC, nvml.out);
  if (code !== CODE.ok) return code;
  const [low = 0, high = 0] = nvml.out;
  return low === 0 && high === 0 ? CODE.insufficientSize : { handle: nvml.handle(), low, high };
}

/** Also by a worker that was given up: it says so after each call, and has the others to free yet. */
function free(nvml: Nvml, { handle }: GpmSample): void {
  try {
    nvml.call(FREE, handle);
  } catch (error) {
    if (!(error instanceof Abandoned)) throw error;
  }
}
