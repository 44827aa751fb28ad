import type { Evidence } from '../../model/finding.ts';
import type { CaseFile } from '../case/case-file.ts';
import { type GpuCase, typicalAtWork } from '../case/gpu-case.ts';
import type { Job } from '../case/jobs.ts';
import { WAITS_BELOW } from '../case/rhythm-profile.ts';
import { observe } from '../detector.ts';
import { spreadOf } from '../statistics/robust.ts';
import { type Stretch, stretches } from '../statistics/stretches.ts';
import { type Mask, mean, median, present, type Values } from '../statistics/summary.ts';
import { gpuNames, spanOf } from '../wording.ts';

/** A pause is longer than a hiccup and shorter than the end of the work. */
const SHORTEST_SECONDS = 2;
const LONGEST_SECONDS = 300;
const LEAST_PAUSES = 3;

/** More often than this is the beat of steps. */
const LEAST_DISTANCE_SECONDS = 60;

/** Distances of pauses that vary by more than this share come at no fixed point of the program. */
const REGULAR = 0.35;

/** Below this share of the work pauses are what saving and evaluating cost. */
const LOST_SHARE = 0.05;

/** Above this one waits in general, not between two parts of the work. */
const MOST_LOST_SHARE = 0.4;

/** Between the pauses the GPUs are busy. */
const BUSY = 0.5;

/** Writing this much, to disk or from the GPU to the host, is a checkpoint. */
const DISK_WRITE = 100e6;
const SENT_BACK = 1e9;

/** A marker this close to a pause belongs to it. */
const MARK_SECONDS = 10;

/** Memory that falls below this share of what the work takes was given back by a program that ended. */
const RELEASED = 0.2;

/** Regular pauses that all GPUs of a job take together. */
export interface Pauses {
  readonly job: Job;
  readonly gpus: readonly GpuCase[];
  readonly parts: readonly Stretch[];
  readonly seconds: number;
  readonly lengthSeconds: number;
  readonly distanceSeconds: number;
  /** Bytes per second written to disk and sent to the host during them; null where nobody counts. */
  readonly written: number | null;
  readonly sent: number | null;
  readonly savesByMark: number;
  readonly epochsByMark: number;
}

const known = new WeakMap<CaseFile, readonly Pauses[]>();

/** The costly regular pauses of each job; two rules ask for them. */
export function findPauses(file: CaseFile): readonly Pauses[] {
  const pauses = known.get(file) ?? file.jobs.flatMap((job) => pausesOf(file, job) ?? []);
  known.set(file, pauses);
  return pauses;
}

/** How many independent signs say that something is being saved: markers, writing to disk, copies to the host. */
export function savingSigns({ written, sent, savesByMark }: Pauses): number {
  return (savesByMark > 0 ? 1 : 0) + ((written ?? 0) >= DISK_WRITE ? 1 : 0) + ((sent ?? 0) >= SENT_BACK ? 1 : 0);
}

function pausesOf(file: CaseFile, job: Job): Pauses | null {
  const { window, marks } = file;
  const gpus = job.gpus.filter(({ work, util, workload }) => util !== null && work.seconds > 0 && workload !== 'serve');
  if (gpus.length === 0) return null;
  const working = commonWork(window.length, gpus);
  const waiting = commonWait(working, gpus);
  const parts = stretches(window.length, (cell) => waiting[cell] === 1).filter((part) => {
    const seconds = window.secondsOf(() => true, part);
    return seconds >= SHORTEST_SECONDS && seconds <= LONGEST_SECONDS && part.end - part.start >= 2;
  });
  // A program that marks its epochs lives through them, whatever it gives back.
  const isMarked = marks.epochs.length > 0;
  if (!isMarked && gpus.some((gpu) => 2 * parts.filter((part) => endsProgram(gpu, part)).length >= parts.length))
    return null;
  if (parts.length < LEAST_PAUSES) return null;
  const distances = parts
    .slice(1)
    .map((part, index) => (window.at[part.start]! - window.at[parts[index]!.start]!) / 1000);
  const distance = median(distances);
  const seconds = parts.reduce((sum, part) => sum + window.secondsOf(() => true, part), 0);
  const worked = window.secondsOf((cell) => working[cell] === 1);
  const lengthSeconds = median(parts.map((part) => window.secondsOf(() => true, part)));
  // One long stop among short ones is none of them.
  const typicalSeconds = Math.min(seconds, lengthSeconds * parts.length);
  const within = new Uint8Array(window.length);
  for (const { start, end } of parts) within.fill(1, start, end);
  const busy = gpus.map(({ util, work }) => {
    const between = work.mask.slice();
    for (const { start, end } of parts) between.fill(0, start, end);
    return median(present(util!, between));
  });
  const isRegular = spreadOf(distances) <= REGULAR * distance || marks.epochs.length > 0;
  if (
    !isRegular ||
    distance < LEAST_DISTANCE_SECONDS ||
    typicalSeconds < LOST_SHARE * worked ||
    typicalSeconds > MOST_LOST_SHARE * worked ||
    Math.min(...busy) < BUSY
  )
    return null;
  const meanIn = (column: Values | null): number | null => (column === null ? null : mean(present(column, within)));
  const near = (times: readonly number[]): number =>
    parts.filter((part) =>
      times.some(
        (at) =>
          at >= window.at[part.start]! - MARK_SECONDS * 1000 && at <= window.at[part.end - 1]! + MARK_SECONDS * 1000,
      ),
    ).length;
  return {
    job,
    gpus,
    parts,
    seconds,
    lengthSeconds,
    distanceSeconds: distance,
    written: meanIn(window.host.column('host_disk_write_bytes_per_second')),
    sent: meanIn(gpus[0]!.gpu.column('pcie_tx_bytes_per_second')),
    savesByMark: near(marks.phases.filter(({ kind }) => kind === 'checkpoint').map(({ from }) => from)),
    epochsByMark: near(marks.epochs),
  };
}

/** Whether a program ends within a stretch: it holds its memory, and is listed, as long as it lives. */
function endsProgram(gpu: GpuCase, { start, end }: Stretch): boolean {
  const { memory, gpu: series } = gpu;
  const { computing, processes } = series;
  const isListed = processes.some(({ kind }) => kind !== 'graphics');
  const held = RELEASED * typicalAtWork(gpu, memory);
  for (let cell = start; cell < end; cell++) {
    if (memory !== null && memory[cell]! < held) return true;
    if (isListed && computing?.[cell] === 0) return true;
  }
  return false;
}

/** Cells in which all of the GPUs work. */
function commonWork(length: number, gpus: readonly GpuCase[]): Mask {
  const mask = new Uint8Array(length).fill(1);
  for (const { work } of gpus) for (let cell = 0; cell < length; cell++) mask[cell]! &= work.mask[cell]!;
  return mask;
}

/** Cells of common work in which all of them wait. */
function commonWait(working: Mask, gpus: readonly GpuCase[]): Mask {
  const mask = working.slice();
  for (const { util } of gpus) {
    for (let cell = 0; cell < mask.length; cell++) if (!(util![cell]! < WAITS_BELOW)) mask[cell] = 0;
  }
  return mask;
}

/** How often, how long and how far apart. */
export function pauseEvidence({ gpus, parts, seconds, lengthSeconds, distanceSeconds }: Pauses): Evidence {
  const words = {
    gpus: gpuNames(gpus.map(({ gpu }) => gpu.device)),
    count: parts.length,
    length: spanOf(lengthSeconds),
    period: spanOf(distanceSeconds),
  };
  return observe('evidence.gaps', words, 'utilization_ratio', {
    count: parts.length,
    lengthSeconds,
    distanceSeconds,
    seconds,
  });
}
