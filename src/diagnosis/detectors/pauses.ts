import type { Evidence } from '../../model/finding.ts';
import type { CaseFile } from '../case/case-file.ts';
import { type GpuCase, typicalAtWork } from '../case/gpu-case.ts';
import type { Job } from '../case/jobs.ts';
import { WAITS_BELOW } from '../case/rhythm-profile.ts';
import { observe } from '../detector.ts';
import { spreadOf } from '../statistics/robust.ts';
import { maskOf, type Stretch, stretches } from '../statistics/stretches.ts';
import { type Mask, meanUnder, median, medianUnder, type Values } from '../statistics/summary.ts';
import type { Window } from '../window/window.ts';
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

/** Pauses of so many samples are seen as they are; of shorter ones so many waits may come on each. */
const CLEAR_CELLS = 4;
const MOST_WAITS = 1.5;

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
  const waits = waitsIn(window, commonWait(working, gpus));
  const parts = waits.filter((wait) => isPause(window, wait));
  // A program that marks its epochs lives through them, whatever it gives back.
  const isMarked = marks.epochs.length > 0;
  if (!isMarked && gpus.some((gpu) => 2 * parts.filter((part) => endsProgram(gpu, part)).length >= parts.length))
    return null;
  if (parts.length < LEAST_PAUSES || isAliased(waits, parts)) return null;
  const distances = parts
    .slice(1)
    .map((part, index) => (window.at[part.start]! - window.at[parts[index]!.start]!) / 1000);
  const lengths = parts.map((part) => window.secondsOf(() => true, part));
  const [distance, lengthSeconds] = [median(distances), median(lengths)];
  const seconds = lengths.reduce((sum, length) => sum + length, 0);
  const worked = window.secondsUnder(working);
  // One long stop among short ones is none of them.
  const lost = Math.min(seconds, lengthSeconds * parts.length) / worked;
  const isRegular = isMarked || spreadOf(distances) <= REGULAR * distance;
  const isCostly = lost >= LOST_SHARE && lost <= MOST_LOST_SHARE;
  if (!isRegular || !isCostly || distance < LEAST_DISTANCE_SECONDS || !isBusyBetween(gpus, parts)) return null;
  const saves = marks.phases.filter(({ kind }) => kind === 'checkpoint').map(({ from }) => from);
  return {
    ...{ job, gpus, parts, seconds, lengthSeconds },
    distanceSeconds: distance,
    written: meanWithin(window.host.column('host_disk_write_bytes_per_second'), parts),
    sent: meanWithin(gpus[0]!.gpu.column('pcie_tx_bytes_per_second'), parts),
    savesByMark: marked(window, parts, saves),
    epochsByMark: marked(window, parts, marks.epochs),
  };
}

function waitsIn({ length }: Window, waiting: Mask): readonly Stretch[] {
  return stretches({ start: 0, end: length }, (cell) => waiting[cell] === 1);
}

/** Short ones among many that are shorter still are no pauses, but the beat of the work, sampled too seldom to be seen. */
function isAliased(waits: readonly Stretch[], pauses: readonly Stretch[]): boolean {
  const cells = median(pauses.map(({ start, end }) => end - start));
  return cells < CLEAR_CELLS && waits.length > MOST_WAITS * pauses.length;
}

function isPause(window: Window, wait: Stretch): boolean {
  const seconds = window.secondsOf(() => true, wait);
  return seconds >= SHORTEST_SECONDS && seconds <= LONGEST_SECONDS && wait.end - wait.start >= 2;
}

function isBusyBetween(gpus: readonly GpuCase[], parts: readonly Stretch[]): boolean {
  return gpus.every(({ util, work }) => {
    const between = work.mask.slice();
    for (const { start, end } of parts) between.fill(0, start, end);
    return medianUnder(util!, between) >= BUSY;
  });
}

function meanWithin(column: Values | null, parts: readonly Stretch[]): number | null {
  return column === null ? null : meanUnder(column, maskOf(column.length, parts));
}

/** How many of the pauses have a marker in or beside them. */
function marked({ at }: Window, parts: readonly Stretch[], times: readonly number[]): number {
  const margin = MARK_SECONDS * 1000;
  return parts.filter(({ start, end }) =>
    times.some((time) => time >= at[start]! - margin && time <= at[end - 1]! + margin),
  ).length;
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
