import type { Finding } from '../../model/finding.ts';
import type { CaseFile } from '../case/case-file.ts';
import type { GpuCase } from '../case/gpu-case.ts';
import { claim, type Detector, noClaim, observe } from '../detector.ts';
import { meanUnder } from '../statistics/summary.ts';
import { gpuName, percent } from '../wording.ts';

/** Less than this over the whole recording is no use of the GPU at all. */
const UNUSED = 0.01;
const LEAST_SAMPLES = 30;
const FULL_CORE_SHARE = 0.7;

/** A process that holds the GPU while it computes on the CPU. */
export const notOnGpu: Detector = {
  id: 'not-on-gpu',
  layer: 'performance',
  needs: ['utilization_ratio'],
  detect(file) {
    const idle = file.gpus.filter(
      ({ util, gpu }) => util !== null && gpu.samples >= LEAST_SAMPLES && meanUnder(util) < UNUSED,
    );
    const held = idle.filter(({ gpu }) => gpu.processes.some(({ kind }) => kind !== 'graphics'));
    if (held.some(({ gpu }) => gpu.processes.every(({ cpuSamples }) => cpuSamples === 0))) {
      return [noClaim(notOnGpu, file, 'not-evaluable', 'evidence.cpu-unknown-here')];
    }
    return held.flatMap((gpu) => look(file, gpu));
  },
};

function look({ window }: CaseFile, { gpu, uuid, util }: GpuCase): Finding[] {
  const busy = gpu.processes.find(
    ({ cpuSamples, fullCore }) => cpuSamples >= LEAST_SAMPLES && fullCore >= FULL_CORE_SHARE * cpuSamples,
  );
  if (busy === undefined) return [];
  const share = busy.fullCore / busy.cpuSamples;
  const level = meanUnder(util!);
  return [
    claim(notOnGpu, {
      state: 'likely',
      severity: 'warning',
      gpus: [uuid],
      from: window.at[busy.first]!,
      to: window.at[Math.min(busy.last, window.length - 1)]!,
      lostSeconds: window.secondsOf(() => true, { start: busy.first, end: busy.last + 1 }),
      evidence: [
        observe(
          'evidence.cpu-only',
          { gpu: gpuName(gpu.device), pid: busy.pid, share: percent(share), util: percent(level) },
          'utilization_ratio',
          { pid: busy.pid, share, util: level },
        ),
      ],
    }),
  ];
}
