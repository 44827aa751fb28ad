import type { Finding, RuleId } from '../../src/model/finding.ts';
import type { Family, Level } from './family.ts';

/** What was said of one case. */
export interface Outcome {
  readonly family: Family;
  readonly level: Level;
  readonly findings: readonly Finding[];
  readonly gpuSeconds: number;
}

/** Right and wrong answers on one cause. */
interface Tally {
  right: number;
  wrong: number;
  missed: number;
}

export interface Score {
  readonly byRule: ReadonlyMap<RuleId, Tally>;
  readonly macroF1: number;
  /** Wrong causes called likely or confirmed, and all that were. */
  readonly overclaims: number;
  readonly claims: number;
  readonly healthAlarms: number;
  readonly falsePerGpuDay: number;
  /** `family: rule state`, for a closer look. */
  readonly faults: readonly string[];
}

const NAMED: readonly Finding['state'][] = ['confirmed', 'likely', 'possible'];
const SURE: readonly Finding['state'][] = ['confirmed', 'likely'];

/** Scores answers against causes; what the data of a level cannot show is not asked for. */
export function score(
  outcomes: readonly Outcome[],
  isNamed: (finding: Finding) => boolean = ({ state }) => NAMED.includes(state),
): Score {
  const byRule = new Map<RuleId, Tally>();
  const tally = (rule: RuleId): Tally => {
    const known = byRule.get(rule) ?? { right: 0, wrong: 0, missed: 0 };
    byRule.set(rule, known);
    return known;
  };
  const faults: string[] = [];
  let [claims, overclaims, healthAlarms, falseFindings, gpuSeconds] = [0, 0, 0, 0, 0];
  for (const { family, level, findings, gpuSeconds: seconds } of outcomes) {
    gpuSeconds += seconds;
    const { cause, alsoTrue = [], looksLike = [], visibleAt } = family;
    const named = findings.filter(isNamed);
    const rules = new Set(named.map(({ rule }) => rule));
    if (cause !== null && (visibleAt === undefined || visibleAt.includes(level))) {
      if (rules.has(cause)) tally(cause).right++;
      else {
        tally(cause).missed++;
        faults.push(`${level} ${family.name}: missed ${cause}`);
      }
    }
    for (const { rule, state, layer, severity } of named) {
      const isTrue = rule === cause || alsoTrue.includes(rule);
      if (SURE.includes(state)) {
        claims++;
        if (!isTrue) overclaims++;
      }
      if (isTrue || (state === 'possible' && looksLike.includes(rule))) continue;
      falseFindings++;
      if (layer === 'health' && severity !== 'info') healthAlarms++;
      faults.push(`${level} ${family.name}: wrong ${rule} ${state}`);
      tally(rule).wrong++;
    }
  }
  const asked = [...byRule].filter(([, { right, missed }]) => right + missed > 0);
  const macroF1 = asked.reduce((sum, [, one]) => sum + f1(one), 0) / asked.length;
  return {
    byRule,
    macroF1,
    overclaims,
    claims,
    healthAlarms,
    falsePerGpuDay: falseFindings / (gpuSeconds / 86_400),
    faults,
  };
}

function f1({ right, wrong, missed }: Tally): number {
  return right === 0 ? 0 : (2 * right) / (2 * right + wrong + missed);
}

/** Wilson's interval of a share, 95 %. */
export function interval(hits: number, of: number): readonly [number, number] {
  if (of === 0) return [0, 1];
  const z = 1.96;
  const p = hits / of;
  const middle = (p + (z * z) / (2 * of)) / (1 + (z * z) / of);
  const half = (z * Math.sqrt((p * (1 - p)) / of + (z * z) / (4 * of * of))) / (1 + (z * z) / of);
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}
