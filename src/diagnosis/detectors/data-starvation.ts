import type { MetricId } from '../../model/catalogue.ts';
import type { Evidence, Finding } from '../../model/finding.ts';
import type { CaseFile } from '../case/case-file.ts';
import type { GpuCase } from '../case/gpu-case.ts';
import { type Rhythm, waitsUnder } from '../case/rhythm-profile.ts';
import { isTorn } from '../case/workload.ts';
import { claim, type Detector, noClaim, observe } from '../detector.ts';
import { correlation } from '../statistics/robust.ts';
import { maskOf } from '../statistics/stretches.ts';
import { type Mask, mean, median, quantilesUnder } from '../statistics/summary.ts';
import { amount, figure, gpuNames, percent, spanOf } from '../wording.ts';
import { endsInPauses, onlyInput, SENDS_BACK, sentBack } from './beat-causes.ts';
import { hostSigns } from './host-signs.ts';

/** A sawtooth: idle for a good part of the time, at least once a minute, in a regular beat. */
const IDLE_SHARE = 0.2;
const CYCLES_PER_MINUTE = 1;
const BEAT = 0.3;
const LEAST_CYCLES = 6;

/** Steady in the middle: the loader keeps up an even trickle. */
const STEADY = { low: 0.15, high: 0.7, variation: 0.35 };

/** So much work shows a beat. */
const LEAST_SECONDS = 40;

/** In work that is well for the most part, so much of it must be starved to be told. */
const LEAST_PART_SECONDS = 240;
const LEAST_PART = 0.1;

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
      const working = gpus.filter(({ work }) => work.seconds > 0).length;
      return [...inBeat(file, members, working), ...evenly(file, members)];
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

/** A GPU in the part of its work in which it waits in a beat. */
interface Starved {
  readonly gpu: GpuCase;
  readonly spans: readonly Rhythm[];
  readonly mask: Mask;
  /** The cells under the mask in which it waits. */
  readonly waits: Mask;
  readonly seconds: number;
  /** Share of that time in which it waits. */
  readonly waiting: number;
}

/** All of the work where most of it is like that, else the stretches that are, if they are long enough to matter. */
function starvedPart({ window }: CaseFile, gpu: GpuCase): Starved | null {
  const { rhythms, work, util } = gpu;
  const spans = rhythms.filter(isSawtooth);
  if (spans.length === 0 || util === null) return null;
  const isMost = spans.length >= rhythms.length / 2;
  const mask = isMost
    ? work.mask
    : maskOf(
        window.length,
        spans.map(({ span }) => span),
      );
  if (!isMost) for (let cell = 0; cell < mask.length; cell++) if (work.mask[cell] === 0) mask[cell] = 0;
  const seconds = isMost ? work.seconds : window.secondsUnder(mask);
  if (!isMost && seconds < Math.max(LEAST_PART_SECONDS, LEAST_PART * work.seconds)) return null;
  const waits = waitsUnder(util, mask);
  return { gpu, spans, mask, waits: waits.cells, seconds, waiting: waits.share };
}

/** `working` is how many GPUs of the job work at all. */
function inBeat(file: CaseFile, members: readonly GpuCase[], working: number): Finding[] {
  const starved = members.flatMap((gpu) => starvedPart(file, gpu) ?? []);
  const sending = starved.filter(({ gpu }) => (sentBack(gpu) ?? 0) >= SENDS_BACK);
  const [first] = starved;
  if (first === undefined || sending.length > starved.length / 2 || starved.every(endsInPauses)) return [];
  const spans = starved.flatMap((one) => one.spans);
  const waiting = mean(Float64Array.from(starved, (one) => one.waiting));
  const period = median(spans.flatMap(({ periodSeconds }) => periodSeconds ?? []));
  const signs = hostSigns(file.window, first.gpu, first.mask);
  const power = powerFollows(first);
  // A host that is seen would show it. Where others of the job go on meanwhile, it is not the host that all of them wait for.
  const isOpen = signs.length === 0 && !hasHost(file) && power !== null && starved.length === working;
  const only = isOpen ? onlyInput(starved) : null;
  return [
    claim(dataStarvation, {
      state: only === null ? stateBy(signs, power !== null) : 'likely',
      severity: waiting >= IDLE_SHARE ? 'warning' : 'info',
      gpus: starved.map(({ gpu }) => gpu.uuid),
      ...spanOfMasks(
        file,
        starved.map(({ mask }) => mask),
      ),
      lostSeconds: starved.reduce((sum, one) => sum + one.waiting * one.seconds, 0),
      evidence: [
        observe(
          'evidence.sawtooth',
          { gpus: gpuNames(starved.map(({ gpu }) => gpu.gpu.device)), share: percent(waiting), period: spanOf(period) },
          'utilization_ratio',
          { waiting, periodSeconds: period, beat: median(spans.map(({ strength }) => strength)) },
        ),
        power,
        only,
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
  const signs = first === undefined ? [] : hostSigns(file.window, first);
  if (first === undefined || signs.length === 0) return [];
  const { mean: middle, p95 } = first.level!;
  const waiting = waitsUnder(first.util!, first.work.mask).share;
  return [
    claim(dataStarvation, {
      state: signs.length >= 2 ? 'confirmed' : 'likely',
      severity: 'warning',
      gpus: even.map(({ uuid }) => uuid),
      ...spanOfMasks(
        file,
        even.map(({ work }) => work.mask),
      ),
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

function hasHost({ window }: CaseFile): boolean {
  return window.host.has('host_cpu_ratio');
}

function powerFollows({ gpu, mask }: Starved): Evidence | null {
  const { power, util, limitWatts, restWatts } = gpu;
  if (power === null || util === null) return null;
  const [low = 0, high = 0] = quantilesUnder(power, mask, [0.05, 0.95]);
  const isWide = limitWatts === null ? high > 1.5 * low : high - low >= 0.3 * (limitWatts - (restWatts ?? 0));
  if (!isWide || correlation(power, util) < 0.3) return null;
  return observe('evidence.power-follows', { low: amount(low, 'watts'), high: amount(high, 'watts') }, 'power_watts', {
    p5: low,
    p95: high,
  });
}

/** Time from the first cell of any mask to the last. */
function spanOfMasks({ window }: CaseFile, masks: readonly Mask[]): { from: number; to: number } {
  return {
    from: window.at[Math.min(...masks.map((mask) => mask.indexOf(1)))]!,
    to: window.at[Math.max(...masks.map((mask) => mask.lastIndexOf(1)))]!,
  };
}
