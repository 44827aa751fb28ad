import type { Finding } from '../../model/finding.ts';
import type { CaseFile } from '../case/case-file.ts';
import { type GpuCase, powerShare } from '../case/gpu-case.ts';
import type { Job } from '../case/jobs.ts';
import { claim, type Detector, noClaim, observe } from '../detector.ts';
import { lasting, outerSpan, secondsIn } from '../spells.ts';
import type { Stretch } from '../statistics/stretches.ts';
import { median, present, quantiles, type Values } from '../statistics/summary.ts';
import { gpuName, percent, spanOf } from '../wording.ts';

/** A kernel that waits for its peers counts as busy, but draws next to nothing and reads next to no memory. */
const BUSY = 0.99;
const SPIN_POWER = 0.25;
const SPIN_MEMORY = 0.02;
const LEAST_SECONDS = 60;

/** What GPUs that work draw, to know that they worked before. */
const WORK_POWER = 0.35;

/** All GPUs of a job wait inside a collective operation for one that is not there. */
export const collectiveHang: Detector = {
  id: 'collective-hang',
  layer: 'health',
  needs: ['utilization_ratio', 'power_watts'],
  leastSeconds: LEAST_SECONDS,
  detect(file) {
    if (file.gpus.length < 2) return [noClaim(collectiveHang, file, 'not-evaluable', 'evidence.one-gpu')];
    return file.jobs.filter(({ gpus }) => gpus.length >= 2).flatMap((job) => look(file, job));
  },
};

/** A GPU with what is needed to see it spin. */
interface Rank {
  readonly gpu: GpuCase;
  readonly memory: Values | null;
  /** Its power as a share of what it can draw; null where that is not known. */
  share(cell: number): number | null;
  /** Below this share it spins. */
  readonly spinShare: number;
}

/** Without a known limit, what the GPU drew at work stands for it. */
const WORK_SHARE = 0.9;
const SPIN_POWER_UNKNOWN = 0.35;

function rankOf(gpu: GpuCase): Rank {
  const { util, power, limitWatts } = gpu;
  const memory = gpu.gpu.column('memory_utilization_ratio');
  if (power === null || util === null) return { gpu, memory, share: () => null, spinShare: 0 };
  if (limitWatts !== null)
    return { gpu, memory, share: (cell) => powerShare(gpu, power[cell]!), spinShare: SPIN_POWER };
  const busy = new Uint8Array(util.length);
  for (let cell = 0; cell < busy.length; cell++) if (util[cell]! >= 0.5) busy[cell] = 1;
  const full = quantiles(present(power, busy), [WORK_SHARE])[0]!;
  return { gpu, memory, share: (cell) => power[cell]! / full, spinShare: SPIN_POWER_UNKNOWN };
}

function spins({ gpu: { util }, memory, share, spinShare }: Rank, cell: number): boolean {
  const power = share(cell);
  const isQuiet = memory === null || !(memory[cell]! > SPIN_MEMORY);
  return util !== null && util[cell]! >= BUSY && power !== null && power <= spinShare && isQuiet;
}

function look(file: CaseFile, job: Job): Finding[] {
  const { window, marks } = file;
  const gpus = job.gpus.map(rankOf);
  const most = Math.max(2, gpus.length - 1);
  const spells = lasting(window, LEAST_SECONDS, (cell) => {
    let count = 0;
    for (const gpu of gpus) if (spins(gpu, cell)) count++;
    return count >= most;
  }).filter(({ start, end }) => !marks.steps.some((at) => at > window.at[start]! && at <= window.at[end - 1]!));
  const [first] = spells;
  if (first === undefined) return [];
  const stuck = gpus.filter((gpu) => spins(gpu, middle(first)));
  const odd = gpus.filter((gpu) => !spins(gpu, middle(first)));
  const seconds = secondsIn(window, spells);
  const before = powerBefore(stuck, first);
  const hasWorked = before !== null && before >= WORK_POWER;
  const power = median(stuck.map((rank) => rank.share(middle(first))!));
  const memory = median(
    stuck.map(({ memory }) => memory?.[middle(first)] ?? Number.NaN).filter((value) => !Number.isNaN(value)),
  );
  const isMarked = marks.steps.some((at) => at < window.at[first.start]!);
  return [
    claim(collectiveHang, {
      ...outerSpan(window, spells),
      state: hasWorked && isMarked ? 'confirmed' : hasWorked ? 'likely' : 'possible',
      severity: 'critical',
      gpus: gpus.map(({ gpu }) => gpu.uuid),
      lostSeconds: seconds * gpus.length,
      evidence: [
        observe(
          'evidence.hang',
          { count: stuck.length, util: percent(BUSY), power: percent(power), span: spanOf(seconds) },
          'power_watts',
          { gpus: stuck.length, power, seconds },
        ),
        before === null
          ? null
          : observe('evidence.hang-before', { power: percent(before) }, 'power_watts', { power: before }),
        Number.isNaN(memory)
          ? null
          : observe('evidence.hang-traffic', { share: percent(memory) }, 'memory_utilization_ratio', { share: memory }),
        odd.length === 0
          ? null
          : observe('evidence.hang-odd', { gpu: odd.map(({ gpu }) => gpuName(gpu.gpu.device)).join(', ') }),
      ],
      missing: Number.isNaN(memory) ? ['memory_utilization_ratio'] : [],
    }),
  ];
}

function middle({ start, end }: Stretch): number {
  return Math.floor((start + end) / 2);
}

/** Typical share of their power that GPUs drew in their work before a stretch; null where they had not worked. */
function powerBefore(ranks: readonly Rank[], { start }: Stretch): number | null {
  const shares = ranks.flatMap(({ gpu: { util }, share }) => {
    const values: number[] = [];
    for (let cell = 0; cell < start; cell++) {
      const value = util![cell]! >= 0.5 ? share(cell) : null;
      if (value !== null && !Number.isNaN(value)) values.push(value);
    }
    return values.length < 10 ? [] : [median(values)];
  });
  return shares.length === 0 ? null : median(shares);
}
