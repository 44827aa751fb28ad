import { type Finding, type FindingState, NAMED_STATES } from '../../model/finding.ts';
import { observe } from '../detector.ts';

/**
 * Verdicts from readings and from what the program has printed, as one. They are independent of each other: where both name a
 * cause it is confirmed. What the program measures of itself decides where the readings cannot tell.
 */
export function combine(readings: readonly Finding[], program: readonly Finding[]): readonly Finding[] {
  const judged = program.filter(({ state }) => state !== 'not-evaluable');
  const joined = readings.map((finding) => {
    const said = judged.find(({ rule }) => rule === finding.rule);
    return said === undefined || finding.consequenceOf !== undefined ? finding : join(finding, said);
  });
  return joined;
}

function join(finding: Finding, said: Finding): Finding {
  const [seen, told] = [isNamed(finding.state), isNamed(said.state)];
  const evidence = [...finding.evidence, ...said.evidence];
  if (seen && told) return { ...finding, state: 'confirmed', evidence, missing: [] };
  if (told) return { ...said, gpus: finding.gpus, from: finding.from, to: finding.to };
  // A pattern that could have been it, or that was only inferred, and the program's own clock says that it was not.
  if (finding.state === 'possible' || (finding.state === 'likely' && finding.missing.length > 0)) {
    const evidence = [...said.evidence, observe('evidence.program-denies', {}), ...finding.evidence];
    return { ...finding, state: 'ruled-out', severity: 'info', lostSeconds: 0, evidence, missing: [] };
  }
  return seen ? finding : { ...said, from: finding.from, to: finding.to };
}

function isNamed(state: FindingState): boolean {
  return NAMED_STATES.includes(state);
}
