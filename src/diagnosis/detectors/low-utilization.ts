import type { MetricId } from '../../model/catalogue.ts';
import type { Evidence, Finding } from '../../model/finding.ts';
import type { CaseFile } from '../case/case-file.ts';
import { atWork, type GpuCase, powerShare, typicalAtWork } from '../case/gpu-case.ts';
import { isTorn } from '../case/workload.ts';
import { claim, type Detector, noClaim, observe } from '../detector.ts';
import { largest, median } from '../statistics/summary.ts';
import { gpuNames, percent, spanOf } from '../wording.ts';

const LOW = 0.5;
const VERY_LOW = 0.3;
const LEAST_SECONDS = 120;

/** Memory that is hardly touched while kernels run now and then. */
const UNTOUCHED = 0.03;

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
    if (torn.length > 0) return [noClaim(lowUtilization, file, 'not-evaluable', 'evidence.irregular', WOULD_TELL)];
    const served = working.find(
      ({ level, workload, work }) => workload === 'serve' && level!.mean < LOW && work.seconds >= LEAST_SECONDS,
    );
    return served === undefined ? [] : [noClaim(lowUtilization, file, 'ruled-out', 'evidence.serves')];
  },
};

function report(file: CaseFile, gpus: readonly GpuCase[]): Finding[] {
  const { window } = file;
  if (gpus.length === 0) return [];
  const level = median(gpus.map((gpu) => gpu.level!.mean));
  const seconds = Math.max(...gpus.map(({ work }) => work.seconds));
  const powers = gpus.flatMap((gpu) =>
    gpu.power === null ? [] : (powerShare(gpu, typicalAtWork(gpu, gpu.power)) ?? []),
  );
  const power = powers.length === 0 ? null : median(powers);
  const isKind = gpus.some(({ workload }) => workload === 'train' || workload === 'batch');
  const bouts = gpus.flatMap(({ work }) => work.bouts);
  const missing = WOULD_TELL.filter((id) => !gpus.some(({ gpu }) => gpu.has(id)) && !window.host.has(id));
  return [
    claim(lowUtilization, {
      state: isKind && power !== null && power < LOW + 0.1 ? 'likely' : 'possible',
      severity: level < VERY_LOW ? 'warning' : 'info',
      gpus: gpus.map(({ uuid }) => uuid),
      from: window.at[Math.min(...bouts.map(({ start }) => start))]!,
      to: window.at[Math.max(...bouts.map(({ end }) => end)) - 1]!,
      lostSeconds: gpus.reduce((sum, gpu) => sum + (1 - gpu.level!.mean) * gpu.work.seconds, 0),
      evidence: [
        observe(
          'evidence.low',
          { gpus: gpuNames(gpus.map(({ gpu }) => gpu.device)), mean: percent(level), span: spanOf(seconds) },
          'utilization_ratio',
          { mean: level, seconds },
        ),
        power === null ? null : observe('evidence.low-power-too', { power: percent(power) }, 'power_watts', { power }),
        untouched(gpus),
        observe('evidence.candidates', {}),
        room(gpus),
      ],
      missing,
    }),
  ];
}

function untouched(gpus: readonly GpuCase[]): Evidence | null {
  const shares = gpus.flatMap((gpu) => {
    const column = gpu.gpu.column('memory_utilization_ratio');
    return column === null ? [] : [typicalAtWork(gpu, column)];
  });
  if (shares.length === 0 || median(shares) > UNTOUCHED) return null;
  return observe('evidence.small-kernels', { share: percent(median(shares)) }, 'memory_utilization_ratio', {
    share: median(shares),
  });
}

function room(gpus: readonly GpuCase[]): Evidence | null {
  const shares = gpus.flatMap((gpu) => (gpu.memory === null ? [] : [largest(atWork(gpu, gpu.memory))]));
  const fullest = Math.max(...shares);
  if (shares.length === 0 || fullest > ROOM) return null;
  return observe('evidence.room', { share: percent(fullest) }, 'memory_used_bytes', { share: fullest });
}
