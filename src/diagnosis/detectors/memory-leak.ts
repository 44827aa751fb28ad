import type { Finding } from '../../model/finding.ts';
import type { CaseFile } from '../case/case-file.ts';
import type { GpuCase } from '../case/gpu-case.ts';
import { claim, type Detector, noClaim, observe } from '../detector.ts';
import { theilSen } from '../statistics/robust.ts';
import type { Stretch } from '../statistics/stretches.ts';
import { present, quantiles, type Values } from '../statistics/summary.ts';
import type { Window } from '../window/window.ts';
import { gpuName, percent, spanOf } from '../wording.ts';

/** A life of a process is cut into so many stretches, each of at least so long. */
const PARTS = 24;
const PART_SECONDS = 20;
const PART_CELLS = 4;
const LEAST_PARTS = 8;

/** Shorter growth may be a start that has not come to its end. */
const LEAST_SECONDS = 480;
const SURE_SECONDS = 1200;

/** Of the whole memory: what is a rise at all, and how much of a step counts. */
const RISE = 0.05;
const STEP = 0.002;
const FALL = 0.01;

/** So many stretches must lie above the one before. */
const UP_SHARE = 0.4;
const SURE_UP_SHARE = 0.6;

/** The last third must bring this share of the rise: an allocator that has had its fill stays level. */
const LATE_SHARE = 0.15;

/** Memory that falls by so much at once was given back by a process that ended. */
const DROP = 0.25;

interface Rise {
  readonly low: number;
  readonly high: number;
  readonly up: number;
  readonly parts: number;
  /** Share of the memory per second. */
  readonly slope: number;
  readonly life: Stretch;
}

/** Memory whose lowest use keeps rising. */
export const memoryLeak: Detector = {
  id: 'memory-leak',
  layer: 'performance',
  needs: ['memory_used_bytes'],
  detect(file) {
    const { window, gpus } = file;
    if ((window.to - window.from) / 1000 < LEAST_SECONDS)
      return [noClaim(memoryLeak, file, 'not-evaluable', 'evidence.too-short-for-leak')];
    const candidates = gpus.filter(({ workload, memory }) => memory !== null && workload !== 'serve');
    if (candidates.length === 0)
      return [
        noClaim(
          memoryLeak,
          file,
          'not-evaluable',
          gpus.some(({ workload }) => workload === 'serve') ? 'evidence.serves' : 'evidence.missing',
          gpus.some(({ memory }) => memory !== null) ? [] : ['memory_total_bytes'],
        ),
      ];
    return candidates.flatMap((gpu) => look(file, gpu));
  },
};

function look({ window }: CaseFile, gpu: GpuCase): Finding[] {
  const memory = gpu.memory!;
  const lives = window.pieces.flatMap((piece) => livesIn(memory, piece));
  const rises = lives.flatMap((life) => riseOf(window, memory, life) ?? []);
  const [worst] = [...rises].sort((a, b) => b.high - b.low - (a.high - a.low));
  if (worst === undefined) return [];
  const { low, high, up, parts, slope, life } = worst;
  const seconds = (window.at[life.end - 1]! - window.at[life.start]!) / 1000;
  const isSure = up >= SURE_UP_SHARE && seconds >= SURE_SECONDS && (gpu.workload !== 'unknown' || gpu.util === null);
  const ended = rises.filter((rise) => rise.high > 0.9 && rise.life.end < window.length).length;
  const eta = (1 - high) / slope;
  return [
    claim(memoryLeak, {
      state: isSure ? 'likely' : 'possible',
      severity: 'warning',
      gpus: [gpu.uuid],
      from: Math.min(...rises.map((rise) => window.at[rise.life.start]!)),
      to: Math.max(...rises.map((rise) => window.at[rise.life.end - 1]!)),
      evidence: [
        observe(
          'evidence.leak',
          { gpu: gpuName(gpu.gpu.device), low: percent(low), high: percent(high), span: spanOf(seconds) },
          'memory_used_bytes',
          { low, high, seconds },
        ),
        observe('evidence.leak-steps', { share: percent(up), count: parts }, 'memory_used_bytes', { up, parts }),
        ended > 0
          ? observe('evidence.leak-full', { share: percent(high), count: ended }, 'memory_used_bytes', { ended })
          : observe('evidence.leak-eta', { span: spanOf(eta) }, 'memory_used_bytes', { seconds: eta, slope }),
      ],
    }),
  ];
}

/** Cuts where a process ended and gave its memory back. */
function livesIn(memory: Values, { start, end }: Stretch): Stretch[] {
  const lives: Stretch[] = [];
  let begin = start;
  let last = Number.NaN;
  for (let cell = start; cell < end; cell++) {
    const value = memory[cell]!;
    if (Number.isNaN(value)) continue;
    if (last - value > DROP) {
      lives.push({ start: begin, end: cell });
      begin = cell;
    }
    last = value;
  }
  return [...lives, { start: begin, end }];
}

function riseOf(window: Window, memory: Values, whole: Stretch): Rise | null {
  const life = withoutLoading(memory, whole);
  const cells = life.end - life.start;
  const size = Math.max(window.cells(PART_SECONDS), PART_CELLS, Math.floor(cells / PARTS));
  const floors: number[] = [];
  for (let start = life.start; start + size <= life.end; start += size) {
    const values = present(memory, null, start, start + size);
    if (values.length > 0) floors.push(quantiles(values, [0.05])[0]!);
  }
  if (floors.length < LEAST_PARTS || cells * window.stepMs < LEAST_SECONDS * 1000) return null;
  const [low, high] = [floors[0]!, floors.at(-1)!];
  const steps = floors.slice(1).map((floor, index) => floor - floors[index]!);
  const up = steps.filter((step) => step > STEP).length / steps.length;
  const late = high - floors[Math.floor((floors.length * 2) / 3)]!;
  const isLeak =
    high - low >= RISE && up >= UP_SHARE && !steps.some((step) => step < -FALL) && late >= LATE_SHARE * (high - low);
  if (!isLeak) return null;
  const times = floors.map((_, index) => (index * size * window.stepMs) / 1000);
  return { low, high, up, parts: floors.length, slope: theilSen(times, floors), life };
}

/** A program loads its model at first: one steep rise in the first tenth. */
function withoutLoading(memory: Values, { start, end }: Stretch): Stretch {
  const tenth = start + Math.floor((end - start) / 10);
  let begin = start;
  for (let cell = start + 1; cell < tenth; cell++) if (memory[cell]! - memory[cell - 1]! > STEP) begin = cell;
  return { start: begin, end };
}
