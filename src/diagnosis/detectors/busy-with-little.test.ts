import { expect, test } from 'vitest';
import type { MetricId } from '../../model/catalogue.ts';
import type { Finding, RuleId } from '../../model/finding.ts';
import { diagnose } from '../diagnose.ts';
import { noise, scriptedTicks, windowOf } from '../test-ticks.ts';

type Readings = Partial<Record<MetricId, number>>;

/** What a rule says of GPUs of 700 W with these readings, ten minutes long. */
function verdict(rule: RuleId, readings: Readings, gpus = 1): Finding {
  const ticks = scriptedTicks({
    gpus,
    seconds: 600,
    readings: (gpu, second) => ({
      memory_used_bytes: 2 ** 34,
      memory_total_bytes: 2 ** 36,
      power_limit_watts: 700,
      ...readings,
      utilization_ratio: Math.min(1, (readings.utilization_ratio ?? 0) + 0.02 * noise(gpu, second)),
    }),
  });
  return diagnose(windowOf(ticks)).find((finding) => finding.rule === rule)!;
}

const THIN: Readings = { utilization_ratio: 0.92, power_watts: 190 };
const PINNED: Readings = { utilization_ratio: 1, power_watts: 190 };
const CLOCK: Readings = { sm_clock_hertz: 1.9e9, sm_clock_max_hertz: 1.98e9 };

test.each<readonly [string, Readings, Finding['state']]>([
  ['kernels that come and go at little power are small', THIN, 'likely'],
  ['one that fills all of the time may spin', PINNED, 'possible'],
  ['unless it uses the memory at full clock', { ...PINNED, ...CLOCK, memory_utilization_ratio: 0.1 }, 'likely'],
  ['a spinning one uses none', { ...PINNED, ...CLOCK, memory_utilization_ratio: 0.01 }, 'possible'],
  [
    'a clock that is held down explains it too',
    { ...THIN, sm_clock_hertz: 5e8, sm_clock_max_hertz: 1.98e9 },
    'possible',
  ],
  ['a third of the power may be waiting for memory', { ...THIN, power_watts: 285 }, 'possible'],
  ['where nothing shows that it draws little, nothing is said', { ...THIN, power_watts: 400 }, 'ruled-out'],
])('launch-bound: %s', (_name, readings, state) => {
  expect(verdict('launch-bound', readings).state).toBe(state);
});

test('launch-bound: work that drew more before was stopped by something else', () => {
  const ticks = scriptedTicks({
    gpus: 1,
    seconds: 900,
    readings: (gpu, second) => ({
      utilization_ratio: second < 300 ? 0.93 + 0.04 * noise(gpu, second) : 0.98,
      power_watts: second < 300 ? 600 : 150,
      power_limit_watts: 700,
    }),
  });
  expect(diagnose(windowOf(ticks)).find(({ rule }) => rule === 'launch-bound')?.state).toBe('possible');
});

const STREAMING: Readings = { utilization_ratio: 0.97, memory_utilization_ratio: 0.9, power_watts: 450 };

test.each<readonly [string, Readings, Finding['state']]>([
  ['a full memory controller with power to spare at full clock', { ...STREAMING, ...CLOCK }, 'likely'],
  ['at the power limit arithmetic may be what fills it', { ...STREAMING, ...CLOCK, power_watts: 690 }, 'possible'],
  ['a clock that nobody tells', STREAMING, 'possible'],
])('bandwidth-bound: %s', (_name, readings, state) => {
  expect(verdict('bandwidth-bound', readings).state).toBe(state);
});

test('GPUs that were never seen at work are no alarm, unless their memory is seen to rest', () => {
  expect(verdict('collective-hang', { ...PINNED, power_watts: 150 }, 2)).toMatchObject({
    state: 'possible',
    severity: 'info',
  });
  expect(verdict('collective-hang', { ...PINNED, power_watts: 150, memory_utilization_ratio: 0 }, 2)).toMatchObject({
    state: 'possible',
    severity: 'critical',
  });
});
