import { expect, test } from 'vitest';
import type { MetricId } from '../../model/catalogue.ts';
import type { Finding, RuleId } from '../../model/finding.ts';
import { conclude, type Diagnosis, TICKS_TELL } from '../diagnosis.ts';
import { gainOf } from '../report/cost.ts';
import { noise, type Script, scriptedTicks } from '../test-ticks.ts';
import { TickLog } from '../window/tick-log.ts';

const GIB = 2 ** 30;

type Readings = Partial<Record<MetricId, number>>;

function busy(gpu: number, second: number, more: Readings = {}): Readings {
  return {
    utilization_ratio: 0.95 + 0.04 * noise(gpu, second),
    memory_used_bytes: 60 * GIB,
    memory_total_bytes: 80 * GIB,
    power_watts: 600,
    power_limit_watts: 700,
    ...more,
  };
}

function judged(script: Script): Diagnosis {
  const log = new TickLog();
  for (const tick of scriptedTicks(script)) log.add(tick);
  return conclude(log, { ...TICKS_TELL, name: 'a.csv', format: 'nvidia-smi-csv', seesXids: true });
}

const of = ({ findings }: Diagnosis, rule: RuleId): Finding => findings.find((finding) => finding.rule === rule)!;

test('a straggler costs the time of all who wait for it, and the gain follows from the same clocks', () => {
  const diagnosis = judged({
    gpus: 8,
    seconds: 600,
    readings: (gpu, second) => busy(gpu, second, { sm_clock_hertz: gpu === 5 ? 1.2e9 : 2e9 }),
  });
  const finding = of(diagnosis, 'straggler');
  expect(finding.lostSeconds).toBeCloseTo(0.4 * 600 * 8, -2);
  expect(gainOf(diagnosis, finding)).toBeCloseTo(2 / 1.2, 1);
});

test('a brake that halves the clock costs half of its time', () => {
  const finding = of(
    judged({
      gpus: 2,
      seconds: 900,
      readings: (gpu, second) => {
        const isBraked = second >= 300 && second < 600;
        return busy(gpu, second, { clock_event_reasons: isBraked ? 0x80 : 0, sm_clock_hertz: isBraked ? 1e9 : 2e9 });
      },
    }),
    'power-brake',
  );
  expect(finding.state).toBe('confirmed');
  expect(finding.lostSeconds).toBeCloseTo(0.5 * 300 * 2, -1);
});

test('at the limit, whether it was lowered is told by the default limit only', () => {
  const at = (more: Readings): Finding =>
    of(
      judged({ gpus: 1, seconds: 600, readings: (gpu, second) => busy(gpu, second, { power_watts: 699, ...more }) }),
      'power-cap',
    );
  expect(at({})).toMatchObject({ state: 'not-evaluable', missing: ['power_limit_default_watts'] });
  expect(at({ power_limit_default_watts: 700 }).state).toBe('ruled-out');
});

test('what every GPU has is never named as missing', () => {
  const script: Script = {
    gpus: 2,
    seconds: 600,
    readings: () => busy(0, 0, { utilization_ratio: 0, temperature_celsius: 40 }),
  };
  expect(of(judged(script), 'thermal-outlier').missing).toEqual([]);
});

test('memory that jumps once and then does not move in the work may have been taken in advance', () => {
  const full = (level: (second: number) => number): Finding =>
    of(
      judged({
        gpus: 1,
        seconds: 900,
        readings: (gpu, second) =>
          second < 60
            ? busy(gpu, second, { utilization_ratio: 0, memory_used_bytes: 0 })
            : busy(gpu, second, { memory_used_bytes: level(second) * 80 * GIB }),
      }),
      'memory-near-limit',
    );
  expect(full(() => 0.965)).toMatchObject({ state: 'possible', severity: 'info' });
  expect(full((second) => 0.97 + 0.02 * noise(1, second))).toMatchObject({ state: 'likely', severity: 'warning' });
});

test('ninety samples are not a single moment', () => {
  const finding = of(judged({ gpus: 1, seconds: 1380, every: 15, readings: busy }), 'monitor-overhead');
  expect(finding.state).toBe('ruled-out');
});

test('a limit that the firmware has lowered is not cured by cooling', () => {
  const finding = of(
    judged({
      gpus: 1,
      seconds: 600,
      readings: (gpu, second) =>
        busy(gpu, second, {
          temperature_celsius: 60,
          temperature_max_operating_celsius: 60,
          temperature_slowdown_celsius: 95,
        }),
    }),
    'thermal-throttle',
  );
  expect(finding.fix.en).toMatch(/^Put the temperature limit back/);
});
