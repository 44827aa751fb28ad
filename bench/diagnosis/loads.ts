import { fill, type Load, modulo } from '../../src/sources/simulator/demand.ts';
import { uniform } from '../../src/sources/simulator/random.ts';

/** Loads of the evaluation, beside those of the simulator's scenarios. Times are in milliseconds, shares 0–1. */

interface Steady {
  readonly busy: number;
  /** Power per busy time. */
  readonly density: number;
  readonly traffic: number;
  readonly jitter?: number;
  readonly rx?: number;
  readonly tx?: number;
}

/** Works evenly. */
export function steadily({ busy, density, traffic, jitter = 0.06, rx = 3e8, tx = 3e7 }: Steady): Load {
  return ({ gpuStream, step }, demand) => {
    const level = Math.max(0, Math.min(1, busy + jitter * (uniform(gpuStream + 31, step) - 0.5)));
    fill(demand, level, density * (1 + 0.04 * (uniform(gpuStream + 32, step) - 0.5)), traffic, rx, tx);
  };
}

/** Two loads in turn: `first` for a share of every period, all GPUs of a job together. */
export function inTurns(first: Load, second: Load, periodMs: number, share: number, stray = 0.08): Load {
  return (moment, demand) => {
    const round = Math.floor(moment.timeMs / periodMs);
    const place = modulo(moment.timeMs, periodMs) / periodMs;
    const border = share * (1 + stray * (2 * uniform(moment.jobStream + 41, round) - 1));
    (place < border ? first : second)(moment, demand);
  };
}

/** Works in bursts that come like requests: no beat, and pauses of every length. */
export function inBursts(busy: Load, rest: Load, meanMs: number, share: number): Load {
  return (moment, demand) => {
    // A coarse clock whose every tooth is on or off by chance, and longer quiet times on top.
    const tooth = Math.floor(moment.timeMs / meanMs);
    const quiet = uniform(moment.jobStream + 51, Math.floor(moment.timeMs / (meanMs * 9))) < 0.35;
    const isOn = !quiet && uniform(moment.gpuStream + 52, tooth) < share;
    (isOn ? busy : rest)(moment, demand);
  };
}

export const resting: Load = (_moment, demand) => fill(demand, 0, 0, 0, 0, 0);
