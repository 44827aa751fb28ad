import type { MetricId } from '../../model/catalogue.ts';
import type { Evidence, Finding } from '../../model/finding.ts';
import type { CaseFile } from '../case/case-file.ts';
import { atWork, type GpuCase } from '../case/gpu-case.ts';
import { type Rhythm, WAITS_BELOW } from '../case/rhythm-profile.ts';
import { isTorn } from '../case/workload.ts';
import { claim, type Detector, noClaim, observe } from '../detector.ts';
import { correlation } from '../statistics/robust.ts';
import { mean, median, present, quantiles } from '../statistics/summary.ts';
import { amount, figure, gpuNames, percent, spanOf } from '../wording.ts';
import { hostSigns } from './host-signs.ts';

/** A sawtooth: idle for a good part of the time, at least once a minute, in a regular beat. */
const IDLE_SHARE = 0.2;
const CYCLES_PER_MINUTE = 1;
const BEAT = 0.3;
const LEAST_CYCLES = 6;

/** Steady in the middle: the loader keeps up an even trickle. */
const STEADY = { low: 0.15, high: 0.7, variation: 0.35 };

const LEAST_SECONDS = 60;

/** What goes back to the host while the GPU waits is no input. */
const SENDS_BACK = 1.5e9;

const MISSING: readonly MetricId[] = ['host_cpu_ratio', 'host_iowait_ratio'];

/** The GPU waits for input data: in a beat, or all the time. */
export const dataStarvation: Detector = {
  id: 'data-starvation',
  layer: 'performance',
  needs: ['utilization_ratio'],
  leastSeconds: LEAST_SECONDS,
  detect(file) {
    const working = file.gpus.filter(({ work }) => work.seconds > 0);
    if (working.length === 0)
      return [
        noClaim(
          dataStarvation,
          file,
          'not-evaluable',
          file.window.length < 10 ? 'evidence.single-sample' : 'evidence.no-work',
        ),
      ];
    const candidates = working.filter(({ work, workload }) => work.seconds >= LEAST_SECONDS && workload !== 'serve');
    if (candidates.length === 0) {
      const serves = working.some(({ workload }) => workload === 'serve');
      const seconds = Math.round(Math.max(...working.map(({ work }) => work.seconds)));
      return [
        noClaim(
          dataStarvation,
          file,
          serves ? 'ruled-out' : 'not-evaluable',
          serves ? 'evidence.serves' : observe('evidence.too-short', { seconds }),
        ),
      ];
    }
    const found = file.jobs.flatMap(({ gpus }) => {
      const members = gpus.filter((gpu) => candidates.includes(gpu));
      return [...inBeat(file, members), ...evenly(file, members)];
    });
    const torn = candidates.some(({ rhythms }) => isTorn(rhythms));
    if (found.length === 0 && torn)
      return [noClaim(dataStarvation, file, 'not-evaluable', 'evidence.irregular', hasHost(file) ? [] : MISSING)];
    const isCoarse = candidates.every(({ rhythms }) => rhythms.length === 0);
    if (found.length > 0 || !isCoarse) return found;
    const low = candidates.some(({ level }) => level!.mean < STEADY.high);
    return low ? [noClaim(dataStarvation, file, 'not-evaluable', 'evidence.missing', MISSING)] : [];
  },
};

function isSawtooth({ waiting, cyclesPerMinute, cycles, strength }: Rhythm): boolean {
  return waiting >= IDLE_SHARE && cyclesPerMinute >= CYCLES_PER_MINUTE && cycles >= LEAST_CYCLES && strength >= BEAT;
}

function inBeat(file: CaseFile, members: readonly GpuCase[]): Finding[] {
  const starved = members.filter(
    ({ rhythms }) => rhythms.length > 0 && rhythms.filter(isSawtooth).length >= rhythms.length / 2,
  );
  const sending = starved.map((gpu) => sentBack(gpu)).filter((rate) => rate >= SENDS_BACK);
  const [first] = starved;
  if (first === undefined || sending.length > starved.length / 2) return [];
  const spans = starved.flatMap(({ rhythms }) => rhythms.filter(isSawtooth));
  const waiting = mean(Float64Array.from(starved, (gpu) => waitingShare(gpu)));
  const period = median(spans.flatMap(({ periodSeconds }) => periodSeconds ?? []));
  const signs = signsOf(file, first);
  const power = powerFollows(first);
  return [
    claim(dataStarvation, {
      state: stateBy(signs, power !== null),
      severity: waiting >= IDLE_SHARE ? 'warning' : 'info',
      gpus: starved.map(({ uuid }) => uuid),
      ...spanOfWork(file, starved),
      lostSeconds: starved.reduce((sum, gpu) => sum + waitingShare(gpu) * gpu.work.seconds, 0),
      evidence: [
        observe(
          'evidence.sawtooth',
          { gpus: gpuNames(starved.map(({ gpu }) => gpu.device)), share: percent(waiting), period: spanOf(period) },
          'utilization_ratio',
          { waiting, periodSeconds: period, beat: median(spans.map(({ strength }) => strength)) },
        ),
        power,
        ...signs,
        observe('evidence.gain', { gain: figure(1 / (1 - waiting)) }, 'utilization_ratio', { gain: 1 / (1 - waiting) }),
        signs.length === 0 && !hasHost(file) ? observe('evidence.cpu-unknown', {}) : null,
      ],
      missing: signs.length === 0 && !hasHost(file) ? MISSING : [],
    }),
  ];
}

/** Without a beat only the host can tell that data is what is lacking. */
function evenly(file: CaseFile, members: readonly GpuCase[]): Finding[] {
  const even = members.filter(({ level, rhythms }) => {
    const { mean: middle, p95, variation } = level!;
    const isEven = p95 < STEADY.high && middle >= STEADY.low && variation < STEADY.variation;
    return isEven || isTorn(rhythms);
  });
  const [first] = even;
  const signs = first === undefined ? [] : signsOf(file, first);
  if (first === undefined || signs.length === 0) return [];
  const { mean: middle, p95 } = first.level!;
  const waiting = waitingShare(first);
  return [
    claim(dataStarvation, {
      state: signs.length >= 2 ? 'confirmed' : 'likely',
      severity: 'warning',
      gpus: even.map(({ uuid }) => uuid),
      ...spanOfWork(file, even),
      lostSeconds: even.reduce((sum, { level, work }) => sum + Math.max(0, 1 - level!.mean) * work.seconds, 0),
      evidence: [
        waiting >= IDLE_SHARE
          ? observe(
              'evidence.idle-in-turns',
              {
                gpus: gpuNames(even.map(({ gpu }) => gpu.device)),
                share: percent(waiting),
                rate: figure(median(first.rhythms.map(({ cyclesPerMinute }) => cyclesPerMinute))),
              },
              'utilization_ratio',
              { waiting },
            )
          : observe(
              'evidence.steady-middle',
              { gpus: gpuNames(even.map(({ gpu }) => gpu.device)), mean: percent(middle), high: percent(p95) },
              'utilization_ratio',
              { mean: middle, p95 },
            ),
        ...signs,
      ],
    }),
  ];
}

function stateBy(signs: readonly Evidence[], powerAgrees: boolean): Finding['state'] {
  if (signs.length === 0) return 'possible';
  return signs.length >= 2 || powerAgrees ? 'confirmed' : 'likely';
}

function signsOf({ window }: CaseFile, gpu: GpuCase): Evidence[] {
  return [...hostSigns(window, gpu)];
}

function hasHost({ window }: CaseFile): boolean {
  return window.host.has('host_cpu_ratio');
}

function waitingShare(gpu: GpuCase): number {
  const values = atWork(gpu, gpu.util!);
  let waiting = 0;
  for (const value of values) if (value < WAITS_BELOW) waiting++;
  return waiting / values.length;
}

/** Bytes per second to the host while the GPU waits; 0 where nobody counts. */
function sentBack({ gpu, util, work }: GpuCase): number {
  const tx = gpu.column('pcie_tx_bytes_per_second');
  if (tx === null || util === null) return 0;
  const waiting = Uint8Array.from(util, (value, cell) => (work.mask[cell] === 1 && value < WAITS_BELOW ? 1 : 0));
  return mean(present(tx, waiting));
}

function powerFollows(gpu: GpuCase): Evidence | null {
  const { power, util, limitWatts, restWatts } = gpu;
  if (power === null || util === null) return null;
  const [low = 0, high = 0] = quantiles(atWork(gpu, power), [0.05, 0.95]);
  const isWide = limitWatts === null ? high > 1.5 * low : high - low >= 0.3 * (limitWatts - (restWatts ?? 0));
  if (!isWide || correlation(power, util) < 0.3) return null;
  return observe('evidence.power-follows', { low: amount(low, 'watts'), high: amount(high, 'watts') }, 'power_watts', {
    p5: low,
    p95: high,
  });
}

function spanOfWork({ window }: CaseFile, gpus: readonly GpuCase[]): { from: number; to: number } {
  const bouts = gpus.flatMap(({ work }) => work.bouts);
  return {
    from: window.at[Math.min(...bouts.map(({ start }) => start))]!,
    to: window.at[Math.max(...bouts.map(({ end }) => end)) - 1]!,
  };
}
