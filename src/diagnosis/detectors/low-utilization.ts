import type { MetricId } from '../../model/catalogue.ts';
import type { Evidence, Finding } from '../../model/finding.ts';
import type { CaseFile } from '../case/case-file.ts';
import { atWork, type GpuCase, powerShare, typicalAtWork } from '../case/gpu-case.ts';
import { IDLE_BELOW } from '../case/working.ts';
import { isTorn } from '../case/workload.ts';
import { claim, type Detector, noClaim, observe } from '../detector.ts';
import type { Stretch } from '../statistics/stretches.ts';
import { largest, type Mask, mean, meanUnder, type Values } from '../statistics/summary.ts';
import type { Window } from '../window/window.ts';
import { gpuNames, percent, spanOf } from '../wording.ts';

const LOW = 0.5;
const VERY_LOW = 0.3;
const LEAST_SECONDS = 120;

/** Memory that is hardly touched while kernels run now and then. */
const UNTOUCHED = 0.03;

/** Idle for up to so long with this share of its memory still taken, a program waits; for longer it is idle and held. */
const LONGEST_WAIT_SECONDS = 900;
const HELD = 0.5;

/** A larger batch fits if memory is not fuller than this. */
const ROOM = 0.7;

/** What would separate the candidates. */
const WOULD_TELL: readonly MetricId[] = [
  'host_cpu_ratio',
  'host_iowait_ratio',
  'sm_active_ratio',
  'memory_utilization_ratio',
];

/** Work that leaves much of the GPU unused, for a reason that no other rule has found. */
export const lowUtilization: Detector = {
  id: 'low-utilization',
  layer: 'performance',
  needs: ['utilization_ratio'],
  leastSeconds: LEAST_SECONDS,
  detect(file) {
    const working = file.gpus.filter(({ work }) => work.seconds > 0);
    if (working.length === 0)
      return [
        noClaim(
          lowUtilization,
          file,
          file.window.length < 10 ? 'not-evaluable' : 'ruled-out',
          file.window.length < 10 ? 'evidence.single-sample' : 'evidence.no-work',
        ),
      ];
    const seconds = Math.max(...working.map(({ work }) => work.seconds));
    if (seconds < LEAST_SECONDS)
      return [
        noClaim(lowUtilization, file, 'not-evaluable', observe('evidence.too-short', { seconds: Math.round(seconds) })),
      ];
    const low = working.filter(
      ({ work, level, workload }) => work.seconds >= LEAST_SECONDS && level!.mean < LOW && workload !== 'serve',
    );
    const torn = low.filter(({ rhythms }) => isTorn(rhythms));
    const found = file.jobs.flatMap(({ gpus }) =>
      report(
        file,
        gpus.filter((gpu) => low.includes(gpu) && !torn.includes(gpu)),
      ),
    );
    if (found.length > 0) return found;
    if (torn.length > 0) return [noClaim(lowUtilization, file, 'not-evaluable', irregular(file, torn), WOULD_TELL)];
    const served = working.find(
      ({ level, workload, work }) => workload === 'serve' && level!.mean < LOW && work.seconds >= LEAST_SECONDS,
    );
    return served === undefined ? [] : [noClaim(lowUtilization, file, 'ruled-out', 'evidence.serves')];
  },
};

/** How little they were busy, though not why: requests come like that, and so does data from a slow disk. */
function irregular(file: CaseFile, gpus: readonly GpuCase[]): Evidence {
  const spans = gpus.map((gpu) => spanOfWork(file, gpu));
  const level = mean(Float64Array.from(spans, (span) => span.mean));
  const seconds = Math.max(...spans.map((span) => span.seconds));
  const words = { gpus: gpuNames(gpus.map(({ gpu }) => gpu.device)), mean: percent(level), span: spanOf(seconds) };
  return observe('evidence.irregular-low', words, 'utilization_ratio', { mean: level, seconds });
}

/** The work of a GPU without the marked phases, with what it idled between while it held its memory. */
interface Span {
  readonly gpu: GpuCase;
  readonly mask: Mask;
  readonly seconds: number;
  readonly mean: number;
  readonly from: number;
  readonly to: number;
}

/**
 * The longest part of the work of a GPU, with the idle times in it: a program that waits for long keeps its memory, one
 * that has ended does not.
 */
function spanOfWork({ window }: CaseFile, gpu: GpuCase): Span {
  const { util, work, memory } = gpu;
  const held = HELD * typicalAtWork(gpu, memory);
  const parts: { start: number; end: number }[] = [];
  const mask = work.mask.slice();
  for (const { start, end } of work.bouts) {
    const last = parts.at(-1);
    if (last !== undefined && isWaiting(window, { start: last.end, end: start }, memory, held)) {
      mask.fill(1, last.end, start);
      last.end = end;
    } else parts.push({ start, end });
  }
  const lengths = parts.map((part) => window.secondsUnder(mask, part));
  const { start, end } = parts[lengths.indexOf(Math.max(...lengths))]!;
  mask.fill(0, 0, start);
  mask.fill(0, end);
  return {
    gpu,
    mask,
    seconds: Math.max(...lengths),
    mean: meanUnder(util!, mask),
    from: window.at[start]!,
    to: window.at[end - 1]!,
  };
}

function isWaiting(window: Window, gap: Stretch, memory: Values | null, held: number): boolean {
  if (memory === null || window.secondsOf(() => true, gap) > LONGEST_WAIT_SECONDS) return false;
  if (!window.pieces.some(({ start, end }) => start <= gap.start && gap.end <= end)) return false;
  for (let cell = gap.start; cell < gap.end; cell++) if (memory[cell]! < held) return false;
  return true;
}

function report(file: CaseFile, gpus: readonly GpuCase[]): Finding[] {
  const { window } = file;
  if (gpus.length === 0) return [];
  const spans = gpus.map((gpu) => spanOfWork(file, gpu));
  const level = mean(Float64Array.from(spans, (span) => span.mean));
  const seconds = Math.max(...spans.map((span) => span.seconds));
  const power = meanPowerShare(spans);
  const isKind = gpus.some(({ workload }) => workload === 'train' || workload === 'batch');
  const missing = WOULD_TELL.filter((id) => !gpus.some(({ gpu }) => gpu.has(id)) && !window.host.has(id));
  return [
    claim(lowUtilization, {
      state: isKind && power !== null && power < LOW + 0.1 ? 'likely' : 'possible',
      severity: level < VERY_LOW ? 'warning' : 'info',
      gpus: gpus.map(({ uuid }) => uuid),
      from: Math.min(...spans.map(({ from }) => from)),
      to: Math.max(...spans.map(({ to }) => to)),
      lostSeconds: spans.reduce((sum, span) => sum + (1 - span.mean) * span.seconds, 0),
      evidence: [
        observe(
          'evidence.low',
          { gpus: gpuNames(gpus.map(({ gpu }) => gpu.device)), mean: percent(level), span: spanOf(seconds) },
          'utilization_ratio',
          { mean: level, seconds },
        ),
        power === null ? null : observe('evidence.low-power-too', { power: percent(power) }, 'power_watts', { power }),
        untouched(spans),
        observe('evidence.candidates', {}),
        room(gpus),
      ],
      missing,
    }),
  ];
}

/** Means, as utilisation is one: of what goes on and off the median is that of either state. */
function meanPowerShare(spans: readonly Span[]): number | null {
  const shares = spans.flatMap(({ gpu, mask }) =>
    gpu.power === null ? [] : (powerShare(gpu, meanUnder(gpu.power, mask)) ?? []),
  );
  return shares.length === 0 ? null : mean(Float64Array.from(shares));
}

/** Memory that is hardly used even when kernels run. */
function untouched(spans: readonly Span[]): Evidence | null {
  const shares = spans.flatMap(({ gpu: { gpu, util }, mask }) => {
    const column = gpu.column('memory_utilization_ratio');
    if (column === null) return [];
    const running = mask.map((part, cell) => (part === 1 && util![cell]! >= IDLE_BELOW ? 1 : 0));
    const share = meanUnder(column, running);
    return Number.isNaN(share) ? [] : [share];
  });
  if (shares.length === 0) return null;
  const share = mean(Float64Array.from(shares));
  if (share > UNTOUCHED) return null;
  return observe('evidence.small-kernels', { share: percent(share) }, 'memory_utilization_ratio', { share });
}

function room(gpus: readonly GpuCase[]): Evidence | null {
  const shares = gpus.flatMap((gpu) => (gpu.memory === null ? [] : [largest(atWork(gpu, gpu.memory))]));
  const fullest = Math.max(...shares);
  if (shares.length === 0 || fullest > ROOM) return null;
  return observe('evidence.room', { share: percent(fullest) }, 'memory_used_bytes', { share: fullest });
}
