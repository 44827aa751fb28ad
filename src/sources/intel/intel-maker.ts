import type { Card } from '../drm/cards.ts';
import type { GpuReader, Maker, Site } from '../drm/gpu-reader.ts';
import { claimsIntel } from './intel-cards.ts';
import { IntelGpu } from './intel-gpu.ts';

/** Finds and reads Intel GPUs. */
export class IntelMaker implements Maker {
  readonly #site: Site;

  constructor(site: Site) {
    this.#site = site;
  }

  claims(card: Card): boolean {
    return claimsIntel(card);
  }

  open(card: Card): GpuReader {
    return new IntelGpu(card, this.#site);
  }
}
