import { type Finding, NAMED_STATES } from '../model/finding.ts';
import { DIAGNOSIS_MESSAGES } from '../model/i18n/messages-diagnosis.ts';
import { fill, type Text } from '../model/i18n/text.ts';

/** So many moments show a course. */
const LEAST_CELLS = 10;

/** Rules that are ruled out by any data at all, so that they do not tell whether there was enough. */
const ALWAYS_JUDGED: readonly Finding['rule'][] = ['gpu-lost', 'monitor-overhead'];

/**
 * What is said where no cause is named in data of so many moments: that all is well, that the GPUs did little and nobody
 * knows why, or that nothing can be told. Null where a cause is named.
 */
export function headlineOf(findings: readonly Finding[], cells: number): Text | null {
  if (findings.some(({ state }) => NAMED_STATES.includes(state))) return null;
  const low = findings.find(({ rule, state }) => rule === 'low-utilization' && state === 'not-evaluable');
  const [how] = low?.evidence ?? [];
  if (how?.values['mean'] !== undefined) {
    const { en, zh } = DIAGNOSIS_MESSAGES['report.little-busy'];
    return { en: fill(en, { how: how.text.en }), zh: fill(zh, { how: how.text.zh }) };
  }
  const isJudged =
    cells >= LEAST_CELLS && findings.some(({ rule, state }) => state === 'ruled-out' && !ALWAYS_JUDGED.includes(rule));
  return DIAGNOSIS_MESSAGES[isJudged ? 'report.nothing-wrong' : 'report.nothing-evaluable'];
}
