import { readingOf, shareOf } from '../../client/gpu-reading.ts';
import { RecentWindow } from '../../client/recent-window.ts';
import type { ApiGpu, ApiGpus, ApiSeries } from '../../model/api.ts';
import type { MetricId } from '../../model/catalogue.ts';
import type { Millis } from '../../model/reading.ts';
import type { ChartColumn } from '../draw/braille.ts';

/** What charts can show of a GPU, with the metrics that a history has it under; the first that has values counts. */
export const TRACKS = {
  utilisation: ['utilization_ratio', 'graphics_engine_active_ratio'],
  memory: ['memory_used_bytes'],
  power: ['power_watts'],
  temperature: ['temperature_celsius'],
  clock: ['sm_clock_hertz'],
  'pcie-rx': ['pcie_rx_bytes_per_second'],
  'pcie-tx': ['pcie_tx_bytes_per_second'],
  'nvlink-rx': ['nvlink_rx_bytes_per_second'],
  'nvlink-tx': ['nvlink_tx_bytes_per_second'],
} as const satisfies Record<string, readonly MetricId[]>;

export type Track = keyof typeof TRACKS;
const TRACK_NAMES = Object.keys(TRACKS) as Track[];

/** Spans that charts can show. */
export const SPANS_MS = [60_000, 5 * 60_000, 15 * 60_000, 60 * 60_000] as const;

/** A second for what was just now, ten seconds for the last hour. */
export const LEVELS = {
  fine: { spanMs: 5 * 60_000, bucketMs: 1000 },
  coarse: { spanMs: 60 * 60_000, bucketMs: 10_000 },
} as const;
export type Level = keyof typeof LEVELS;

const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * 60_000;
/** Holes up to so many sample intervals are sparse data, larger ones are gaps. */
const BRIDGED_INTERVALS = 3;

type Levels = Record<Level, RecentWindow>;

/** The last hour of every GPU, in memory that does not grow. */
export class TopHistory {
  readonly #windows = new Map<string, Map<Track, Levels>>();
  #intervalMs = 1000;
  #lastAt: Millis | null = null;

  /** Takes the values of a tick. What was sampled at the time of the tick before is not counted twice. */
  add({ at, gpus }: ApiGpus): void {
    if (at === null || (this.#lastAt !== null && at <= this.#lastAt)) return;
    if (this.#lastAt !== null) this.#intervalMs = 0.8 * this.#intervalMs + 0.2 * Math.min(at - this.#lastAt, 60_000);
    this.#lastAt = at;
    for (const gpu of gpus) {
      if (gpu.state !== 'ok' || gpu.at !== at) continue;
      this.addSample(gpu.uuid, at, (id) =>
        id === 'graphics_engine_active_ratio' && gpu.mig === null ? null : readingOf(gpu, id),
      );
    }
  }

  /** Takes one sample of one GPU, as a recording is read faster than it is shown. `read` gives readings by their metric. */
  addSample(uuid: string, at: Millis, read: (id: MetricId) => number | null): void {
    if (this.#lastAt !== null && at < this.#lastAt) return;
    this.#lastAt = at;
    for (const track of TRACK_NAMES) {
      const value = TRACKS[track].map(read).find((each) => each !== null);
      if (value === undefined || value === null) continue;
      const { fine, coarse } = this.#levels(uuid, track);
      fine.add(at, value);
      coarse.add(at, value);
    }
  }

  /** Puts in what a server remembers of the time before the first tick: of the last minutes, or of the whole hour. */
  fill(grid: ApiSeries, level: Level): void {
    const filled = new Set<string>();
    for (const { gpu, metric, min, mean, max, count } of grid.series) {
      const track = TRACK_NAMES.find((name) => (TRACKS[name] as readonly string[]).includes(metric));
      if (track === undefined || filled.has(`${gpu} ${track}`) || mean.every((value) => value === null)) continue;
      filled.add(`${gpu} ${track}`);
      const window = freshWindow(level);
      for (const [i, at] of grid.at.entries()) {
        const average = mean[i];
        if (average != null) window.merge(at, min[i] ?? average, average, max[i] ?? average, count[i] ?? 1);
      }
      const levels = this.#levels(gpu, track);
      levels[level].forEach(this.#lastAt ?? grid.to, (at, low, average, high) => {
        if (at >= grid.to) window.merge(at, low, average, high, 1);
      });
      levels[level] = window;
    }
  }

  /** Whether there ever was a value. */
  has(uuid: string, track: Track): boolean {
    return this.#windows.get(uuid)?.has(track) ?? false;
  }

  /** Mean utilisation of the last quarter of an hour; null where nothing was seen. */
  recent(uuid: string, now: Millis): number | null {
    return this.#windows.get(uuid)?.get('utilisation')?.coarse.mean(now, QUARTER_MS) ?? null;
  }

  lastMinute(uuid: string, now: Millis): number | null {
    return this.#windows.get(uuid)?.get('utilisation')?.fine.mean(now, MINUTE_MS) ?? null;
  }

  /** The last `spanMs` before `now` in `count` columns, oldest first, in base units. */
  columns(uuid: string, track: Track, now: Millis, spanMs: number, count: number): (ChartColumn | null)[] {
    const columns = new Array<ChartColumn | null>(count).fill(null);
    const levels = this.#windows.get(uuid)?.get(track);
    if (levels === undefined || count === 0) return columns;
    const level = levels[spanMs <= LEVELS.fine.spanMs ? 'fine' : 'coarse'];
    const widthMs = spanMs / count;
    // Columns stand still on the clock, so that a chart moves by whole columns and does not shimmer.
    const end = (Math.floor(now / widthMs) + 1) * widthMs;
    const start = end - spanMs;
    const sums = new Float64Array(count);
    const counts = new Uint32Array(count);
    const peaks = new Float64Array(count);
    const visit = (at: Millis, _min: number, mean: number, max: number): void => {
      const column = Math.floor((at + level.bucketMs / 2 - start) / widthMs);
      if (column < 0 || column >= count) return;
      sums[column]! += mean;
      peaks[column] = counts[column] === 0 ? max : Math.max(peaks[column]!, max);
      counts[column]!++;
    };
    // The first column may begin within a bucket.
    level.forEach(now, visit, spanMs + level.bucketMs);
    for (let i = 0; i < count; i++) {
      if (counts[i]! > 0) columns[i] = { mean: sums[i]! / counts[i]!, max: peaks[i]! };
    }
    bridge(columns, (BRIDGED_INTERVALS * Math.max(this.#intervalMs, level.bucketMs)) / widthMs);
    return columns;
  }

  #levels(uuid: string, track: Track): Levels {
    const tracks = this.#tracksOf(uuid);
    const known = tracks.get(track);
    if (known !== undefined) return known;
    const levels = { fine: freshWindow('fine'), coarse: freshWindow('coarse') };
    tracks.set(track, levels);
    return levels;
  }

  #tracksOf(uuid: string): Map<Track, Levels> {
    const known = this.#windows.get(uuid);
    if (known !== undefined) return known;
    const tracks = new Map<Track, Levels>();
    this.#windows.set(uuid, tracks);
    return tracks;
  }
}

function freshWindow(level: Level): RecentWindow {
  return new RecentWindow(LEVELS[level].spanMs, LEVELS[level].bucketMs);
}

/** Fills holes that come from samples being further apart than columns with the value before them. */
function bridge(columns: (ChartColumn | null)[], longest: number): void {
  let last = -1;
  for (let i = 0; i < columns.length; i++) {
    if (columns[i] === null) continue;
    if (last >= 0 && i - last - 1 > 0 && i - last <= longest) columns.fill(columns[last]!, last + 1, i);
    last = i;
  }
}

/** The value that fills a chart of a track: the limit of this very device where it has one. Null: what was highest. */
export function fullScale(gpu: ApiGpu, track: Track): number | null {
  switch (track) {
    case 'utilisation':
      return 1;
    case 'memory':
      return readingOf(gpu, 'memory_total_bytes');
    case 'power':
      return readingOf(gpu, 'power_limit_watts');
    case 'temperature':
      return readingOf(gpu, 'temperature_slowdown_celsius') ?? 100;
    case 'clock':
      return readingOf(gpu, 'sm_clock_max_hertz');
    case 'pcie-rx':
    case 'pcie-tx':
    case 'nvlink-rx':
    case 'nvlink-tx':
      return null;
  }
}

/** Memory in use as a share of the whole; null where either is unknown. */
export function memoryShare(gpu: ApiGpu): number | null {
  return shareOf(gpu, 'memory_used_bytes', 'memory_total_bytes') ?? readingOf(gpu, 'memory_used_ratio');
}
