import { mean, present, share } from '../../src/diagnosis/statistics/summary.ts';
import type { Window } from '../../src/diagnosis/window/window.ts';
import type { Finding, RuleId } from '../../src/model/finding.ts';

/** Thresholds as articles give them, and those of the public rules of SageMaker Debugger, taken at their word. */
export function naiveFindings(window: Window): readonly Finding[] {
  const found = new Set<RuleId>();
  const levels: number[] = [];
  for (const gpu of window.gpus) {
    const util = gpu.column('utilization_ratio');
    const used = gpu.column('memory_used_bytes');
    const total = gpu.peak('memory_total_bytes');
    const heat = gpu.column('temperature_celsius');
    if (util !== null) {
      const values = present(util);
      const level = mean(values);
      levels.push(level);
      if (level < 0.5) found.add('low-utilization');
      if (share(values, (value) => value < 0.1) > 0.2 && level > 0.1) found.add('data-starvation');
    }
    if (used !== null && total !== null) {
      const memory = present(used);
      if (mean(memory) / total > 0.9) found.add('memory-near-limit');
      const half = Math.floor(memory.length / 2);
      if (mean(memory.subarray(half)) > 1.05 * mean(memory.subarray(0, half))) found.add('memory-leak');
      if (levels.at(-1)! < 0.05 && mean(memory) / total > 0.1) found.add('idle-held');
    }
    if (heat !== null && Math.max(...present(heat)) > 83) found.add('thermal-throttle');
  }
  if (levels.length > 1 && Math.max(...levels) - Math.min(...levels) > 0.1) found.add('imbalance');
  return [...found].map((rule) => finding(rule, window));
}

function finding(rule: RuleId, { from, to }: Window): Finding {
  return {
    rule,
    state: 'likely',
    severity: 'warning',
    layer: 'performance',
    gpus: [],
    from,
    to,
    lostSeconds: 0,
    evidence: [],
    missing: [],
    fix: { en: '', zh: '' },
  };
}
