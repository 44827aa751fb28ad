import { fill, type Load, modulo } from '../demand.ts';
import { uniform } from '../random.ts';

/** Holds the GPU without using it. */
export const holding: Load = (_moment, demand) => fill(demand, 0, 0, 0, 0, 0);

/**
 * Spins inside a collective whose peer never answers: the waiting kernel counts as busy, but computes nothing and
 * touches next to no memory, so power stays near idle.
 */
export const spinning: Load = (moment, demand) => {
  fill(demand, 1, 0.045 + 0.006 * uniform(moment.gpuStream, moment.step), 0.005, 0, 0);
};

/** Takes the small part of the work that a lopsided job hands out, then waits for the GPU that does the rest. */
export const helping: Load = (moment, demand) => {
  const share = modulo(moment.timeMs, 4_700) < 1_000 ? 0.25 : 0.02;
  fill(demand, share * (0.6 + 0.8 * uniform(moment.gpuStream, moment.step)), 0.6, 0.3, 0.04e9, 0.03e9);
};

/** One load up to the incident of the scenario, another one from then on. */
export function untilIncident(before: Load, after: Load): Load {
  return (moment, demand) => (moment.timeMs < moment.incidentMs ? before : after)(moment, demand);
}
