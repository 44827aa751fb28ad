import type { Stretch } from '../statistics/stretches.ts';

/** A wider hole ends a piece: what happened in it is unknown. */
const GAP_CELLS = 3;

/** How many distances of ticks are looked at to find the typical one. */
const LOOKED_AT = 4096;

/** Ticks around a hole that tell whether the pace itself has changed. */
const AROUND = 4;

/** Ticks on an even grid: a missed sample is an empty cell, and a wide hole is the end of a piece. */
export interface Grid {
  /** Typical distance of two ticks in milliseconds. */
  readonly stepMs: number;
  readonly at: Float64Array;
  /** Time that each cell stands for, in seconds. */
  readonly seconds: Float32Array;
  readonly pieces: readonly Stretch[];
  /** Where each tick lies; null where every tick is its own cell. */
  readonly places: Uint32Array | null;
}

/** Lays ticks at `times` (milliseconds, `length` of them) on a grid; `restarts` are ticks that begin a piece. */
export function layGrid(times: Float64Array, length: number, restarts: readonly number[]): Grid {
  const stepMs = typicalStep(times, length);
  const isRestart = new Set(restarts);
  const places = new Uint32Array(length);
  const starts: number[] = length === 0 ? [] : [0];
  let cell = 0;
  for (let tick = 1; tick < length; tick++) {
    const distance = times[tick]! - times[tick - 1]!;
    const isBreak =
      distance < 0 ||
      isRestart.has(tick) ||
      (distance > GAP_CELLS * stepMs && distance > GAP_CELLS * paceAt(times, length, tick));
    const skipped = isBreak || distance > GAP_CELLS * stepMs ? 0 : Math.max(0, Math.round(distance / stepMs) - 1);
    cell += 1 + skipped;
    places[tick] = cell;
    if (isBreak) starts.push(cell);
  }
  const cells = length === 0 ? 0 : cell + 1;
  const pieces = starts.map((start, index) => ({ start, end: starts[index + 1] ?? cells }));
  const at = cells === length ? times.slice(0, length) : spreadTimes(times, places, cells);
  return { stepMs, at, seconds: cellSeconds(at, pieces, stepMs), pieces, places: cells === length ? null : places };
}

/** Median of the distances above 0; a second where there are none. */
function typicalStep(times: Float64Array, length: number): number {
  const stride = Math.max(1, Math.floor(length / LOOKED_AT));
  const steps: number[] = [];
  for (let tick = 1; tick < length; tick += stride) {
    const step = times[tick]! - times[tick - 1]!;
    if (step > 0) steps.push(step);
  }
  steps.sort((a, b) => a - b);
  return steps[Math.floor(steps.length / 2)] ?? 1000;
}

/** Typical distance of the ticks around one. */
function paceAt(times: Float64Array, length: number, tick: number): number {
  const steps: number[] = [];
  for (let i = Math.max(1, tick - AROUND); i <= Math.min(length - 1, tick + AROUND); i++)
    steps.push(times[i]! - times[i - 1]!);
  steps.sort((a, b) => a - b);
  return steps[Math.floor(steps.length / 2)]!;
}

function spreadTimes(times: Float64Array, places: Uint32Array, cells: number): Float64Array {
  const at = new Float64Array(cells);
  for (let tick = 0; tick < places.length; tick++) {
    const [from, to] = [tick === 0 ? 0 : places[tick - 1]!, places[tick]!];
    for (let cell = from + 1; cell < to; cell++) {
      at[cell] = times[tick - 1]! + ((times[tick]! - times[tick - 1]!) * (cell - from)) / (to - from);
    }
    at[to] = times[tick]!;
  }
  return at;
}

function cellSeconds(at: Float64Array, pieces: readonly Stretch[], stepMs: number): Float32Array {
  const seconds = new Float32Array(at.length);
  for (const { start, end } of pieces) {
    for (let cell = start; cell < end - 1; cell++) seconds[cell] = (at[cell + 1]! - at[cell]!) / 1000;
    if (end > start) seconds[end - 1] = stepMs / 1000;
  }
  return seconds;
}
