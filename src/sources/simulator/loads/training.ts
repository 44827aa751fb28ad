import { type Demand, fill, type Load, type Moment, modulo } from '../demand.ts';
import { drift, uniform } from '../random.ts';

const MINUTE = 60_000;
const GIGABYTE = 1e9;

/** Loading weights and data after a start. */
const START_UP_MS = 25_000;

/** What a random number is for: added to the stream of the job or GPU, so that purposes do not share numbers. */
const STREAM = { busy: 1, density: 2, hiccup: 3, offset: 4, copy: 5 };

/** The rhythm of a training job. Ratios are 0–1. */
interface TrainingShape {
  /** Utilisation in the steady phase. */
  readonly busy: number;
  /** Power per busy time; about 1 reaches the power limit now and then. */
  readonly density: number;
  /** Share of the busy time that touches device memory. */
  readonly traffic: number;
  /** How often the ranks meet for the gradient exchange, seen as short dips common to all. */
  readonly exchangeMs: number;
  readonly checkpointEveryMs: number;
  readonly checkpointMs: number;
  /** Every third checkpoint is followed by an evaluation of this length. */
  readonly evaluationMs: number;
}

/** A large model at full tilt: about 95 %, a checkpoint every ten minutes, an evaluation every half hour. */
export const LARGE_MODEL: TrainingShape = {
  busy: 0.98,
  density: 1.01,
  traffic: 0.42,
  exchangeMs: 3_100,
  checkpointEveryMs: 10 * MINUTE,
  checkpointMs: 9_000,
  evaluationMs: 75_000,
};

/** Fine-tuning of a small model on one GPU. */
export const SMALL_MODEL: TrainingShape = {
  busy: 0.9,
  density: 0.72,
  traffic: 0.36,
  exchangeMs: 2_300,
  checkpointEveryMs: 6 * MINUTE,
  checkpointMs: 4_000,
  evaluationMs: 30_000,
};

/** A load that trains: start-up, steady steps with exchange dips, checkpoints and evaluations. */
export function training(shape: TrainingShape): Load {
  return (moment, demand) => {
    const { timeMs, jobStream, gpuStream, step } = moment;
    if (moment.ageMs < START_UP_MS) {
      fill(demand, 0.06 * uniform(gpuStream, step), 0.4, 0.5, 2.4 * GIGABYTE, 0.02 * GIGABYTE);
      return;
    }
    const shifted = timeMs + uniform(jobStream, STREAM.offset) * shape.checkpointEveryMs;
    const round = Math.floor(shifted / shape.checkpointEveryMs);
    const inRound = shifted - round * shape.checkpointEveryMs;
    if (inRound < shape.checkpointMs) {
      fill(demand, 0.03 * uniform(gpuStream, step), 0.4, 0.6, 0.01 * GIGABYTE, 3.1 * GIGABYTE);
    } else if (modulo(round, 3) === 0 && inRound < shape.checkpointMs + shape.evaluationMs) {
      evaluate(shape, moment, demand);
    } else {
      train(shape, moment, demand);
    }
  };
}

function evaluate(shape: TrainingShape, moment: Moment, demand: Demand): void {
  const busy = shape.busy * (0.8 + 0.1 * uniform(moment.gpuStream + STREAM.busy, moment.step));
  fill(demand, busy, shape.density * 0.68, shape.traffic * 0.7, 0.9 * GIGABYTE, 0.01 * GIGABYTE);
}

function train(shape: TrainingShape, moment: Moment, demand: Demand): void {
  const { timeMs, jobStream, gpuStream, step } = moment;
  const exchanging = modulo(timeMs, shape.exchangeMs) < 400;
  const hiccup = uniform(jobStream + STREAM.hiccup, step) < 0.004;
  const jitter = 0.04 * (uniform(gpuStream + STREAM.busy, step) - 0.5);
  const busy = Math.min(1, shape.busy * (hiccup ? 0.6 : exchanging ? 0.91 : 1) + jitter);
  const slow = drift(gpuStream + STREAM.density, timeMs / (4 * MINUTE));
  const fast = uniform(gpuStream + STREAM.density, step) - 0.5;
  const density = shape.density * (1 + 0.025 * slow + 0.05 * fast) * (exchanging ? 0.8 : 1);
  const rx = (0.35 + 0.25 * uniform(gpuStream + STREAM.copy, step)) * GIGABYTE;
  fill(demand, busy, density, shape.traffic * (1 + 0.06 * slow + 0.06 * fast), rx, 0.08 * rx);
}
