import type { MetricId } from '../../model/catalogue.ts';
import type { Evidence, Finding } from '../../model/finding.ts';
import type { CaseFile } from '../case/case-file.ts';
import { type GpuCase, powerShare, typicalAtWork } from '../case/gpu-case.ts';
import { claim, type Detector, noClaim, observe } from '../detector.ts';
import { gpuName, percent } from '../wording.ts';

const BUSY = 0.8;
const DRAM = 0.6;
const CONTROLLER = 0.8;
const TENSOR = 0.3;

/** Below this share of its power the multiprocessors are not full; above it heavy arithmetic may be what keeps it busy. */
const POWER_TO_SPARE = 0.9;

/** A clock below this share of the highest is held down by something else. */
const CLOCK_UP = 0.8;

const LEAST_SECONDS = 120;

/** Kernels that wait for memory: common, so information rather than a fault. */
export const bandwidthBound: Detector = {
  id: 'bandwidth-bound',
  layer: 'performance',
  needs: ['utilization_ratio'],
  leastSeconds: LEAST_SECONDS,
  detect(file) {
    const canTell = file.gpus.some(({ gpu }) => gpu.has('dram_active_ratio') || gpu.has('memory_utilization_ratio'));
    if (!canTell)
      return [
        noClaim(bandwidthBound, file, 'not-evaluable', 'evidence.missing', [
          'dram_active_ratio',
          'memory_utilization_ratio',
        ]),
      ];
    return file.gpus.flatMap((gpu) => look(file, gpu));
  },
};

function look({ window }: CaseFile, gpu: GpuCase): Finding[] {
  const { level, work } = gpu;
  if (level === null || level.p50 < BUSY || work.seconds < LEAST_SECONDS) return [];
  const typical = (id: MetricId): number => typicalAtWork(gpu, gpu.gpu.column(id));
  const [dram, controller, tensor] = [
    typical('dram_active_ratio'),
    typical('memory_utilization_ratio'),
    typical('tensor_active_ratio'),
  ];
  const [isDram, isController] = [dram >= DRAM, controller >= CONTROLLER && !(dram < DRAM)];
  if ((!isDram && !isController) || tensor >= TENSOR) return [];
  const spare = isDram ? null : powerToSpare(gpu);
  const base = { gpus: gpuName(gpu.gpu.device), util: percent(level.p50) };
  return [
    claim(bandwidthBound, {
      state: isDram && isController ? 'confirmed' : isDram || spare !== null ? 'likely' : 'possible',
      severity: 'info',
      gpus: [gpu.uuid],
      from: window.at[work.bouts[0]!.start]!,
      to: window.at[work.bouts.at(-1)!.end - 1]!,
      evidence: [
        isDram
          ? observe('evidence.dram', { ...base, share: percent(dram) }, 'dram_active_ratio', {
              share: dram,
              util: level.p50,
            })
          : null,
        isController
          ? observe('evidence.memory-controller', { ...base, share: percent(controller) }, 'memory_utilization_ratio', {
              share: controller,
              util: level.p50,
            })
          : null,
        spare,
        Number.isNaN(tensor)
          ? null
          : observe('evidence.tensor', { share: percent(tensor) }, 'tensor_active_ratio', { share: tensor }),
      ],
      missing: Number.isNaN(dram) ? ['dram_active_ratio', 'tensor_active_ratio'] : [],
    }),
  ];
}

/** Full speed, and power to spare: the multiprocessors wait. Null where that is not so, or not known. */
function powerToSpare(gpu: GpuCase): Evidence | null {
  const { power, clock } = gpu;
  const share = power === null ? null : powerShare(gpu, typicalAtWork(gpu, power));
  const most = gpu.gpu.peak('sm_clock_max_hertz') ?? gpu.gpu.peak('graphics_clock_max_hertz');
  const isUp = clock !== null && most !== null && typicalAtWork(gpu, clock) >= CLOCK_UP * most;
  if (share === null || share > POWER_TO_SPARE || !isUp) return null;
  return observe('evidence.power-to-spare', { power: percent(share) }, 'power_watts', { power: share });
}
