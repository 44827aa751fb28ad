import { type Finding, NAMED_STATES, type RuleId } from '../model/finding.ts';
import { DIAGNOSIS_MESSAGES } from '../model/i18n/messages-diagnosis.ts';
import type { Job } from './case/jobs.ts';
import { observe } from './detector.ts';
import { spanOf } from './wording.ts';

const STOPS_WORK: readonly RuleId[] = ['gpu-lost', 'xid'];
const SLOWS_ONE: readonly RuleId[] = ['thermal-throttle', 'power-brake', 'power-cap', 'foreign-process'];

/** Of these, what is only of note explains nothing. */
const NO_CAUSE_IF_INFO: readonly RuleId[] = [...SLOWS_ONE, 'collective-hang'];

/** What explains what: a finding that follows from one of these is no cause of its own. */
const EXPLAINED_BY: Readonly<Partial<Record<RuleId, readonly RuleId[]>>> = {
  'thermal-outlier': ['thermal-throttle'],
  'collective-hang': STOPS_WORK,
  straggler: [...STOPS_WORK, ...SLOWS_ONE, 'collective-hang'],
  imbalance: [...STOPS_WORK, 'collective-hang', ...SLOWS_ONE],
  'data-starvation': [...STOPS_WORK, 'collective-hang', 'imbalance', ...SLOWS_ONE],
  'memory-imbalance': ['imbalance', 'foreign-process'],
  'launch-bound': [...STOPS_WORK, ...SLOWS_ONE, 'collective-hang', 'straggler', 'data-starvation'],
  'bandwidth-bound': [...STOPS_WORK, 'thermal-throttle'],
  // What nothing runs in cannot run out.
  'memory-near-limit': ['memory-leak', 'idle-held'],
  'idle-held': ['not-on-gpu', ...STOPS_WORK],
  'copy-bound': ['data-starvation'],
  'low-utilization': [
    ...STOPS_WORK,
    ...SLOWS_ONE,
    'collective-hang',
    'imbalance',
    'straggler',
    'data-starvation',
    'epoch-gap',
    'checkpoint-stall',
    'comm-bound',
    'copy-bound',
    'not-on-gpu',
  ],
};

/** A cause explains what lies within its time to this share. */
const OVERLAP = 0.3;

const SURENESS: Readonly<Record<Finding['state'], number>> = {
  confirmed: 3,
  likely: 2,
  possible: 1,
  'ruled-out': 0,
  'not-evaluable': 0,
};

/** Rules out findings that another one explains: of the same GPUs, or of GPUs of the same job, at the same time. */
export function settleConflicts(findings: readonly Finding[], jobs: readonly Job[]): readonly Finding[] {
  const named = findings.filter(({ state }) => NAMED_STATES.includes(state));
  const causes = new Map<Finding, Finding>();
  for (const finding of named) {
    const cause = named.find((other) => other !== finding && explains(other, finding, jobs));
    if (cause !== undefined) causes.set(finding, cause);
  }
  return findings.map((finding) => {
    const cause = causes.get(finding);
    if (cause !== undefined) return asConsequence(finding, cause.rule);
    return named
      .filter((other) => other.rule === 'collective-hang' && causes.get(other) === finding)
      .reduce(withWaiting, finding);
  });
}

/** Ranks that wait for a lost one lose their time to what it was lost by. */
function withWaiting(cause: Finding, hang: Finding): Finding {
  const waiting = hang.gpus.filter((uuid) => !cause.gpus.includes(uuid)).length;
  if (waiting === 0) return cause;
  const seconds = hang.lostSeconds / hang.gpus.length;
  const seen = observe('evidence.ranks-wait', { count: waiting, span: spanOf(seconds) }, null, {
    ranks: waiting,
    seconds,
  });
  const lostSeconds = Math.round((cause.lostSeconds + waiting * seconds) * 10) / 10;
  return { ...cause, lostSeconds, evidence: [...cause.evidence, seen] };
}

function explains(cause: Finding, effect: Finding, jobs: readonly Job[]): boolean {
  if (!EXPLAINED_BY[effect.rule]?.includes(cause.rule)) return false;
  // Low utilisation is a symptom, sure as it may be: any cause goes before it.
  const isSymptom = effect.rule === 'low-utilization';
  if (
    (cause.severity === 'info' && NO_CAUSE_IF_INFO.includes(cause.rule)) ||
    (!isSymptom && SURENESS[cause.state] < SURENESS[effect.state])
  )
    return false;
  return overlap(cause, effect) >= OVERLAP && areRelated(cause, effect, jobs);
}

/** Share of the time of an effect that its cause covers. What the cause stopped lasts longer than the cause itself. */
function overlap(cause: Finding, effect: Finding): number {
  // A program that leaks fills the memory in each of its lives.
  if (cause.rule === 'memory-leak') return 1;
  const length = effect.to - effect.from;
  if (STOPS_WORK.includes(cause.rule)) return effect.from >= cause.from - 120_000 ? 1 : 0;
  if (length <= 0) return cause.from <= effect.from && effect.from <= cause.to ? 1 : 0;
  return (Math.min(cause.to, effect.to) - Math.max(cause.from, effect.from)) / length;
}

function areRelated(cause: Finding, effect: Finding, jobs: readonly Job[]): boolean {
  if (cause.gpus.length === 0) return true;
  const together = new Set(cause.gpus);
  for (const { gpus } of jobs) {
    if (gpus.some(({ uuid }) => cause.gpus.includes(uuid))) for (const { uuid } of gpus) together.add(uuid);
  }
  return effect.gpus.some((uuid) => together.has(uuid));
}

function asConsequence(finding: Finding, rule: RuleId): Finding {
  const why = observe('evidence.follows', { rule: DIAGNOSIS_MESSAGES[`rule.${rule}`] });
  return { ...finding, state: 'ruled-out', lostSeconds: 0, consequenceOf: rule, evidence: [why, ...finding.evidence] };
}
