/** What the processes ask of one GPU during one step. */
export interface Demand {
  /** Share of the step in which a kernel runs, 0–1. */
  busy: number;
  /** Power the work would take at full clock, as a share of what the power limit leaves; more than 1 meets the limit. */
  work: number;
  /** Share of the step in which device memory is read or written, 0–1. */
  memoryBusy: number;
  /** From the host to the GPU. */
  rxBytesPerSecond: number;
  /** From the GPU to the host. */
  txBytesPerSecond: number;
}

export function noDemand(): Demand {
  return { busy: 0, work: 0, memoryBusy: 0, rxBytesPerSecond: 0, txBytesPerSecond: 0 };
}

/** Where and when a load is asked: one object, reused for every call. Times are ms from the first sample. */
export interface Moment {
  /** Start of the step; negative while the simulation warms up before the first sample. */
  timeMs: number;
  /** Number of the step, the counter for random numbers. */
  step: number;
  /** Since the process started. */
  ageMs: number;
  /** When the incident of the scenario happens; infinite in a scenario without one. */
  incidentMs: number;
  /** Random stream shared by all ranks of the job. */
  jobStream: number;
  /** Random stream of this GPU. */
  gpuStream: number;
}

/**
 * How a job uses a GPU: fills every field of `demand` for one moment. A pure function of the moment, so a gap in the
 * sampling or a jump changes nothing. Called for every step, so it allocates nothing.
 */
export type Load = (moment: Moment, demand: Demand) => void;

/** Sets all fields; `density` is the power drawn per busy time, `traffic` the share of it that touches memory. */
export function fill(demand: Demand, busy: number, density: number, traffic: number, rx: number, tx: number): void {
  demand.busy = busy;
  demand.work = busy * density;
  demand.memoryBusy = busy * traffic;
  demand.rxBytesPerSecond = rx;
  demand.txBytesPerSecond = tx;
}

/** Remainder that is never negative. */
export function modulo(value: number, period: number): number {
  return value - Math.floor(value / period) * period;
}
