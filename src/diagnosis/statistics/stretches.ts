import type { Mask } from './summary.ts';

/** Cells from `start`, inclusive, to `end`, exclusive. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** The stretches within another one in which every cell passes, in order. */
export function stretches(within: Stretch, test: (cell: number) => boolean): Stretch[] {
  const found: Stretch[] = [];
  let start = -1;
  for (let cell = within.start; cell < within.end; cell++) {
    if (test(cell)) {
      if (start < 0) start = cell;
    } else if (start >= 0) {
      found.push({ start, end: cell });
      start = -1;
    }
  }
  if (start >= 0) found.push({ start, end: within.end });
  return found;
}

/** Joins stretches with no more than `gap` cells between them. */
export function joined(parts: readonly Stretch[], gap: number): Stretch[] {
  const result: Stretch[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (last !== undefined && part.start - last.end <= gap)
      result[result.length - 1] = { start: last.start, end: part.end };
    else result.push(part);
  }
  return result;
}

/** A mask of the cells within stretches. */
export function maskOf(length: number, parts: readonly Stretch[]): Mask {
  const mask = new Uint8Array(length);
  for (const { start, end } of parts) mask.fill(1, start, end);
  return mask;
}
