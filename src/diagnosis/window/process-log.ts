import type { GpuProcess } from '../../model/process.ts';
import { Column } from './column.ts';

/** What is kept of one process on one GPU. */
export interface ProcessTrack {
  readonly pid: number;
  readonly kind: GpuProcess['kind'];
  name: string | null;
  user: string | null;
  /** The narrowest of pod, container, job and unit; null where unknown. */
  owner: string | null;
  first: number;
  last: number;
  samples: number;
  peakBytes: number;
  lastBytes: number;
  /** Of the samples in which its use of the CPU is known: their number, and in how many it filled a core. */
  cpuSamples: number;
  fullCore: number;
}

/** A process that uses this much of a core has no more to give. */
const FULL_CORE = 0.9;

/** Processes of one GPU over the recording. */
export class ProcessLog {
  readonly #byPid = new Map<number, ProcessTrack>();
  /** What the listed processes hold together, and how many of them compute; NaN where there was no list. */
  readonly bytes: Column;
  readonly computing: Column;

  constructor(bytes = new Column('mean', false), computing = new Column('max', false)) {
    this.bytes = bytes;
    this.computing = computing;
  }

  get tracks(): readonly ProcessTrack[] {
    return [...this.#byPid.values()];
  }

  add(cell: number, processes: readonly GpuProcess[]): void {
    let bytes = 0;
    let computing = 0;
    for (const process of processes) {
      this.#follow(cell, process);
      bytes += typeof process.memoryBytes === 'number' ? process.memoryBytes : Number.NaN;
      if (process.kind !== 'graphics') computing++;
    }
    if (!Number.isNaN(bytes)) this.bytes.set(cell, bytes);
    this.computing.set(cell, computing);
  }

  coarsen(): void {
    for (const track of this.#byPid.values()) {
      track.first = Math.floor(track.first / 2);
      track.last = Math.floor(track.last / 2);
    }
    this.bytes.coarsen();
    this.computing.coarsen();
  }

  forget(cells: number): void {
    for (const [pid, track] of this.#byPid) {
      if (track.last < cells) this.#byPid.delete(pid);
      track.first = Math.max(0, track.first - cells);
      track.last -= cells;
    }
    this.bytes.forget(cells);
    this.computing.forget(cells);
  }

  /** What is counted of a process is counted over all of its life, not only from `from` on. */
  tail(from: number): ProcessLog {
    const part = new ProcessLog(this.bytes.tail(from), this.computing.tail(from));
    for (const [pid, track] of this.#byPid) {
      if (track.last < from) continue;
      part.#byPid.set(pid, { ...track, first: Math.max(0, track.first - from), last: track.last - from });
    }
    return part;
  }

  #follow(cell: number, process: GpuProcess): void {
    const { pid, kind, name, user, memoryBytes, cpuRatio } = process;
    let track = this.#byPid.get(pid);
    if (track === undefined) {
      track = {
        pid,
        kind,
        name,
        user,
        owner: ownerOf(process),
        first: cell,
        last: cell,
        samples: 0,
        peakBytes: 0,
        lastBytes: 0,
        cpuSamples: 0,
        fullCore: 0,
      };
      this.#byPid.set(pid, track);
    }
    track.last = cell;
    track.samples++;
    track.name ??= name;
    track.user ??= user;
    if (typeof memoryBytes === 'number') {
      track.lastBytes = memoryBytes;
      if (memoryBytes > track.peakBytes) track.peakBytes = memoryBytes;
    }
    if (typeof cpuRatio === 'number') {
      track.cpuSamples++;
      if (cpuRatio >= FULL_CORE) track.fullCore++;
    }
  }
}

function ownerOf({ owner }: GpuProcess): string | null {
  if (owner == null) return null;
  const { pod, container, job, unit } = owner;
  return pod?.uid ?? pod?.name ?? job?.id ?? container?.id ?? unit;
}
