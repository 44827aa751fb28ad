import { correlation } from '../statistics/robust.ts';
import type { GpuCase } from './gpu-case.ts';

/** GPUs that work together. */
export interface Job {
  readonly gpus: readonly GpuCase[];
  /** True where processes say so; false where it is only assumed of all GPUs that hold memory or work. */
  readonly isKnown: boolean;
}

/** A GPU takes part if it holds more than this share of its memory. */
const TAKES_PART = 0.02;

/** Utilisation of GPUs that run in step goes up and down together. */
const IN_STEP = 0.3;

/**
 * Sorts GPUs into jobs: by user and name of the process that computes on them, or by one pid on several. Where no log
 * lists processes, all that work or hold memory are taken for one job.
 */
export function findJobs(gpus: readonly GpuCase[]): readonly Job[] {
  const cards = gpus.filter(({ gpu }) => gpu.device.mig === undefined);
  const isListed = cards.some(({ gpu }) => gpu.processes.some(({ kind }) => kind !== 'graphics'));
  if (!isListed) {
    const members = cards.filter(takesPart);
    return members.length === 0 ? [] : [{ gpus: members, isKnown: false }];
  }
  const jobs = new Map<string, GpuCase[]>();
  for (const member of cards) {
    const key = jobKey(member);
    if (key === null) continue;
    const known = jobs.get(key);
    if (known === undefined) jobs.set(key, [member]);
    else known.push(member);
  }
  return [...jobs.values()].map((members) => ({ gpus: members, isKnown: true }));
}

function takesPart({ work, memory, gpu }: GpuCase): boolean {
  if (work.seconds > 0) return true;
  const used = gpu.peak('memory_used_bytes');
  const size = gpu.peak('memory_total_bytes');
  return memory !== null && used !== null && size !== null && used / size > TAKES_PART;
}

/** The process that held most memory says whose GPU it was. */
function jobKey({ gpu }: GpuCase): string | null {
  const computing = gpu.processes.filter(({ kind }) => kind !== 'graphics');
  const [largest] = [...computing].sort((a, b) => b.peakBytes - a.peakBytes || b.samples - a.samples);
  if (largest === undefined) return null;
  return `${largest.owner ?? ''} ${largest.user ?? ''} ${largest.name ?? `pid ${largest.pid}`}`;
}

/** True where the GPUs of a job run in step, as ranks of one training do. */
export function isInStep({ gpus }: Job): boolean {
  const columns = gpus.flatMap(({ util }) => (util === null ? [] : [util]));
  const [first, ...others] = columns;
  if (first === undefined || others.length === 0) return false;
  const together = others.filter((column) => correlation(first, column) >= IN_STEP);
  return together.length >= others.length / 2;
}
