import { absent } from '../../model/reading.ts';
import { ReadingSet } from '../../model/reading-set.ts';
import type { DeviceSample } from '../../model/tick.ts';
import type { Moment } from './demand.ts';
import { H100_SXM } from './device-model.ts';
import { STEP_MS } from './gpu-physics.ts';
import { fixedReadings, readingsOf } from './gpu-readings.ts';
import { RunningJob } from './running-job.ts';
import type { SimulationSpec } from './scenario.ts';
import { SimulatedGpu } from './simulated-gpu.ts';

/** Before the first sample, so that temperatures and throttling have settled. */
const WARM_UP_STEPS = (10 * 60_000) / STEP_MS;

/** Longest gap between two samples that is simulated in full. */
const MAX_CATCH_UP_STEPS = 3_600_000 / STEP_MS;

/**
 * The machine of a scenario, on a fixed grid of half-second steps counted from the first sample. A time belongs to the step
 * that ends at it or contains it, and only the energy changes within a step. So what is seen at a time does not depend on
 * when the simulation was looked at before. Beyond a gap of an hour the part before its last hour is skipped: power and
 * temperatures stand still in it, and corrected memory errors are not counted.
 */
export class Simulation {
  readonly gpus: readonly SimulatedGpu[];
  readonly #jobs: readonly RunningJob[];
  readonly #fixed = fixedReadings(H100_SXM);
  readonly #moment: Moment;
  #step = -WARM_UP_STEPS - 1;
  #timeMs = 0;

  constructor({ scenario, gpus, seed, incidentMs }: SimulationSpec) {
    this.gpus = Array.from({ length: gpus }, (_, index) => {
      const fault = scenario.faults?.find((candidate) => candidate.gpus(index, gpus));
      return new SimulatedGpu(H100_SXM, seed, index, fault);
    });
    this.#jobs = scenario.jobs.map((job, number) => new RunningJob(job, number, seed, this.gpus));
    this.#moment = { timeMs: 0, step: 0, ageMs: 0, incidentMs, jobStream: 0, gpuStream: 0 };
  }

  /** Moves on to `timeMs` after the first sample; a time in the past changes nothing. */
  advance(timeMs: number): void {
    this.#timeMs = Math.max(this.#timeMs, timeMs);
    const last = Math.ceil(this.#timeMs / STEP_MS) - 1;
    const skipped = last - this.#step - MAX_CATCH_UP_STEPS;
    if (skipped > 0) {
      for (const gpu of this.gpus) gpu.physics.skip(skipped * STEP_MS);
      this.#step += skipped;
    }
    while (this.#step < last) this.#run(this.#step + 1);
  }

  /** Time of the simulation in ms: it never runs backwards. */
  get timeMs(): number {
    return this.#timeMs;
  }

  /** The state of every GPU now. */
  samples(): readonly DeviceSample[] {
    for (const job of this.#jobs) job.listProcesses();
    const missingMs = (this.#step + 1) * STEP_MS - this.#timeMs;
    return this.gpus.map((gpu) => {
      const processes = gpu.processes();
      if (gpu.lost) {
        const readings = ReadingSet.allAbsent('gpu-lost');
        return { device: gpu.device, state: 'lost', readings, processes: absent('gpu-lost') };
      }
      const readings = readingsOf(gpu, this.#fixed, processes, missingMs);
      return { device: gpu.device, state: 'ok', readings, processes };
    });
  }

  #run(step: number): void {
    this.#step = step;
    this.#moment.step = step;
    this.#moment.timeMs = step * STEP_MS;
    for (const gpu of this.gpus) gpu.beginStep(step);
    for (const job of this.#jobs) job.load(this.#moment);
    for (const gpu of this.gpus) gpu.endStep(step, this.#moment.incidentMs);
  }
}
