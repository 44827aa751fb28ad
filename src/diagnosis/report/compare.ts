import type { MetricId } from '../../model/catalogue.ts';
import { type Finding, NAMED_STATES } from '../../model/finding.ts';
import { openCase } from '../case/case-file.ts';
import { atWork } from '../case/gpu-case.ts';
import type { Diagnosis } from '../diagnosis.ts';
import { mean } from '../statistics/summary.ts';

const COMPARED: readonly MetricId[] = [
  'utilization_ratio',
  'sm_active_ratio',
  'power_watts',
  'sm_clock_hertz',
  'temperature_celsius',
  'memory_used_bytes',
];

/** Of these more is better; of the others that depends. */
const DIRECTION: Readonly<Partial<Record<MetricId, 1 | -1>>> = {
  utilization_ratio: 1,
  sm_active_ratio: 1,
  sm_clock_hertz: 1,
};

/** A smaller change than this share is noise between two runs. */
const NOISE = 0.03;

/** With fewer steps their time is chance. */
const LEAST_STEPS = 5;

/** In less than this no work is told apart from a moment's load. */
const SHORT_SECONDS = 60;

type Verdict = 'better' | 'worse' | 'same';

interface Change {
  readonly metric: MetricId;
  readonly before: number;
  readonly after: number;
  /** Null for what is neither good nor bad. */
  readonly verdict: Verdict | null;
}

/** What decides whether the later one is better. */
interface Overall {
  readonly verdict: Verdict | null;
  readonly by: 'health' | 'healed' | 'steps' | 'lost' | 'use' | 'same-run' | 'short' | 'unknown';
}

export interface Comparison {
  readonly overall: Overall;
  readonly changes: readonly Change[];
  readonly gone: readonly Finding[];
  readonly fresh: readonly Finding[];
  readonly still: readonly Finding[];
  /** Lost share of the GPU time, before and after. */
  readonly lostShares: readonly [number, number];
  /** Time of a step, before and after; null where it is not known. */
  readonly stepSeconds: readonly [number | null, number | null];
}

/** What changed from one recording to another: means over the work of all GPUs, the findings, and whether it is better. */
export function compare(before: Diagnosis, after: Diagnosis): Comparison {
  const [was, is] = [named(before), named(after)];
  const measured = {
    changes: changesOf(before, after),
    gone: was.filter(({ rule }) => !has(is, rule)),
    fresh: is.filter(({ rule }) => !has(was, rule)),
    still: is.filter(({ rule }) => has(was, rule)),
    lostShares: [lostShare(before), lostShare(after)] as const,
    stepSeconds: [stepSecondsOf(before), stepSecondsOf(after)] as const,
  };
  return { overall: sameOf(before, after) ?? overallOf(measured, isShort(before) || isShort(after)), ...measured };
}

function changesOf(before: Diagnosis, after: Diagnosis): readonly Change[] {
  const [old, now] = [before, after].map(({ window }) => openCase(window).gpus);
  const level = (gpus: typeof old, id: MetricId): number => {
    const means = gpus!.flatMap((gpu) => {
      const column = gpu.gpu.column(id);
      return column === null || gpu.work.seconds === 0 ? [] : [mean(atWork(gpu, column))];
    });
    return mean(Float64Array.from(means));
  };
  return COMPARED.flatMap((id): Change[] => {
    const [a, b] = [level(old, id), level(now, id)];
    const direction = DIRECTION[id];
    if (Number.isNaN(a) || Number.isNaN(b)) return [];
    return [{ metric: id, before: a, after: b, verdict: direction === undefined ? null : verdictOn(a, b, direction) }];
  });
}

function verdictOn(before: number, after: number, direction: 1 | -1): Verdict {
  const change = (after - before) / Math.abs(before || 1);
  if (Math.abs(change) < NOISE) return 'same';
  return change * direction > 0 ? 'better' : 'worse';
}

/** A fault goes before speed; the time of a step is speed itself, what was lost comes near it, utilisation only hints at it. */
function overallOf(
  { changes, gone, fresh, lostShares, stepSeconds }: Omit<Comparison, 'overall'>,
  isTooShort: boolean,
): Overall {
  if (fresh.some(isFault)) return { verdict: 'worse', by: 'health' };
  const [stepBefore, stepAfter] = stepSeconds;
  if (stepBefore !== null && stepAfter !== null) {
    return { verdict: verdictOn(stepBefore, stepAfter, -1), by: 'steps' };
  }
  if (gone.some(isFault)) return { verdict: 'better', by: 'healed' };
  const [lostBefore, lostAfter] = lostShares;
  if (Math.abs(lostAfter - lostBefore) >= NOISE) {
    return { verdict: lostAfter < lostBefore ? 'better' : 'worse', by: 'lost' };
  }
  const use = changes.find(({ metric }) => metric === 'utilization_ratio');
  if (use !== undefined) return { verdict: use.verdict, by: 'use' };
  return { verdict: null, by: isTooShort ? 'short' : 'unknown' };
}

/** Nothing can be told of a recording by itself. */
function sameOf(before: Diagnosis, after: Diagnosis): Overall | null {
  const [run, other] = [before.recorded.run, after.recorded.run];
  if (run === undefined || other === undefined) return null;
  const isSame = run.id === other.id && run.host === other.host && run.startedAt === other.startedAt;
  return isSame ? { verdict: null, by: 'same-run' } : null;
}

/** The utilisation is there, but no work was told apart in so little of it. */
function isShort({ window }: Diagnosis): boolean {
  const hasUse = window.gpus.some((gpu) => gpu.has('utilization_ratio'));
  return hasUse && window.secondsOf(() => true) < SHORT_SECONDS;
}

/** Something is broken, rather than slow. */
export function isFault({ severity, state }: Finding): boolean {
  return severity === 'critical' && state !== 'possible';
}

/** What the run has measured itself, else what its markers tell. */
function stepSecondsOf({ recorded, window }: Diagnosis): number | null {
  if (recorded.run?.stepSeconds != null) return recorded.run.stepSeconds;
  const steps = window.events.flatMap(({ kind, at, params: { phase, step } }) =>
    kind === 'marker' && phase === 'step' && typeof step === 'number' ? [{ at, step }] : [],
  );
  const [first, last] = [steps[0], steps.at(-1)];
  if (first === undefined || last === undefined || last.step - first.step < LEAST_STEPS) return null;
  return (last.at - first.at) / 1000 / (last.step - first.step);
}

function named({ findings }: Diagnosis): readonly Finding[] {
  return findings.filter(({ state }) => NAMED_STATES.includes(state));
}

function has(list: readonly Finding[], rule: Finding['rule']): boolean {
  return list.some((one) => one.rule === rule);
}

/** The costliest finding counts: two findings may be about the same time. */
function lostShare({ window, findings }: Diagnosis): number {
  const whole = window.gpus.length * window.secondsOf(() => true);
  const lost = Math.max(0, ...findings.map(({ lostSeconds }) => lostSeconds));
  return whole === 0 ? 0 : Math.min(1, lost / whole);
}
