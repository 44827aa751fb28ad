import { beat, cycles } from '../statistics/rhythm.ts';
import type { Stretch } from '../statistics/stretches.ts';
import {
  deviation,
  type Mask,
  mean,
  meanUnder,
  present,
  quantiles,
  share,
  type Values,
} from '../statistics/summary.ts';
import type { Window } from '../window/window.ts';

/** Below this a GPU waits, rather than working on little. */
export const WAITS_BELOW = 0.15;

/** The cells under a mask in which a GPU waits, and their share of those in which it was seen; 0 for none. */
export function waitsUnder(util: Values, mask: Mask): { readonly cells: Mask; readonly share: number } {
  const cells = new Uint8Array(mask.length);
  let [seen, waiting] = [0, 0];
  for (let cell = 0; cell < cells.length; cell++) {
    const value = util[cell]!;
    if (mask[cell] === 0 || Number.isNaN(value)) continue;
    seen++;
    if (!(value < WAITS_BELOW)) continue;
    cells[cell] = 1;
    waiting++;
  }
  return { cells, share: seen === 0 ? 0 : waiting / seen };
}

/** A stretch in which a rhythm is looked for. */
const SPAN_SECONDS = 600;
const LEAST_CELLS = 40;
const MOST_CELLS = 1200;

/** Of a long recording so many stretches are looked at, evenly spread. */
const MOST_SPANS = 24;

/** How a column of utilisation goes up and down in one stretch. */
export interface Rhythm {
  readonly span: Stretch;
  readonly mean: number;
  /** Share of the cells in which the GPU waits. */
  readonly waiting: number;
  readonly cyclesPerMinute: number;
  readonly cycles: number;
  /** Seconds from one peak to the next, and how regular they are, 0–1; null where there is no beat. */
  readonly periodSeconds: number | null;
  readonly strength: number;
}

/** The rhythm in evenly spread stretches of the given work, ten minutes each where there is so much. */
export function rhythms(window: Window, util: Values, bouts: readonly Stretch[]): readonly Rhythm[] {
  const span = Math.min(MOST_CELLS, Math.max(LEAST_CELLS, window.cells(SPAN_SECONDS)));
  const spans = bouts.flatMap(({ start, end }) => {
    const parts = Math.max(1, Math.round((end - start) / span));
    const size = (end - start) / parts;
    return Array.from({ length: parts }, (_, i) => ({
      start: Math.floor(start + i * size),
      end: Math.floor(start + (i + 1) * size),
    }));
  });
  const wide = spans.filter(({ start, end }) => end - start >= LEAST_CELLS);
  const stride = Math.max(1, Math.ceil(wide.length / MOST_SPANS));
  return wide.filter((_, index) => index % stride === 0).map((part) => rhythmOf(window, util, part));
}

function rhythmOf(window: Window, util: Values, span: Stretch): Rhythm {
  const part = util.subarray(span.start, Math.min(span.end, span.start + MOST_CELLS));
  const values = present(part);
  const found = beat(part);
  const count = cycles(values);
  const minutes = (part.length * window.stepMs) / 60_000;
  return {
    span,
    mean: meanUnder(part),
    waiting: share(values, (value) => value < WAITS_BELOW),
    cycles: count,
    cyclesPerMinute: count / minutes,
    periodSeconds: found === null ? null : (found.lag * window.stepMs) / 1000,
    strength: found?.strength ?? 0,
  };
}

/** What utilisation was like over all of the work. */
export interface Level {
  readonly count: number;
  readonly mean: number;
  readonly p5: number;
  readonly p50: number;
  readonly p95: number;
  /** Standard deviation over mean. */
  readonly variation: number;
}

export function levelOf(values: Float32Array): Level {
  const [p5 = 0, p50 = 0, p95 = 0] = quantiles(values, [0.05, 0.5, 0.95]);
  const middle = mean(values);
  return { count: values.length, mean: middle, p5, p50, p95, variation: middle > 0 ? deviation(values) / middle : 0 };
}
