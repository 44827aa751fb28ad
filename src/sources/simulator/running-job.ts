import { type Demand, type Moment, modulo, noDemand } from './demand.ts';
import type { Life } from './lifetime.ts';
import { hash32 } from './random.ts';
import type { Job } from './scenario.ts';
import type { SimulatedGpu } from './simulated-gpu.ts';

/** Power and memory traffic of a kernel that only waits for its peers, as a share of those of real work. */
const WAITING_DENSITY = 0.05;

/** Pids of one job come from a range of this size; generations and ranks stay inside it. */
const PID_RANGE = 400_000;
const GENERATIONS = 64;
const PIDS_PER_GENERATION = 4_099;

/** A job of the scenario on its GPUs. */
export class RunningJob {
  readonly #job: Job;
  readonly #members: readonly SimulatedGpu[];
  readonly #stream: number;
  readonly #firstPid: number;
  readonly #life: Life = { alive: false, ageMs: 0, generation: 0 };
  readonly #demand: Demand = noDemand();

  /** `number` tells the jobs of a scenario apart, at most 9 of them. */
  constructor(job: Job, number: number, seed: number, gpus: readonly SimulatedGpu[]) {
    this.#job = job;
    this.#members = gpus.filter((gpu) => job.gpus(gpu.device.index, gpus.length));
    this.#stream = hash32(seed, -1 - number);
    this.#firstPid = 2_000 + number * PID_RANGE + (this.#stream % 100_000);
  }

  /** Adds what this job asks for in one step to the demand of each of its GPUs. */
  load(moment: Moment): void {
    this.#job.life(moment.timeMs, moment.incidentMs, this.#life);
    if (!this.#life.alive) return;
    moment.ageMs = this.#life.ageMs;
    moment.jobStream = this.#stream;
    const pace = this.#job.synchronised ? this.#slowestPace() : 1;
    for (const gpu of this.#members) {
      moment.gpuStream = gpu.stream;
      this.#job.load(moment, this.#demand);
      const working = Math.min(1, pace / gpu.physics.pace);
      gpu.add(this.#demand, working, working + (1 - working) * WAITING_DENSITY);
    }
  }

  /** Lists this job's process on every GPU it runs on. */
  listProcesses(): void {
    if (!this.#life.alive) return;
    for (const gpu of this.#members) {
      gpu.hold(this.#pidOn(gpu), this.#job, this.#job.memory(this.#life.ageMs, gpu.stream));
    }
  }

  #pidOn(gpu: SimulatedGpu): number {
    return (
      this.#firstPid +
      modulo(this.#life.generation + GENERATIONS / 2, GENERATIONS) * PIDS_PER_GENERATION +
      gpu.device.index
    );
  }

  #slowestPace(): number {
    let slowest = 1;
    for (const gpu of this.#members) {
      if (!gpu.lost) slowest = Math.min(slowest, gpu.physics.pace);
    }
    return slowest;
  }
}
