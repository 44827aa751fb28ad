import { expect, test } from 'vitest';
import type { MetricId } from '../../model/catalogue.ts';
import type { Finding } from '../../model/finding.ts';
import { ReadingSet } from '../../model/reading-set.ts';
import { diagnose } from '../diagnose.ts';
import { scriptedTicks, windowOf } from '../test-ticks.ts';

const GIB = 2 ** 30;

/** Eight ranks work for 300 s and spin for 600 s; each blips for a second every 45 s, at a time of its own. */
function readings(gpu: number, second: number): Partial<Record<MetricId, number>> {
  const common = { memory_used_bytes: 60 * GIB, memory_total_bytes: 80 * GIB, power_limit_watts: 700 };
  if (second < 300) return { ...common, utilization_ratio: 0.96, power_watts: 620, memory_utilization_ratio: 0.5 };
  const isBlip = (second + 5 * gpu) % 45 === 0;
  return {
    ...common,
    utilization_ratio: isBlip ? 0.6 : 1,
    power_watts: 130,
    memory_utilization_ratio: (second % 4) / 100,
  };
}

const of = (findings: readonly Finding[], rule: Finding['rule']): Finding =>
  findings.find((finding) => finding.rule === rule)!;

test('single readings out of line neither end nor hide a hang, and what is told was measured', () => {
  const findings = diagnose(windowOf(scriptedTicks({ gpus: 8, seconds: 900, readings })));
  const hang = of(findings, 'collective-hang');
  expect(hang.state).toBe('likely');
  expect(hang.lostSeconds).toBeCloseTo(8 * 600, -2);
  const util = (44 + 0.6) / 45;
  expect(hang.evidence[0]?.values['util']).toBeCloseTo(util, 3);
  expect(hang.evidence[0]?.text.en).toContain('99.1% busy');
  expect(of(findings, 'launch-bound').state).toBe('ruled-out');
});

test('work with pauses of that length is no hang', () => {
  const findings = diagnose(
    windowOf(
      scriptedTicks({
        gpus: 4,
        seconds: 900,
        readings: (gpu, second) =>
          second % 4 === 0 ? { ...readings(gpu, 300), utilization_ratio: 0.4 } : readings(gpu, 301),
      }),
    ),
  );
  expect(of(findings, 'collective-hang').state).toBe('ruled-out');
});

test('a GPU that was lost costs the time of the ranks that wait for it', () => {
  const findings = diagnose(
    windowOf(
      scriptedTicks({
        gpus: 8,
        seconds: 900,
        readings,
        sample: (gpu, second) =>
          gpu === 3 && second >= 300 ? { state: 'lost', readings: ReadingSet.allAbsent('gpu-lost') } : {},
      }),
    ),
  );
  expect(of(findings, 'collective-hang')).toMatchObject({ consequenceOf: 'gpu-lost', lostSeconds: 0 });
  const lost = of(findings, 'gpu-lost');
  expect(lost.lostSeconds).toBeCloseTo(8 * 600, -2);
  expect(lost.evidence.at(-1)?.values['ranks']).toBe(7);
});
