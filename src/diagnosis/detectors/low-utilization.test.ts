import { expect, test } from 'vitest';
import type { MetricId } from '../../model/catalogue.ts';
import type { Finding } from '../../model/finding.ts';
import { diagnose } from '../diagnose.ts';
import { conclude, TICKS_TELL } from '../diagnosis.ts';
import { reportText } from '../report/text.ts';
import { noise, type Script, scriptedTicks, windowOf } from '../test-ticks.ts';
import { TickLog } from '../window/tick-log.ts';

const GIB = 2 ** 30;

const reading = (util: number, bytes = 40 * GIB): Partial<Record<MetricId, number>> => ({
  utilization_ratio: util,
  memory_used_bytes: bytes,
  memory_total_bytes: 80 * GIB,
  power_watts: 70 + 400 * util,
  power_limit_watts: 700,
  memory_utilization_ratio: util / 2,
});

const low = (findings: readonly Finding[]): Finding => findings.find(({ rule }) => rule === 'low-utilization')!;

/** Ten minutes of work at 40 %, five of nothing, ten of work again. */
const withPause = (bytes: number): Script => ({
  gpus: 1,
  seconds: 1500,
  readings: (gpu, second) =>
    second >= 600 && second < 900 + 1 ? reading(0, bytes) : reading(0.35 + 0.1 * noise(gpu, second)),
});

test('idle time in which the program keeps its memory counts, and every number is of the time that is told', () => {
  const window = windowOf(scriptedTicks(withPause(40 * GIB)));
  const finding = low(diagnose(window));
  const within = [...window.gpus[0]!.column('utilization_ratio')!].filter(
    (_, cell) => window.at[cell]! >= finding.from && window.at[cell]! <= finding.to,
  );
  const mean = within.reduce((sum, value) => sum + value, 0) / within.length;
  expect(within.length).toBeGreaterThan(1480);
  expect(finding.evidence[0]?.values['mean']).toBeCloseTo(mean, 5);
  expect(finding.evidence[0]?.values['seconds']).toBeCloseTo(within.length, 0);
  expect(finding.lostSeconds).toBeCloseTo((1 - mean) * within.length, 0);
});

test('time between two programs is not counted', () => {
  const finding = low(diagnose(windowOf(scriptedTicks(withPause(0)))));
  expect(finding.to - finding.from).toBeLessThan(620_000);
});

test('power and use of the memory are means, as utilisation is', () => {
  const finding = low(
    diagnose(
      windowOf(
        scriptedTicks({
          gpus: 1,
          seconds: 1200,
          every: 15,
          readings: (_, second) => reading((second / 15) % 5 < 2 ? 0.9 : 0),
        }),
      ),
    ),
  );
  const power = finding.evidence.find(({ metric }) => metric === 'power_watts')?.values['power'];
  expect(finding.state).toBe('possible');
  // 40 % of the time at 430 W, the rest at 70 W, of a limit of 700 W.
  expect(power).toBeCloseTo(0.4 * (360 / 630), 1);
  expect(finding.evidence.some(({ text }) => text.en.includes('small kernels or waiting'))).toBe(false);
});

test('GPUs that are little busy for a reason nobody knows are not called healthy', () => {
  const log = new TickLog();
  const script: Script = {
    gpus: 1,
    seconds: 1800,
    readings: (_, second) => reading(noise(3, Math.floor(second / 5)) < 0.3 ? 0.9 : 0),
  };
  for (const tick of scriptedTicks(script)) log.add(tick);
  const diagnosis = conclude(log, { ...TICKS_TELL, name: 'a.csv', format: 'nvidia-smi-csv', seesXids: true });
  const finding = low(diagnosis.findings);
  expect(finding.state).toBe('not-evaluable');
  expect(finding.missing).not.toContain('memory_utilization_ratio');
  expect(reportText(diagnosis, 'en', false)).toMatch(
    /No cause was found, but the GPUs were little busy.*2\d\.?\d?% busy/,
  );
  expect(reportText(diagnosis, 'zh', false)).toContain('没有找到原因，但 GPU 利用率偏低');
});
