import type { TopologyLink } from '../../model/ports.ts';
import type { Card } from '../drm/cards.ts';
import type { ComputeProcesses, GpuReader, Maker, Site } from '../drm/gpu-reader.ts';
import { claimsAmd, isPartition } from './amd-cards.ts';
import { Board } from './board.ts';
import { ComputeUse } from './compute-use.ts';
import { Partition } from './partition.ts';

/** Finds and reads AMD GPUs. */
export class AmdMaker implements Maker {
  readonly #site: Site;
  readonly #compute: ComputeUse;

  constructor(site: Site) {
    this.#site = site;
    this.#compute = new ComputeUse(site);
  }

  claims(card: Card): boolean {
    return claimsAmd(card);
  }

  open(card: Card, cards: readonly Card[]): GpuReader {
    const { kfd } = this.#compute;
    // A new card may mean new partitions.
    kfd.forget();
    const node = kfd.nodeOf(card.renderMinor, card.slot);
    const parent = cards.find(({ slot }) => slot !== null && slot.replace(/\.[0-7]$/, '') === node?.bus) ?? null;
    const reader = isPartition(card)
      ? new Partition(card, this.#site, this.#compute, node, parent)
      : new Board(card, this.#site, node);
    if (node !== null) this.#compute.add(reader, node);
    return reader;
  }

  beginRound(): void {
    this.#compute.read();
  }

  computeProcesses(readers: readonly GpuReader[]): ComputeProcesses {
    this.#compute.keep(readers);
    return this.#compute.processes();
  }

  topology(): readonly TopologyLink[] {
    return this.#compute.links();
  }
}
