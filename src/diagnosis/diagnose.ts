import { FINDING_STATES, type Finding, RULES, type RuleId } from '../model/finding.ts';
import { type CaseFile, openCaseInSteps } from './case/case-file.ts';
import { settleConflicts } from './conflicts.ts';
import { type Detector, noClaim, observe } from './detector.ts';
import { DETECTORS } from './detectors/all.ts';
import { mergeAlike } from './merge-alike.ts';
import type { Window } from './window/window.ts';

const LAYER_ORDER: readonly Finding['layer'][] = ['health', 'performance'];
const SEVERITY_ORDER: readonly Finding['severity'][] = ['critical', 'warning', 'info'];

/**
 * A verdict on every rule: what was found, what was ruled out, and what cannot be judged. Those that name a cause come
 * first: health before performance, worse before better, then by what they cost.
 */
export function diagnose(window: Window): readonly Finding[] {
  const steps = diagnoseInSteps(window);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** {@link diagnose} in steps of a few milliseconds, for who has something else to do in between, or for some rules only. */
export function* diagnoseInSteps(
  window: Window,
  rules: readonly RuleId[] = RULES,
): Generator<undefined, readonly Finding[]> {
  const file = yield* openCaseInSteps(window);
  const findings: Finding[] = [];
  for (const detector of DETECTORS) {
    if (!rules.includes(detector.id)) continue;
    findings.push(...mergeAlike(verdicts(detector, file)));
    yield;
  }
  return settled(findings, file);
}

/** Findings with their conflicts settled, in the order in which they are told. */
function settled(findings: readonly Finding[], { jobs }: CaseFile): readonly Finding[] {
  return [...settleConflicts(findings, jobs)].sort(inOrder);
}

function verdicts(detector: Detector, file: CaseFile): readonly Finding[] {
  const missing = detector.needs.filter((id) => !file.gpus.some(({ gpu }) => gpu.has(id)));
  if (missing.length > 0) {
    const isMig = file.window.gpus.some(({ device }) => device.mig !== undefined);
    return [noClaim(detector, file, 'not-evaluable', isMig ? 'evidence.mig' : 'evidence.missing', missing)];
  }
  const found = detector.detect(file);
  return found.length > 0 ? found : [nothingFound(detector, file)];
}

/** Fewer moments than this show no course. */
const LEAST_CELLS = 10;

/** Nothing of a cause counts as ruled out only where there was enough to see it by. */
function nothingFound(detector: Detector, file: CaseFile): Finding {
  const { leastSeconds = 0, layer } = detector;
  if (file.window.length < LEAST_CELLS && layer === 'performance') {
    return noClaim(detector, file, 'not-evaluable', 'evidence.single-sample');
  }
  const worked = Math.max(0, ...file.gpus.map(({ work }) => work.seconds));
  if (worked > 0 && worked < leastSeconds) {
    return noClaim(detector, file, 'not-evaluable', observe('evidence.too-short', { seconds: Math.round(worked) }));
  }
  return noClaim(
    detector,
    file,
    'ruled-out',
    worked === 0 && leastSeconds > 0 ? 'evidence.no-work' : 'evidence.nothing-found',
  );
}

/** Whether one finding is told before another. */
export function inOrder(a: Finding, b: Finding): number {
  const named = (finding: Finding): number =>
    FINDING_STATES.indexOf(finding.state) < 3 ? 0 : FINDING_STATES.indexOf(finding.state);
  return (
    named(a) - named(b) ||
    LAYER_ORDER.indexOf(a.layer) - LAYER_ORDER.indexOf(b.layer) ||
    SEVERITY_ORDER.indexOf(a.severity) - SEVERITY_ORDER.indexOf(b.severity) ||
    FINDING_STATES.indexOf(a.state) - FINDING_STATES.indexOf(b.state) ||
    b.lostSeconds - a.lostSeconds ||
    RULES.indexOf(a.rule) - RULES.indexOf(b.rule)
  );
}
