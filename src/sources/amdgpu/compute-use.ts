import { existsSync } from 'node:fs';
import type { TopologyLink } from '../../model/ports.ts';
import { absent, type Reading } from '../../model/reading.ts';
import type { ComputeProcesses, GpuReader, Site } from '../drm/gpu-reader.ts';
import { Kfd, type KfdNode } from './kfd.ts';

/** What compute processes use of each GPU, read once per round. */
export class ComputeUse {
  readonly kfd: Kfd;
  readonly #listPath: string;
  /** The entry of the compute driver for each GPU that has one. */
  readonly #nodes = new Map<GpuReader, KfdNode>();
  #processes: ComputeProcesses = new Map();

  constructor(site: Site) {
    this.kfd = new Kfd(site);
    this.#listPath = `${site.sys}/class/kfd/kfd/proc`;
  }

  add(reader: GpuReader, node: KfdNode): void {
    this.#nodes.set(reader, node);
  }

  /** Forgets the GPUs that are no longer read. */
  keep(readers: readonly GpuReader[]): void {
    for (const reader of this.#nodes.keys()) if (!readers.includes(reader)) this.#nodes.delete(reader);
  }

  read(): void {
    this.#processes = this.#nodes.size === 0 ? new Map() : this.kfd.readProcesses(this.#nodes);
  }

  processes(): ComputeProcesses {
    return this.#processes;
  }

  /** Memory of all compute processes together, the only ones that a partition has. */
  usedBytes(reader: GpuReader): Reading {
    if (!this.#nodes.has(reader) || !existsSync(this.#listPath)) return absent('not-supported');
    let sum = 0;
    for (const bytes of this.#processes.get(reader)?.values() ?? []) {
      if (typeof bytes !== 'number') return bytes;
      sum += bytes;
    }
    return sum;
  }

  links(): readonly TopologyLink[] {
    return this.kfd.links(this.#nodes);
  }
}
