import type { Evidence, Finding, FindingState } from '../../model/finding.ts';
import { DIAGNOSIS_MESSAGES } from '../../model/i18n/messages-diagnosis.ts';
import type { CaseFile } from '../case/case-file.ts';
import type { GpuCase } from '../case/gpu-case.ts';
import { isInStep } from '../case/jobs.ts';
import { claim, type Detector, noClaim, observe } from '../detector.ts';
import { lasting, outerSpan } from '../spells.ts';
import { correlation } from '../statistics/robust.ts';
import { largest, medianUnder, present, quantiles, quantilesUnder, type Values } from '../statistics/summary.ts';
import { amount, figure, gpuName, percent, spanOf } from '../wording.ts';
import { CLOCK_DROP, clockEvidence, clockLoss } from './clock-loss.ts';
import { growthOf } from './growth.ts';

const SOFT_BIT = 0x20;
const HARD_BIT = 0x40;
const THERMAL_BITS = SOFT_BIT | HARD_BIT;

/** Held down for less than this, in seconds and as a share of the work, is no throttling worth a word. */
const LEAST_SECONDS = 10;
const LEAST_SHARE = 0.02;

/** A clock this much lower, where the driver names no reason and the limit is near, though not reached for most of the time. */
const CLOCK_DROP_ALONE = 0.07;

/** Where the card tells no limit of its own: hot for so long. */
const HOT_CELSIUS = 85;
const HOT_LAPTOP_CELSIUS = 90;
const HOT_SECONDS = 300;

/** Counters kept by the driver, preferred to sampled bits: sampling misses short spells. */
const COUNTERS = [
  'clock_event_sw_thermal_seconds_total',
  'clock_event_hw_thermal_seconds_total',
  'clock_event_thermal_seconds_total',
] as const;

/** This one may come from a log that marks whole samples in which heat held the clocks down for any part of the time. */
const AT_MOST: (typeof COUNTERS)[number] = 'clock_event_thermal_seconds_total';

/** Heat that lowers the clock, by what the driver says, or by temperature and clock. */
export const thermalThrottle: Detector = {
  id: 'thermal-throttle',
  layer: 'health',
  needs: ['temperature_celsius'],
  detect(file) {
    const found = file.gpus.flatMap((gpu) => byReasons(file, gpu) ?? byTemperature(file, gpu));
    if (found.length > 0) return withWaiting(file, found);
    const canTell = file.gpus.some(
      ({ reasons, temperature, clock }) => reasons !== null || (temperature !== null && clock !== null),
    );
    return canTell || file.window.length < 10
      ? []
      : [noClaim(thermalThrottle, file, 'ruled-out', 'evidence.nothing-found', ['clock_event_reasons'])];
  },
};

/** By the driver's own word; null where it gives none. */
function byReasons(file: CaseFile, gpu: GpuCase): Finding[] | null {
  const { window } = file;
  const { reasons } = gpu;
  const counted = countedSeconds(file, gpu);
  if (reasons === null && counted === null) return null;
  const mask = new Uint8Array(window.length);
  let isHard = false;
  for (let cell = 0; cell < window.length; cell++) {
    const bits = reasons?.[cell] ?? 0;
    if (Number.isNaN(bits) || (bits & THERMAL_BITS) === 0) continue;
    mask[cell] = 1;
    isHard ||= (bits & HARD_BIT) !== 0;
  }
  const sampled = window.secondsUnder(mask);
  const seconds = Math.max(sampled, counted?.seconds ?? 0);
  const working = gpu.work.seconds > 0 ? gpu.work.seconds : (window.to - window.from) / 1000;
  const share = working > 0 ? Math.min(1, seconds / working) : 0;
  if (window.length >= 10 ? seconds < LEAST_SECONDS || share < LEAST_SHARE : !mask.includes(1)) return [];
  const loss = clockLoss(file, gpu, mask);
  const isConfirmed = loss !== null && loss.share >= CLOCK_DROP && window.length >= 10;
  const spells = lasting(window, 0, (cell) => mask[cell] === 1);
  const state: FindingState = isConfirmed ? 'confirmed' : window.length >= 10 ? 'likely' : 'possible';
  return [
    claim(thermalThrottle, {
      state,
      severity: isHard ? 'critical' : 'warning',
      gpus: [gpu.uuid],
      ...outerSpan(window, spells),
      lostSeconds: seconds * (loss?.share ?? 0),
      evidence: [
        counted !== null && counted.seconds > sampled
          ? observe(
              counted.id === AT_MOST ? 'evidence.thermal-at-most' : 'evidence.thermal-counter',
              { gpu: gpuName(gpu.gpu.device), span: spanOf(counted.seconds) },
              counted.id,
              { seconds: counted.seconds },
            )
          : observe(
              'evidence.thermal-bits',
              { gpu: gpuName(gpu.gpu.device), span: spanOf(seconds), share: percent(share) },
              'clock_event_reasons',
              { seconds, share },
            ),
        loss === null ? null : clockEvidence(loss),
        peakTemperature(gpu),
      ],
      missing: loss === null ? ['sm_clock_hertz'] : [],
    }),
  ];
}

/** The counter that grew most; null where there is none. */
function countedSeconds(
  { window }: CaseFile,
  { gpu }: GpuCase,
): { readonly id: (typeof COUNTERS)[number]; readonly seconds: number } | null {
  const found = COUNTERS.flatMap((id) => {
    const growth = growthOf(window, gpu.column(id));
    return growth === null ? [] : [{ id, seconds: growth.total }];
  });
  return found.toSorted((a, b) => b.seconds - a.seconds)[0] ?? null;
}

function peakTemperature({ temperature }: GpuCase): Evidence | null {
  if (temperature === null) return null;
  const highest = largest(temperature);
  return observe('evidence.temperature', { highest: amount(highest, 'celsius') }, 'temperature_celsius', { highest });
}

/** All of a job that runs in step wait for its slowest: the loss of each that is hot counts for its share of them. */
function withWaiting(file: CaseFile, found: readonly Finding[]): Finding[] {
  const jobs = found.map(({ gpus }) => file.jobs.find((job) => job.gpus.some(({ uuid }) => uuid === gpus[0])));
  return found.map((finding, index) => {
    const job = jobs[index];
    const [first, ...rest] = finding.evidence;
    if (job === undefined || first === undefined || finding.lostSeconds === 0 || !isInStep(job)) return finding;
    const waiting = job.gpus.length / jobs.filter((other) => other === job).length;
    const seen = { ...first, values: { ...first.values, waiting } };
    return { ...finding, lostSeconds: finding.lostSeconds * waiting, evidence: [seen, ...rest] };
  });
}

/** Without the driver's word: a limit of the card that was reached, or a clock that falls with heat. */
function byTemperature(file: CaseFile, gpu: GpuCase): Finding[] {
  const { window } = file;
  const { temperature } = gpu;
  if (temperature === null) return [];
  const limit = gpu.gpu.peak('temperature_max_operating_celsius') ?? gpu.gpu.peak('temperature_slowdown_celsius');
  if (limit !== null && limit > 0) return atLimit(file, gpu, temperature, limit);
  const highest = largest(temperature);
  const falling = highest >= HOT_ENOUGH ? fallingClock(file, gpu, temperature) : null;
  if (falling !== null) return [falling];
  const isLaptop = /laptop|mobile|max-q/i.test(gpu.gpu.device.name);
  const hot = isLaptop ? HOT_LAPTOP_CELSIUS : HOT_CELSIUS;
  const spells = highest > hot ? lasting(window, HOT_SECONDS, (cell) => temperature[cell]! > hot) : [];
  if (spells.length === 0) return [];
  const span = outerSpan(window, spells);
  const seconds = (span.to - span.from) / 1000;
  return [
    claim(thermalThrottle, {
      ...span,
      state: 'possible',
      severity: 'warning',
      gpus: [gpu.uuid],
      evidence: [
        observe(
          'evidence.temperature-high',
          {
            gpu: gpuName(gpu.gpu.device),
            limit: amount(hot, 'celsius'),
            span: spanOf(seconds),
            highest: amount(highest, 'celsius'),
          },
          'temperature_celsius',
          { limit: hot, highest, seconds },
        ),
      ],
      missing: ['clock_event_reasons', 'sm_clock_hertz'],
    }),
  ];
}

/** Degrees below the limit at which one may be sure to run into it. */
const MARGIN = 2;

function atLimit(file: CaseFile, gpu: GpuCase, temperature: Values, limit: number): Finding[] {
  const { window } = file;
  const near = lasting(window, LEAST_SECONDS, (cell) => temperature[cell]! >= limit - MARGIN);
  const highest = largest(temperature);
  const isMoment = window.length < 10 && highest >= limit - MARGIN;
  if (near.length === 0 && !isMoment) return [];
  const mask = new Uint8Array(window.length);
  for (const { start, end } of near) mask.fill(1, start, end);
  const loss = near.length === 0 ? null : clockLoss(file, gpu, mask);
  const unusual = unusualLimit(gpu, limit);
  const isReached = medianUnder(temperature, mask) >= limit;
  const isSlower = loss !== null && loss.share >= (isReached ? CLOCK_DROP : CLOCK_DROP_ALONE);
  return [
    claim(thermalThrottle, {
      ...outerSpan(window, near),
      state: isSlower ? 'likely' : 'possible',
      severity: 'warning',
      gpus: [gpu.uuid],
      lostSeconds: isSlower ? window.secondsUnder(mask) * loss.share : 0,
      evidence: [
        observe(
          'evidence.temperature-limit',
          { gpu: gpuName(gpu.gpu.device), temperature: amount(highest, 'celsius'), limit: amount(limit, 'celsius') },
          'temperature_celsius',
          { highest, limit },
        ),
        loss === null ? null : clockEvidence(loss),
        unusual,
      ],
      ...(unusual === null ? {} : { fix: DIAGNOSIS_MESSAGES['report.fix-limit'] }),
      missing: ['clock_event_reasons'],
    }),
  ];
}

/** A limit far below the point at which the hardware steps in was set by somebody: a firmware for a thin machine, say. */
function unusualLimit({ gpu }: GpuCase, limit: number): Evidence | null {
  const slowdown = gpu.peak('temperature_slowdown_celsius');
  if (slowdown === null || slowdown - limit < 25) return null;
  const words = { limit: amount(limit, 'celsius'), slowdown: amount(slowdown, 'celsius') };
  return observe('evidence.limit-unusual', words, 'temperature_max_operating_celsius', { limit, slowdown });
}

/** Cooler than this no card throttles by heat. */
const HOT_ENOUGH = 80;

/** Nobody knows the limit, but at full load the clock goes down as the temperature goes up. */
function fallingClock(file: CaseFile, gpu: GpuCase, temperature: Values): Finding | null {
  const { window } = file;
  const { clock, util } = gpu;
  if (clock === null || util === null) return null;
  if (quantilesUnder(temperature, null, [0.95])[0]! < HOT_ENOUGH) return null;
  const busyClock = new Float32Array(clock.length).fill(Number.NaN);
  for (let cell = 0; cell < clock.length; cell++) if (util[cell]! >= 0.7) busyClock[cell] = clock[cell]!;
  const clocks = present(busyClock);
  if (clocks.length < 30) return null;
  const [low = 0, high = 0] = quantiles(clocks, [0.1, 0.9]);
  const tie = correlation(temperature, busyClock);
  const share = 1 - low / high;
  if (tie > -0.6 || share < CLOCK_DROP_ALONE) return null;
  const spells = lasting(window, 0, (cell) => busyClock[cell]! <= high * (1 - CLOCK_DROP));
  const seconds = window.secondsOf((cell) => busyClock[cell]! <= high * (1 - CLOCK_DROP));
  return claim(thermalThrottle, {
    ...outerSpan(window, spells),
    state: 'likely',
    severity: 'warning',
    gpus: [gpu.uuid],
    lostSeconds: seconds * share,
    evidence: [
      observe('evidence.clock-follows-heat', { value: figure(tie) }, 'sm_clock_hertz', { correlation: tie }),
      clockEvidence({ usual: high, held: low, share }),
      peakTemperature(gpu),
    ],
    missing: ['clock_event_reasons'],
  });
}
