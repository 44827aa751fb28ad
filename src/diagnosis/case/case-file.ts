import type { Window } from '../window/window.ts';
import { examine, type GpuCase } from './gpu-case.ts';
import { findJobs, type Job } from './jobs.ts';
import { type Marks, readMarks } from './marks.ts';

/** What every detector reads: the window, and what has been worked out of it once. */
export interface CaseFile {
  readonly window: Window;
  /** Cards, by index; MIG instances are devices of their own and not among them. */
  readonly gpus: readonly GpuCase[];
  readonly jobs: readonly Job[];
  readonly marks: Marks;
}

/** Works out what the detectors need to know. */
export function openCase(window: Window): CaseFile {
  const steps = openCaseInSteps(window);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** {@link openCase}, a GPU at a time. */
export function* openCaseInSteps(window: Window): Generator<undefined, CaseFile> {
  const marks = readMarks(window);
  const gpus: GpuCase[] = [];
  for (const gpu of window.gpus) {
    if (gpu.device.mig !== undefined) continue;
    gpus.push(examine(window, gpu, marks));
    yield;
  }
  return { window, gpus, jobs: findJobs(gpus), marks };
}
