import type { MetricId } from '../../model/catalogue.ts';
import type { Evidence, Finding } from '../../model/finding.ts';
import type { CaseFile } from '../case/case-file.ts';
import { atWork, type GpuCase, powerShare, typicalAtWork } from '../case/gpu-case.ts';
import { claim, type Detector, noClaim, observe } from '../detector.ts';
import { quantiles } from '../statistics/summary.ts';
import { gpuName, percent } from '../wording.ts';

const BUSY = 0.8;
const SM_LOW = 0.4;
const OCCUPANCY_LOW = 0.2;
const TENSOR_LOW = 0.1;
const DRAM_LOW = 0.3;
const POWER_LOW = 0.35;
const MEMORY_LOW = 0.3;
/** Kernels that never end are always there: one that spins, or any under a clock that is held down. */
const PINNED = 0.985;

/** Memory that is touched so much shows that kernels do more than spin. */
const TOUCHED = 0.03;

/** A clock below this share of the highest is held down by something else. */
const CLOCK_UP = 0.7;

/** Where nobody tells how busy the memory is: what it waits for would draw more than this. */
const POWER_VERY_LOW = 0.3;

/** Small kernels are small all along: work that drew more for a good part of its time was stopped by something else. */
const MOST_OF_THE_WORK = 0.9;

const LEAST_SECONDS = 120;
const FULL_CORE_SHARE = 0.7;

/** High utilisation with little behind it: many small kernels, launched one by one. */
export const launchBound: Detector = {
  id: 'launch-bound',
  layer: 'performance',
  needs: ['utilization_ratio'],
  leastSeconds: LEAST_SECONDS,
  detect(file) {
    const canTell = file.gpus.some(
      ({ gpu, power, limitWatts }) =>
        gpu.has('sm_active_ratio') || gpu.has('sm_occupancy_ratio') || (power !== null && limitWatts !== null),
    );
    if (!canTell) return [noClaim(launchBound, file, 'not-evaluable', 'evidence.missing', ['sm_active_ratio'])];
    return file.gpus.flatMap((gpu) => look(file, gpu));
  },
};

function look(file: CaseFile, gpu: GpuCase): Finding[] {
  const { level, work, workload } = gpu;
  if (level === null || level.p50 < BUSY || work.seconds < LEAST_SECONDS || workload === 'serve') return [];
  return byActivity(file, gpu) ?? byPower(file, gpu);
}

function typical(gpu: GpuCase, id: MetricId): number {
  return typicalAtWork(gpu, gpu.gpu.column(id));
}

/** Null where no counter tells. */
function byActivity({ window }: CaseFile, gpu: GpuCase): Finding[] | null {
  const active = typical(gpu, 'sm_active_ratio');
  const [occupancy, tensor, dram] = [
    typical(gpu, 'sm_occupancy_ratio'),
    typical(gpu, 'tensor_active_ratio'),
    typical(gpu, 'dram_active_ratio'),
  ];
  if (Number.isNaN(active) && Number.isNaN(occupancy)) return null;
  const isSparse = active < SM_LOW && !(dram >= 0.6);
  const isThin = occupancy < OCCUPANCY_LOW && tensor < TENSOR_LOW && dram < DRAM_LOW;
  if (!isSparse && !isThin) return [];
  const util = gpu.level!.p50;
  const name = gpuName(gpu.gpu.device);
  const core = gpu.gpu.processes.find(
    ({ cpuSamples, fullCore }) => cpuSamples >= 10 && fullCore >= FULL_CORE_SHARE * cpuSamples,
  );
  const watts = gpu.power === null ? null : powerShare(gpu, typicalAtWork(gpu, gpu.power));
  const isConfirmed = core !== undefined || (isSparse && watts !== null && watts <= POWER_LOW);
  return [
    claim(launchBound, {
      state: isConfirmed ? 'confirmed' : 'likely',
      severity: 'warning',
      gpus: [gpu.uuid],
      from: window.at[gpu.work.bouts[0]!.start]!,
      to: window.at[gpu.work.bouts.at(-1)!.end - 1]!,
      lostSeconds: isSparse ? (1 - active) * gpu.work.seconds : 0,
      evidence: [
        isSparse
          ? observe(
              'evidence.sm-idle',
              { gpus: name, util: percent(util), active: percent(active) },
              'sm_active_ratio',
              { util, active },
            )
          : observe(
              'evidence.low-occupancy',
              { occupancy: percent(occupancy), tensor: percent(tensor), dram: percent(dram) },
              'sm_occupancy_ratio',
              { occupancy, tensor, dram },
            ),
        watts !== null && watts <= POWER_LOW
          ? observe('evidence.low-power', { gpus: name, util: percent(util), power: percent(watts) }, 'power_watts', {
              power: watts,
            })
          : null,
        core === undefined
          ? null
          : observe('evidence.one-core', { pid: core.pid, share: percent(core.fullCore / core.cpuSamples) }, null, {
              pid: core.pid,
            }),
      ],
    }),
  ];
}

/** Power tells less: memory-bound kernels, waiting for peers and a clock that is held down draw little too, unless excluded. */
function byPower({ window }: CaseFile, gpu: GpuCase): Finding[] {
  const { power, level, work } = gpu;
  const share = power === null ? null : powerShare(gpu, typicalAtWork(gpu, power));
  const memory = typical(gpu, 'memory_utilization_ratio');
  if (share === null || share > POWER_LOW || memory > MEMORY_LOW) return [];
  const excluded = othersExcluded(gpu, share, memory);
  return [
    claim(launchBound, {
      state: excluded === null ? 'possible' : 'likely',
      severity: 'info',
      gpus: [gpu.uuid],
      from: window.at[work.bouts[0]!.start]!,
      to: window.at[work.bouts.at(-1)!.end - 1]!,
      evidence: [
        observe(
          'evidence.low-power',
          { gpus: gpuName(gpu.gpu.device), util: percent(level!.p50), power: percent(share) },
          'power_watts',
          { util: level!.p50, power: share },
        ),
        excluded,
      ],
      missing: ['sm_active_ratio'],
    }),
  ];
}

/**
 * What else draws little at high utilisation: kernels that wait for memory, those that spin while they wait for peers, and
 * any under a clock that is held down. The last two fill all of the time, and may have begun in the middle of the work.
 * Null where one of them may be.
 */
function othersExcluded(gpu: GpuCase, share: number, memory: number): Evidence | null {
  const { level, clock } = gpu;
  const most = gpu.gpu.peak('sm_clock_max_hertz') ?? gpu.gpu.peak('graphics_clock_max_hertz');
  const pace = clock === null || most === null ? Number.NaN : typicalAtWork(gpu, clock) / most;
  const [highest = Number.NaN] = quantiles(atWork(gpu, gpu.power!), [MOST_OF_THE_WORK]);
  if (pace < CLOCK_UP || (Number.isNaN(memory) && share > POWER_VERY_LOW)) return null;
  if (powerShare(gpu, highest)! > POWER_LOW) return null;
  const util = level!.p50;
  if (util < PINNED)
    return observe('evidence.kernels-end', { util: percent(util) }, 'utilization_ratio', { util, least: level!.p5 });
  if (!(memory >= TOUCHED) || Number.isNaN(pace)) return null;
  const words = { share: percent(memory), pace: percent(pace) };
  return observe('evidence.kernels-work', words, 'memory_utilization_ratio', { share: memory, pace });
}
