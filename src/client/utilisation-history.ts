import type { ApiSeries } from '../model/api.ts';
import type { Millis } from '../model/reading.ts';
import { utilisationOf } from './gpu-reading.ts';
import type { LiveState } from './live-state.ts';
import { RecentWindow } from './recent-window.ts';

/** How far back the overview looks. */
export const RECENT_MS = 15 * 60_000;
/** Buckets of the overview's little charts. */
export const RECENT_POINTS = 90;

/** The last 15 minutes of utilisation of every GPU: filled once from the history, then followed tick by tick. */
export class UtilisationHistory {
  #windows = new Map<string, RecentWindow>();
  #bucketMs = RECENT_MS / RECENT_POINTS;
  #filledTo = Number.NEGATIVE_INFINITY;
  #intervalMs = 1000;

  /** Typical distance of two samples: a hole wider than three of these is a gap. */
  get intervalMs(): number {
    return this.#intervalMs;
  }

  /** Replaces what is held. Of several metrics of a GPU the first that has values counts. */
  fill(grid: ApiSeries): void {
    this.#windows = new Map();
    this.#bucketMs = grid.bucketMs;
    this.#intervalMs = grid.intervalMs;
    this.#filledTo = grid.to;
    const filled = new Set<string>();
    for (const { gpu, min, mean, max, count } of grid.series) {
      if (filled.has(gpu) || mean.every((average) => average === null)) continue;
      filled.add(gpu);
      const window = this.#window(gpu);
      for (const [i, at] of grid.at.entries()) {
        const average = mean[i];
        if (average != null) window.merge(at, min[i] ?? average, average, max[i] ?? average, count[i] ?? 1);
      }
    }
  }

  /** Takes the values of a tick; those the fill already held are left out. */
  add(state: LiveState): void {
    for (const gpu of state.gpus) {
      const value = utilisationOf(gpu);
      if (value !== null && gpu.state === 'ok' && gpu.at === state.at && gpu.at >= this.#filledTo) {
        this.#window(gpu.uuid).add(gpu.at, value);
      }
    }
  }

  window(uuid: string): RecentWindow | undefined {
    return this.#windows.get(uuid);
  }

  /** Mean utilisation of the last `spanMs` before `now`, or null where nothing was seen. */
  mean(uuid: string, now: Millis, spanMs: number = RECENT_MS): number | null {
    return this.#windows.get(uuid)?.mean(now, spanMs) ?? null;
  }

  #window(uuid: string): RecentWindow {
    const existing = this.#windows.get(uuid);
    if (existing !== undefined) return existing;
    const window = new RecentWindow(RECENT_MS, this.#bucketMs);
    this.#windows.set(uuid, window);
    return window;
  }
}
