import { absent, isPresent } from '../../model/reading.ts';
import type { Card } from '../drm/cards.ts';
import { Folder } from '../drm/folder.ts';
import type { DeviceUse, GpuReader, Identity, Site, Turn } from '../drm/gpu-reader.ts';
import type { Row } from '../drm/row.ts';
import type { ComputeUse } from './compute-use.ts';
import { readMetrics } from './gpu-metrics.ts';
import { identifyCard, uuidOf } from './identity.ts';
import type { KfdNode } from './kfd.ts';

const NOT_SUPPORTED = absent('not-supported');
const MAX_PERCENT = 100;

/**
 * One of several parts into which a card was divided for compute. The driver gives it a device without sensors: heat,
 * power and links are those of the card, and are reported there.
 */
export class Partition implements GpuReader {
  readonly identity: Identity;
  readonly card: Card;
  readonly powerPath: string;
  readonly isIntegrated = false;
  readonly hasUnifiedVideo = false;
  readonly #compute: ComputeUse;
  readonly #parent: Folder;
  readonly #node: KfdNode | null;

  /** `parent` is the card it is a part of; null where that cannot be told. */
  constructor(card: Card, site: Site, compute: ComputeUse, node: KfdNode | null, parent: Card | null) {
    this.card = card;
    this.#compute = compute;
    this.#node = node;
    this.powerPath = parent?.devicePath ?? card.devicePath;
    this.#parent = new Folder(this.powerPath, site.progress);
    this.identity = identify(card, site, node, parent);
  }

  read(row: Row, { isSlow }: Turn): void {
    if (isSlow) this.#parent.wake();
    row.put('memory_total_bytes', this.#node?.memoryBytes ?? NOT_SUPPORTED);
    this.#putMetrics(row);
  }

  putUse(row: Row, _use: DeviceUse | null): void {
    const used = this.#compute.usedBytes(this);
    const total = row.get('memory_total_bytes');
    row.put('memory_used_bytes', used);
    row.put('memory_free_bytes', isPresent(used) && total !== null && used <= total ? total - used : NOT_SUPPORTED);
  }

  /** The table of the card has a row per partition. */
  #putMetrics(row: Row): void {
    const number = this.#node?.partition ?? 0;
    const metrics = readMetrics(this.#parent);
    if ('absent' in metrics) {
      row.put('utilization_ratio', metrics);
      return;
    }
    const busy = metrics.numbers(`xcp${number}_gfx_busy`).filter((percent) => percent <= MAX_PERCENT);
    const mean = busy.reduce((sum, percent) => sum + percent, 0) / busy.length / MAX_PERCENT;
    row.put('utilization_ratio', busy.length === 0 ? NOT_SUPPORTED : mean);
  }
}

function identify(card: Card, site: Site, node: KfdNode | null, parent: Card | null): Identity {
  const own = identifyCard(parent ?? card, site, node);
  const number = node?.partition ?? card.number;
  const uuid = uuidOf(node?.uniqueId ?? null);
  const isApart = uuid !== null && uuid !== own.uuid;
  return {
    ...own,
    name: `${own.name} (${number})`,
    ...(isApart ? { uuid } : { uuid: `${own.uuid}@partition-${number}`, uuidIsDerived: true }),
  };
}
