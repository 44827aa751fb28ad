/**
 * How good the diagnosis is, on simulated situations of which the cause is known, with parameters drawn apart for tuning
 * and for test. `CASES=20 npm run bench -- diagnosis` draws more of each; `SPLIT=tune` draws those to work on.
 */
import { diagnose } from '../src/diagnosis/diagnose.ts';
import { naiveFindings } from './diagnosis/baselines.ts';
import { CAUSES } from './diagnosis/causes.ts';
import { CONFOUNDERS } from './diagnosis/confounders.ts';
import { LEVELS, type Level } from './diagnosis/family.ts';
import { LOOK_ALIKES } from './diagnosis/look-alikes.ts';
import { play, windowOf } from './diagnosis/play.ts';
import { interval, type Outcome, type Score, score } from './diagnosis/score.ts';
import { measureSpeed } from './diagnosis/speed.ts';

const CASES = Number(process.env['CASES'] ?? 6);
const SPLIT = process.env['SPLIT'] === 'tune' ? 'tune' : 'test';
const FIRST_SEED = SPLIT === 'tune' ? 1 : 100_001;

/** Sampling rates and losses that the cases take in turn. */
const QUALITIES = [
  { every: 1, missing: 0 },
  { every: 1, missing: 0.05 },
  { every: 2, missing: 0 },
];

const outcomes: Outcome[] = [];
const baseline: Outcome[] = [];
let diagnosedMs = 0;
for (const family of [...CAUSES, ...CONFOUNDERS, ...LOOK_ALIKES]) {
  for (let i = 0; i < CASES; i++) {
    const one = await play(family, FIRST_SEED + i * 31);
    const quality = QUALITIES[i % QUALITIES.length]!;
    for (const level of LEVELS) {
      const window = windowOf(one, { level, ...quality });
      const gpuSeconds = one.ticks.length * one.gpus;
      const began = performance.now();
      const findings = diagnose(window);
      diagnosedMs += performance.now() - began;
      outcomes.push({ family, level, findings, gpuSeconds });
      baseline.push({ family, level, findings: naiveFindings(window), gpuSeconds });
    }
  }
}

console.log(
  `${SPLIT} split, ${CASES} cases of each of ${CAUSES.length} causes, ${CONFOUNDERS.length} confounders and ${LOOK_ALIKES.length} look-alikes; ${(diagnosedMs / outcomes.length).toFixed(1)} ms each`,
);
console.log(await measureSpeed());
for (const level of LEVELS) {
  const at = (of: readonly Outcome[]): readonly Outcome[] => of.filter((outcome) => outcome.level === level);
  print(level, score(at(outcomes)));
  const sure = score(at(outcomes), ({ state }) => state === 'confirmed' || state === 'likely');
  const naive = score(at(baseline));
  console.log(
    `  likely and confirmed only: macro-F1 ${sure.macroF1.toFixed(3)}; article thresholds on the same data: macro-F1 ${naive.macroF1.toFixed(3)}, over-claims ${naive.overclaims} of ${naive.claims}`,
  );
}

function print(
  level: Level,
  { byRule, macroF1, overclaims, claims, healthAlarms, falsePerGpuDay, faults }: Score,
): void {
  const [low, high] = interval(overclaims, claims);
  console.log(
    `\n${level}: macro-F1 ${macroF1.toFixed(3)}, over-claims ${overclaims} of ${claims} (95% interval ${(100 * low).toFixed(1)}–${(100 * high).toFixed(1)}%), false health alarms ${healthAlarms}, false findings per GPU-day ${falsePerGpuDay.toFixed(2)}`,
  );
  for (const [rule, { right, wrong, missed }] of byRule) {
    const precision = right + wrong === 0 ? '-' : (right / (right + wrong)).toFixed(2);
    const recall = right + missed === 0 ? '-' : (right / (right + missed)).toFixed(2);
    console.log(
      `  ${rule.padEnd(20)} precision ${precision.padStart(4)}  recall ${recall.padStart(4)}  (${right} right, ${wrong} wrong, ${missed} missed)`,
    );
  }
  const counted = new Map<string, number>();
  for (const fault of faults) counted.set(fault, (counted.get(fault) ?? 0) + 1);
  for (const [fault, count] of counted) console.log(`    ${count} × ${fault}`);
}
