import type { Finding } from '../../model/finding.ts';
import type { CaseFile } from '../case/case-file.ts';
import { type GpuCase, powerShare } from '../case/gpu-case.ts';
import type { Job } from '../case/jobs.ts';
import { claim, type Detector, noClaim, observe } from '../detector.ts';
import { lasting, outerSpan, secondsIn } from '../spells.ts';
import { joined, maskOf, type Stretch, stretches } from '../statistics/stretches.ts';
import { type Mask, mean, meanUnder, median, quantilesUnder, type Values } from '../statistics/summary.ts';
import type { Window } from '../window/window.ts';
import { gpuName, percent, spanOf } from '../wording.ts';

/** A kernel that waits for its peers counts as busy, but draws next to nothing and reads next to no memory. */
const BUSY = 0.99;
const SPIN_POWER = 0.25;
const SPIN_MEMORY = 0.03;
const LEAST_SECONDS = 60;

/** Single readings out of line do not end it: so long at a time, and no more than this share of all. */
const BLIP_SECONDS = 5;
const LEAST_SPINNING = 0.85;

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
  // Most GPUs never look as if they spun, and need not be asked.
  let full: number | null = null;
  const share = (cell: number): number => {
    full ??= fullPower(util, power);
    return power[cell]! / full;
  };
  return { gpu, memory, share, spinShare: SPIN_POWER_UNKNOWN };
}

/** What a GPU draws when it has most to do. */
function fullPower(util: Values, power: Values): number {
  const busy = new Uint8Array(util.length);
  for (let cell = 0; cell < busy.length; cell++) if (util[cell]! >= 0.5) busy[cell] = 1;
  return quantilesUnder(power, busy, [WORK_SHARE])[0]!;
}

function spins({ gpu: { util }, memory, share, spinShare }: Rank, cell: number): boolean {
  if (util === null || !(util[cell]! >= BUSY) || (memory !== null && memory[cell]! > SPIN_MEMORY)) return false;
  const power = share(cell);
  return power !== null && power <= spinShare;
}

/** Cells in which a rank spins, with single readings out of line counted in. */
function spinMask(window: Window, rank: Rank): Mask {
  const mask = new Uint8Array(window.length);
  for (const piece of window.pieces) {
    const parts = stretches(piece, (cell) => spins(rank, cell));
    for (const { start, end } of joined(parts, window.cells(BLIP_SECONDS))) mask.fill(1, start, end);
  }
  return mask;
}

/** Share of the cells of a stretch in which a rank spins, blips not counted in. */
function spinShare(rank: Rank, { start, end }: Stretch): number {
  let count = 0;
  for (let cell = start; cell < end; cell++) if (spins(rank, cell)) count++;
  return count / (end - start);
}

function look(file: CaseFile, job: Job): Finding[] {
  const { window, marks } = file;
  const gpus = job.gpus.map(rankOf);
  const most = Math.max(2, gpus.length - 1);
  const masks = gpus.map((gpu) => spinMask(window, gpu));
  if (masks.filter((mask) => mask.includes(1)).length < most) return [];
  const stuckIn = (spell: Stretch): Rank[] => gpus.filter((gpu) => spinShare(gpu, spell) >= LEAST_SPINNING);
  const spells = lasting(window, LEAST_SECONDS, (cell) => {
    let count = 0;
    for (const mask of masks) count += mask[cell]!;
    return count >= most;
  }).filter(
    (spell) =>
      stuckIn(spell).length >= most &&
      !marks.steps.some((at) => at > window.at[spell.start]! && at <= window.at[spell.end - 1]!),
  );
  const [first] = spells;
  if (first === undefined) return [];
  const stuck = stuckIn(first);
  const odd = gpus.filter((gpu) => !stuck.includes(gpu));
  const seconds = secondsIn(window, spells);
  const before = powerBefore(stuck, first);
  const hasWorked = before !== null && before >= WORK_POWER;
  const { util, power, memory } = during(stuck, maskOf(window.length, spells));
  const isMarked = marks.steps.some((at) => at < window.at[first.start]!);
  return [
    claim(collectiveHang, {
      ...outerSpan(window, spells),
      state: hasWorked && isMarked ? 'confirmed' : hasWorked ? 'likely' : 'possible',
      // What has not been seen at work may never have done more: nobody is called for that alone.
      severity: hasWorked || !Number.isNaN(memory) ? 'critical' : 'info',
      gpus: gpus.map(({ gpu }) => gpu.uuid),
      lostSeconds: seconds * gpus.length,
      evidence: [
        observe(
          'evidence.hang',
          { count: stuck.length, util: percent(util), power: percent(power), span: spanOf(seconds) },
          'power_watts',
          { gpus: stuck.length, util, power, seconds },
        ),
        before === null
          ? null
          : observe('evidence.hang-before', { power: percent(before) }, 'power_watts', { power: before }),
        hasWorked ? null : observe('evidence.hang-unworked', {}),
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

/** What ranks did in the time of a mask: means over them and the time, of utilisation, share of power, and memory (NaN for none). */
function during(
  ranks: readonly Rank[],
  mask: Mask,
): { readonly util: number; readonly power: number; readonly memory: number } {
  const shares = ranks.flatMap(({ gpu: { util }, share }) => {
    const values = util!.map((_, cell) => share(cell) ?? Number.NaN);
    return [meanUnder(values, mask)];
  });
  const memories = ranks.flatMap(({ memory }) => (memory === null ? [] : [meanUnder(memory, mask)]));
  return {
    util: mean(Float64Array.from(ranks, ({ gpu: { util } }) => meanUnder(util!, mask))),
    power: mean(Float64Array.from(shares)),
    memory: mean(Float64Array.from(memories.filter((value) => !Number.isNaN(value)))),
  };
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
