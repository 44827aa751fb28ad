import type { Finding } from '../../model/finding.ts';
import type { CaseFile } from '../case/case-file.ts';
import type { GpuCase } from '../case/gpu-case.ts';
import { isInStep, type Job } from '../case/jobs.ts';
import { claim, type Detector, noClaim, observe } from '../detector.ts';
import { mean, meanUnder, median } from '../statistics/summary.ts';
import { figure, gpuName, percent } from '../wording.ts';
import { togetherness } from './togetherness.ts';

/** 0 is even, 1 − 1/K is one GPU of K at work. */
const UNEVEN = 0.3;
const VERY_UNEVEN = 0.6;

/** Imbalance is taken by the minute. */
const WINDOW_SECONDS = 60;
const LEAST_MINUTES = 3;

/** A GPU below this takes no part: it is held, or belongs to nobody. */
const TAKES_PART = 0.01;
const FULL = 0.6;

/** One GPU of a job does most of its work. */
export const imbalance: Detector = {
  id: 'imbalance',
  layer: 'performance',
  needs: ['utilization_ratio'],
  leastSeconds: LEAST_MINUTES * WINDOW_SECONDS,
  detect(file) {
    if (file.gpus.length < 2) return [noClaim(imbalance, file, 'not-evaluable', 'evidence.one-gpu')];
    return file.jobs.filter(({ gpus }) => gpus.length >= 2).flatMap((job) => look(file, job));
  },
};

function look({ window }: CaseFile, job: Job): Finding[] {
  const members = job.gpus.filter(({ util, workload }) => util !== null && workload !== 'serve');
  const working = members.filter(({ work }) => work.seconds > 0);
  if (members.length < 2 || working.length === 0) return [];
  const start = Math.min(...working.map(({ work }) => work.bouts[0]!.start));
  const end = Math.max(...working.map(({ work }) => work.bouts.at(-1)!.end));
  const levels = members.map(({ util }) => meanUnder(util!, null, start, end));
  const taking = members.filter((_, index) => levels[index]! >= TAKES_PART);
  const minutes = coefficients(window.cells(WINDOW_SECONDS), start, end, taking);
  const value = minutes.length < LEAST_MINUTES ? 0 : median(minutes);
  const highest = Math.max(...levels);
  // The wait for one that hangs or lags is not a matter of how work was dealt out.
  if (taking.length < 2 || value < UNEVEN || highest < FULL || isInStep(job)) return [];
  const together = job.isKnown ? null : togetherness(window, taking);
  const leader = members[levels.indexOf(highest)]!;
  const sum = levels.reduce((total, level) => total + level, 0);
  const seconds = window.secondsOf(() => true, { start, end });
  const lost = levels
    .filter((level) => level >= TAKES_PART)
    .reduce((total, level) => total + (highest - level) * seconds, 0);
  return [
    claim(imbalance, {
      state: job.isKnown || together !== null ? 'likely' : 'possible',
      severity: value >= VERY_UNEVEN ? 'warning' : 'info',
      gpus: taking.map(({ uuid }) => uuid),
      from: window.at[start]!,
      to: window.at[end - 1]!,
      lostSeconds: lost,
      evidence: [
        observe(
          'evidence.uneven',
          { gpu: gpuName(leader.gpu.device), share: percent(highest / sum), levels: levels.map(percent).join(', ') },
          'utilization_ratio',
          Object.fromEntries(levels.map((level, index) => [`gpu${members[index]!.gpu.device.index}`, level])),
        ),
        observe('evidence.uneven-coefficient', { value: figure(value) }, 'utilization_ratio', { coefficient: value }),
        job.isKnown ? null : (together ?? observe('evidence.job-assumed', {})),
      ],
    }),
  ];
}

/** 1 − mean/max of the GPUs' utilisation in every minute in which one of them works. */
function coefficients(size: number, start: number, end: number, gpus: readonly GpuCase[]): number[] {
  const found: number[] = [];
  const step = Math.max(1, size);
  for (let cell = start; cell + step <= end; cell += step) {
    const levels = gpus
      .map(({ util }) => meanUnder(util!, null, cell, cell + step))
      .filter((level) => !Number.isNaN(level));
    const highest = Math.max(...levels);
    if (levels.length >= 2 && highest > 0.1) found.push(1 - mean(Float64Array.from(levels)) / highest);
  }
  return found;
}
