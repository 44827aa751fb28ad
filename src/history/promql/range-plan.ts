import type { Millis } from '../../model/reading.ts';
import type { GridShape } from '../range.ts';

/** Samples of one answer: more would hold up the thread that parses it, and what else it does. */
export const MOST_SAMPLES = 40_000;
/** As many as four sums of a bucket cost. */
const SAMPLES_WORTH_READING = 4;
/** What is newer than this VictoriaMetrics leaves out of what it sums up over a range (`-search.latencyOffset`). */
const LATENT_MS = 60_000;

/**
 * A stretch of time that is read in one way: every sample of it; or sums, of one window or of each bucket.
 * `from` is inclusive, `to` exclusive.
 */
export interface Piece {
  readonly kind: 'samples' | 'sum' | 'buckets';
  readonly from: Millis;
  readonly to: Millis;
}

/** What decides how a range is read. */
export interface Density {
  /** Series asked for. */
  readonly series: number;
  /** Distance of two samples. */
  readonly intervalMs: Millis;
  readonly now: Millis;
}

/** How to read a range: in order of time, without a hole and without overlap. */
export function planRange(from: Millis, to: Millis, shape: GridShape, density: Density): readonly Piece[] {
  if (from >= to) return [];
  const { bucketMs } = shape;
  const samples = samplesIn(to - from, density);
  const perBucket = bucketMs / density.intervalMs;
  if (samples <= MOST_SAMPLES || perBucket <= SAMPLES_WORTH_READING) return [{ kind: 'samples', from, to }];
  const first = Math.ceil(from / bucketMs) * bucketMs;
  const end = Math.floor(Math.min(to, density.now - LATENT_MS) / bucketMs) * bucketMs;
  if (end <= first) return edge(from, to, bucketMs, density);
  return [
    ...edge(from, first, bucketMs, density),
    { kind: 'buckets', from: first, to: end },
    ...edge(end, to, bucketMs, density),
  ];
}

/** What is cut off by the ends of a range, or too new: samples where those are few, else one sum per bucket. */
function edge(from: Millis, to: Millis, bucketMs: number, density: Density): readonly Piece[] {
  if (from >= to) return [];
  if (samplesIn(to - from, density) <= MOST_SAMPLES) return [{ kind: 'samples', from, to }];
  const pieces: Piece[] = [];
  for (let at = from; at < to; ) {
    const end = Math.min(to, (Math.floor(at / bucketMs) + 1) * bucketMs);
    pieces.push({ kind: 'sum', from: at, to: end });
    at = end;
  }
  return pieces;
}

function samplesIn(ms: number, { series, intervalMs }: Density): number {
  return (series * ms) / intervalMs;
}
