import type { Millis } from '../model/reading.ts';
import { joined, type Stretch, stretches } from './statistics/stretches.ts';
import type { Window } from './window/window.ts';

/** Shorter than this is one sample, whatever its distance to the next. */
const LEAST_CELLS = 3;

/** Stretches of at least so many seconds, and three cells, in which every cell passes. */
export function lasting(window: Window, seconds: number, test: (cell: number) => boolean): Stretch[] {
  const least = Math.max(LEAST_CELLS, window.cells(seconds));
  return window.pieces.flatMap((piece) => stretches(piece, test).filter(({ start, end }) => end - start >= least));
}

/** The same where cells that do not pass may interrupt for up to `pause` seconds. */
export function lastingLoosely(
  window: Window,
  seconds: number,
  pause: number,
  test: (cell: number) => boolean,
): Stretch[] {
  const least = Math.max(LEAST_CELLS, window.cells(seconds));
  return window.pieces.flatMap((piece) =>
    joined(stretches(piece, test), window.cells(pause)).filter(({ start, end }) => end - start >= least),
  );
}

/** Time from the first cell of several stretches to the end of the last. */
export function outerSpan(window: Window, parts: readonly Stretch[]): { readonly from: Millis; readonly to: Millis } {
  const first = parts[0]?.start ?? 0;
  const last = (parts.at(-1)?.end ?? window.length) - 1;
  return { from: window.at[first]!, to: window.at[Math.max(first, last)]! };
}

/** Seconds that stretches stand for. */
export function secondsIn(window: Window, parts: readonly Stretch[]): number {
  return parts.reduce((sum, part) => sum + window.secondsOf(() => true, part), 0);
}
