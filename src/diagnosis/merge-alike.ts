import { type Evidence, type Finding, NAMED_STATES } from '../model/finding.ts';

/** Findings whose times differ by less than this share of the longer one are of the same time. */
const SAME_TIME = 0.2;

/** Of each further GPU only the first observation is kept, and of so many at most. */
const MOST_GPUS = 7;

/** Each GPU apart: what stands in its place has an action or an end of its own. */
const APART: readonly Finding['rule'][] = [
  'xid',
  'gpu-lost',
  'row-remap',
  'ecc-growth',
  'straggler',
  'thermal-outlier',
  'foreign-process',
  'ghost-memory',
];

/** Makes one finding of those that say the same of several GPUs at the same time: eight cards are one cause. */
export function mergeAlike(findings: readonly Finding[]): readonly Finding[] {
  const merged: Finding[] = [];
  for (const finding of findings) {
    const place = APART.includes(finding.rule) ? -1 : merged.findIndex((other) => isAlike(other, finding));
    if (place < 0) merged.push(finding);
    else merged[place] = join(merged[place]!, finding);
  }
  return merged;
}

function isAlike(a: Finding, b: Finding): boolean {
  if (a.rule !== b.rule || a.state !== b.state || a.severity !== b.severity || !NAMED_STATES.includes(a.state))
    return false;
  const longer = Math.max(a.to - a.from, b.to - b.from);
  return Math.abs(a.from - b.from) <= SAME_TIME * longer && Math.abs(a.to - b.to) <= SAME_TIME * longer;
}

function join(first: Finding, next: Finding): Finding {
  const isNoted = first.gpus.length <= MOST_GPUS;
  const more: readonly Evidence[] = isNoted ? next.evidence.slice(0, 1) : [];
  return {
    ...first,
    gpus: [...new Set([...first.gpus, ...next.gpus])],
    from: Math.min(first.from, next.from),
    to: Math.max(first.to, next.to),
    lostSeconds: first.lostSeconds + next.lostSeconds,
    evidence: [...first.evidence, ...more],
    missing: [...new Set([...first.missing, ...next.missing])],
  };
}
