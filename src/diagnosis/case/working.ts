import { joined, maskOf, type Stretch, stretches } from '../statistics/stretches.ts';
import type { Mask, Values } from '../statistics/summary.ts';
import type { Window } from '../window/window.ts';
import type { Marks } from './marks.ts';

/** Below this a GPU does nothing. */
export const IDLE_BELOW = 0.05;

/** Idle times up to this are part of the work; longer ones where what lies on both sides is twice as long. */
const PAUSE_SECONDS = 60;
const PAUSE_CELLS = 5;
const LONG_PAUSE_SECONDS = 300;
const LONG_PAUSE_CELLS = 10;

/** Something must run for this share of a piece of work, or it is idle time with a touch of work now and then. */
const LEAST_ACTIVE = 0.1;

/** Less than this between idle times is no work: a test, or a look at the card. */
const LEAST_SECONDS = 30;
const LEAST_CELLS = 10;

/** A start is over when the mean of so many seconds has reached this share of what comes later. */
const SETTLED_SECONDS = 10;
const SETTLED_SHARE = 0.7;

/** It is over too when work goes on and off: so much of so many seconds at that level is no loading any more. */
const ON_AND_OFF_SECONDS = 30;
const ON_SHARE = 0.3;

/** A start lasts at most this share of the work, and so long. */
const START_SHARE = 0.25;
const START_SECONDS = 600;

/** When a GPU works: pieces of work without their start, and without idle time before, between and after them. */
export interface Working {
  readonly bouts: readonly Stretch[];
  readonly mask: Mask;
  readonly seconds: number;
}

export const NO_WORK: Working = { bouts: [], mask: new Uint8Array(0), seconds: 0 };

/** Finds the work in a column of utilisation; phases that a program has marked are left out. */
export function findWork(window: Window, util: Values, { phases }: Marks): Working {
  const pause = Math.max(window.cells(PAUSE_SECONDS), PAUSE_CELLS);
  const longPause = Math.max(window.cells(LONG_PAUSE_SECONDS), LONG_PAUSE_CELLS);
  const least = Math.max(window.cells(LEAST_SECONDS), LEAST_CELLS);
  const bouts = window.pieces.flatMap((piece) => {
    const busy = stretches(piece, (cell) => util[cell]! >= IDLE_BELOW);
    return joinedWide(joined(busy, pause), longPause)
      .filter((part) => part.end - part.start >= least && isActive(util, part))
      .map((part) => withoutStart(window, util, part));
  });
  const mask = maskOf(window.length, bouts);
  for (const { from, to } of phases) {
    for (let cell = 0; cell < window.length; cell++)
      if (window.at[cell]! >= from && window.at[cell]! <= to) mask[cell] = 0;
  }
  return { bouts, mask, seconds: window.secondsUnder(mask) };
}

/** Joins across a pause that is short beside the work before and after it. */
function joinedWide(parts: readonly Stretch[], longest: number): Stretch[] {
  const result: Stretch[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    const gap = last === undefined ? Number.POSITIVE_INFINITY : part.start - last.end;
    const shorter = last === undefined ? 0 : Math.min(last.end - last.start, part.end - part.start);
    if (last !== undefined && gap <= longest && 2 * gap <= shorter)
      result[result.length - 1] = { start: last.start, end: part.end };
    else result.push(part);
  }
  return result;
}

/** True where something runs often enough, and not too little. */
function isActive(util: Values, { start, end }: Stretch): boolean {
  let [active, seen, sum] = [0, 0, 0];
  for (let cell = start; cell < end; cell++) {
    const value = util[cell]!;
    if (Number.isNaN(value)) continue;
    seen++;
    sum += value;
    if (value >= IDLE_BELOW) active++;
  }
  return active / seen >= LEAST_ACTIVE && sum / seen >= IDLE_BELOW;
}

/** Cuts off loading and compiling: until utilisation has come near the level that it has later. */
function withoutStart(window: Window, util: Values, { start, end }: Stretch): Stretch {
  const span = window.cells(SETTLED_SECONDS);
  const latest = start + Math.min(Math.floor((end - start) * START_SHARE), window.cells(START_SECONDS));
  const later = meanOf(util, Math.floor((start + end) / 2), end);
  const long = window.cells(ON_AND_OFF_SECONDS);
  const level = SETTLED_SHARE * later;
  for (let cell = start; cell < latest; cell++) {
    if (!(util[cell]! >= IDLE_BELOW)) continue;
    const isUp = meanOf(util, cell, Math.min(end, cell + span)) >= level;
    if (isUp || (util[cell]! >= level && shareAbove(util, cell, Math.min(end, cell + long), level) >= ON_SHARE))
      return { start: cell, end };
  }
  return { start: latest, end };
}

function shareAbove(values: Values, from: number, to: number, level: number): number {
  let count = 0;
  for (let i = from; i < to; i++) if (values[i]! >= level) count++;
  return count / Math.max(1, to - from);
}

function meanOf(values: Values, from: number, to: number): number {
  let sum = 0;
  let count = 0;
  for (let i = from; i < to; i++) {
    if (Number.isNaN(values[i]!)) continue;
    sum += values[i]!;
    count++;
  }
  return count === 0 ? 0 : sum / count;
}
