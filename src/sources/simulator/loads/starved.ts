import { fill, type Load } from '../demand.ts';
import { uniform } from '../random.ts';

/** The loader's cycle: each job has a period of its own between these, and keeps it. */
const SHORTEST_MS = 6_500;
const LONGEST_MS = 9_500;

/** How far the start of a cycle strays from the regular beat, as a share of the period. */
const STRAY = 0.12;

/** Where in a cycle the prefetched batches are worked off, run short, and are gone. */
const RISEN = 0.08;
const HIGH_UNTIL = 0.38;
const EMPTY_FROM = 0.56;

const STREAM = { period: 1, stray: 2, height: 3, floor: 4, lag: 5 };

/**
 * Waits for input most of the time: the queue of prefetched batches fills while the GPU idles, is worked off in a burst
 * and runs dry. All GPUs of the job are fed by the same host, so they rise and fall together.
 */
export const starved: Load = (moment, demand) => {
  const { jobStream, gpuStream, step } = moment;
  const period = SHORTEST_MS + (LONGEST_MS - SHORTEST_MS) * uniform(jobStream, STREAM.period);
  const time = moment.timeMs - 350 * uniform(gpuStream, STREAM.lag);
  const start = (cycle: number): number => (cycle + STRAY * uniform(jobStream + STREAM.stray, cycle)) * period;
  let cycle = Math.floor(time / period);
  if (time < start(cycle)) cycle--;
  const place = (time - start(cycle)) / (start(cycle + 1) - start(cycle));
  const high = 0.88 + 0.1 * uniform(jobStream + STREAM.height, cycle);
  const low = 0.05 * uniform(gpuStream + STREAM.floor, step);
  const busy = Math.max(low, high * level(place));
  fill(demand, busy, 0.82, 0.35, (0.05 + 1.9 * busy) * 1e9, 0.02e9);
};

/** Height of the sawtooth at a place 0–1 of its cycle. */
function level(place: number): number {
  if (place < RISEN) return place / RISEN;
  if (place < HIGH_UNTIL) return 1;
  return Math.max(0, (EMPTY_FROM - place) / (EMPTY_FROM - HIGH_UNTIL));
}
