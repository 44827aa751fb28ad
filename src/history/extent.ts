import type { Extent } from '../model/ports.ts';
import type { BlockTable } from './engine/block-table.ts';
import type { SampleLog } from './engine/sample-log.ts';
import { LEVELS, widthOf } from './engine/tiers.ts';

/** The time span of everything that is kept; null while that is nothing. */
export function extentOf(blocks: BlockTable, log: SampleLog): Extent | null {
  const all: Extent[] = [];
  for (let level = 0; level < LEVELS; level++) {
    const found = extentOfLevel(blocks, log, level);
    // The row of a tier begins before its first tick, which says nothing while the tick itself is there.
    const first = all[0]?.from ?? Number.POSITIVE_INFINITY;
    if (found !== null && (all.length === 0 || found.from + widthOf(level) <= first)) all.unshift(found);
  }
  if (all.length === 0) return null;
  return { from: all[0]!.from, to: Math.max(...all.map(({ to }) => to)) };
}

function extentOfLevel(blocks: BlockTable, log: SampleLog, level: number): Extent | null {
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const block of blocks.ofLevel(level)) {
    from = Math.min(from, block.from);
    to = Math.max(to, block.to);
  }
  for (const group of log.groups()) {
    for (const segment of log.segments(level, group)) {
      from = Math.min(from, segment.from);
      to = Math.max(to, segment.to);
    }
  }
  return from > to ? null : { from, to };
}
