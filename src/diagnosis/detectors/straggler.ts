import type { MetricId } from '../../model/catalogue.ts';
import type { Evidence, Finding } from '../../model/finding.ts';
import type { CaseFile } from '../case/case-file.ts';
import { type GpuCase, typicalAtWork } from '../case/gpu-case.ts';
import type { Job } from '../case/jobs.ts';
import { claim, type Detector, noClaim, observe } from '../detector.ts';
import { type Outlier, outliers } from '../statistics/robust.ts';
import { type Mask, median, medianUnder, type Values } from '../statistics/summary.ts';
import { amount, gpuName } from '../wording.ts';

/** A clock this much lower than that of the others makes the slowest rank. */
const SLOWER = 0.08;

/** The one that works while the others spin draws this much more. */
const DRAWS_MORE = 0.15;

const BUSY = 0.85;
const LEAST_SECONDS = 120;
const WARMER = 5;

/** One GPU of a job whose ranks wait for each other is slower than the rest. */
export const straggler: Detector = {
  id: 'straggler',
  layer: 'performance',
  needs: ['utilization_ratio'],
  leastSeconds: LEAST_SECONDS,
  detect(file) {
    if (file.gpus.length < 3)
      return [
        noClaim(straggler, file, 'not-evaluable', file.gpus.length < 2 ? 'evidence.one-gpu' : 'evidence.two-gpus'),
      ];
    const jobs = file.jobs.filter(({ gpus }) => gpus.filter(isBusy).length >= 3);
    if (jobs.length === 0) return [noClaim(straggler, file, 'not-evaluable', 'evidence.not-busy')];
    const hasSigns = jobs.some(({ gpus }) => gpus.some(({ clock, power }) => clock !== null || power !== null));
    if (!hasSigns)
      return [noClaim(straggler, file, 'not-evaluable', 'evidence.missing', ['sm_clock_hertz', 'power_watts'])];
    return jobs.flatMap((job) => look(file, job));
  },
};

function isBusy({ level, work, workload }: GpuCase): boolean {
  return level !== null && level.p50 >= BUSY && work.seconds >= LEAST_SECONDS && workload !== 'serve';
}

function look(file: CaseFile, job: Job): Finding[] {
  const ranks = job.gpus.filter(isBusy);
  const together = commonWork(file, ranks);
  const slow = standingOut(ranks, together, ({ clock }) => clock, SLOWER, -1);
  const working = standingOut(ranks, together, ({ power }) => power, DRAWS_MORE, 1);
  const found = new Set([...slow, ...working].map(({ index }) => index));
  const shares = lostShares(slow);
  return [...found].map((index) =>
    report(file, job, ranks, {
      index,
      slow: slow.find((one) => one.index === index),
      working: working.find((one) => one.index === index),
      share: shares.get(index) ?? 0,
    }),
  );
}

/** A rank that stands out, by its clock, by its power, or by both. */
interface Lag {
  readonly index: number;
  readonly slow: Outlier | undefined;
  readonly working: Outlier | undefined;
  /** Share of the time of the job that is lost to it. */
  readonly share: number;
}

/** The slowest sets the pace of a job: what is lost to that, each slow rank bears by how slow it is. */
function lostShares(slow: readonly Outlier[]): ReadonlyMap<number, number> {
  const losses = slow.map(({ index, value, base }) => ({ index, loss: 1 - value / base }));
  const worst = Math.max(0, ...losses.map(({ loss }) => loss));
  const sum = losses.reduce((total, { loss }) => total + loss, 0);
  return new Map(losses.map(({ index, loss }) => [index, (worst * loss) / sum]));
}

/** When all ranks are there and work: what one did while another was gone is no comparison. */
function commonWork({ window }: CaseFile, ranks: readonly GpuCase[]): Mask {
  const mask = new Uint8Array(window.length).fill(1);
  for (const { work, util } of ranks) {
    for (let cell = 0; cell < mask.length; cell++) {
      if (work.mask[cell] === 0 || !(util![cell]! >= 0)) mask[cell] = 0;
    }
  }
  return mask;
}

function standingOut(
  ranks: readonly GpuCase[],
  together: Mask,
  column: (gpu: GpuCase) => Values | null,
  ratio: number,
  direction: 1 | -1,
): readonly Outlier[] {
  const values = ranks.map((gpu) => {
    const values = column(gpu);
    return values === null ? Number.NaN : medianUnder(values, together);
  });
  return values.some(Number.isNaN) ? [] : outliers(values, ratio, direction);
}

function report(
  { window }: CaseFile,
  job: Job,
  ranks: readonly GpuCase[],
  { index, slow, working, share }: Lag,
): Finding {
  const gpu = ranks[index]!;
  const others = ranks.filter((other) => other !== gpu);
  const name = gpuName(gpu.gpu.device);
  const reasons = [slowLink(gpu, others), warmer(gpu, others)].filter((seen) => seen !== null);
  const signs =
    (slow === undefined ? 0 : 1) +
    (working === undefined ? 0 : 1) +
    (slow === undefined ? 0 : Math.min(1, reasons.length));
  return claim(straggler, {
    state: slow === undefined ? 'possible' : signs >= 2 && job.isKnown ? 'confirmed' : 'likely',
    severity: 'warning',
    gpus: [gpu.uuid],
    from: window.at[gpu.work.bouts[0]!.start]!,
    to: window.at[gpu.work.bouts.at(-1)!.end - 1]!,
    lostSeconds: share * gpu.work.seconds * ranks.length,
    evidence: [
      slow === undefined
        ? null
        : observe(
            'evidence.slow-clock',
            { gpu: name, own: amount(slow.value, 'hertz'), others: amount(slow.base, 'hertz') },
            'sm_clock_hertz',
            { own: slow.value, others: slow.base, waiting: ranks.length },
          ),
      working === undefined
        ? null
        : observe(
            'evidence.works-alone',
            { gpu: name, own: amount(working.value, 'watts'), others: amount(working.base, 'watts') },
            'power_watts',
            { own: working.value, others: working.base },
          ),
      ...reasons,
      job.isKnown ? null : observe('evidence.job-assumed', {}),
    ],
    missing: slow === undefined ? (['sm_clock_hertz'] satisfies MetricId[]) : [],
  });
}

function slowLink(gpu: GpuCase, others: readonly GpuCase[]): Evidence | null {
  const own = gpu.gpu.peak('pcie_link_generation');
  const peaks = others.flatMap((other) => other.gpu.peak('pcie_link_generation') ?? []);
  if (own === null || peaks.length === 0 || own >= median(peaks)) return null;
  return observe(
    'evidence.slow-link',
    { gpu: gpuName(gpu.gpu.device), own, others: median(peaks) },
    'pcie_link_generation',
    { own, others: median(peaks) },
  );
}

function warmer(gpu: GpuCase, others: readonly GpuCase[]): Evidence | null {
  const heat = (one: GpuCase): number => typicalAtWork(one, one.temperature);
  const [own, usual] = [heat(gpu), median(others.map(heat))];
  if (!(own - usual >= WARMER)) return null;
  return observe(
    'evidence.warmer',
    { own: amount(own, 'celsius'), others: amount(usual, 'celsius') },
    'temperature_celsius',
    { own, others: usual },
  );
}
