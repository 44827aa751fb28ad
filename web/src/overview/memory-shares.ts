import { readingOf } from '../../../src/client/gpu-reading.ts';
import { holderOf } from '../../../src/client/holder.ts';
import type { ApiGpu } from '../../../src/model/api.ts';

/** A part of the memory of a GPU, as a share of the whole. */
export interface MemoryShare {
  readonly key: string;
  readonly share: number;
  /** Whose it is; null for what is in use but listed for no process. */
  readonly owner: string | null;
}

/**
 * The used memory split by owner, largest first, what no process accounts for last. One part alone where the driver
 * does not tell how much each process holds. Processes may add up to more than is used (they share), then all shrink.
 */
export function memoryShares(gpu: ApiGpu): readonly MemoryShare[] {
  const total = readingOf(gpu, 'memory_total_bytes') ?? 0;
  const used = readingOf(gpu, 'memory_used_bytes') ?? 0;
  if (total <= 0 || used <= 0) return [];
  const byOwner = new Map<string, number>();
  for (const process of gpu.processes) {
    const owner = holderOf(process) ?? `pid ${process.pid}`;
    byOwner.set(owner, (byOwner.get(owner) ?? 0) + (process.memoryBytes ?? 0));
  }
  const listed = [...byOwner].filter(([, bytes]) => bytes > 0).sort((a, b) => b[1] - a[1]);
  const sum = listed.reduce((bytes, [, held]) => bytes + held, 0);
  const scale = sum > used ? used / sum : 1;
  const shares: MemoryShare[] = listed.map(([owner, bytes]) => ({ key: owner, owner, share: (bytes * scale) / total }));
  const rest = used - sum * scale;
  // The driver's own context costs a little; a sliver of it says nothing.
  if (rest > total * 0.005) shares.push({ key: '', owner: null, share: rest / total });
  return shares;
}
