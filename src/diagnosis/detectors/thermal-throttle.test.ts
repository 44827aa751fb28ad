import { expect, test } from 'vitest';
import type { MetricId } from '../../model/catalogue.ts';
import type { Finding } from '../../model/finding.ts';
import { conclude, type Diagnosis, TICKS_TELL } from '../diagnosis.ts';
import { gainOf } from '../report/cost.ts';
import { noise, scriptedTicks } from '../test-ticks.ts';
import { TickLog } from '../window/tick-log.ts';

const SECONDS = 900;
const GPUS = 4;

/** GPUs of one job of which some are held down to three quarters of their clock by heat for the last ten minutes. */
function diagnosed(hot: readonly number[], isInStep: boolean): Diagnosis {
  const log = new TickLog();
  const ticks = scriptedTicks({
    gpus: GPUS,
    seconds: SECONDS,
    readings: (gpu, second) => {
      const isHeld = hot.includes(gpu) && second >= 300;
      return {
        utilization_ratio: 0.8 + 0.2 * noise(isInStep ? 1 : gpu, second),
        power_watts: 500,
        power_limit_watts: 700,
        temperature_celsius: isHeld ? 88 : 70,
        sm_clock_hertz: isHeld ? 1.5e9 : 2e9,
        clock_event_reasons: isHeld ? 0x20 : 0,
      };
    },
    sample: () => ({ processes: [{ pid: 7, kind: 'compute', memoryBytes: 2 ** 35, name: 'python', user: 'lin' }] }),
  });
  for (const tick of ticks) log.add(tick);
  return conclude(log, { ...TICKS_TELL, name: 'a.csv', format: 'nvidia-smi-csv', seesXids: true });
}

const throttled = ({ findings }: Diagnosis): Finding =>
  findings.find(({ rule, state }) => rule === 'thermal-throttle' && state === 'confirmed')!;

test('all of a job that runs in step lose the time of the one that is hot', () => {
  const diagnosis = diagnosed([1], true);
  expect(throttled(diagnosis).lostSeconds).toBeCloseTo(0.25 * 600 * GPUS, -1);
  expect(gainOf(diagnosis, throttled(diagnosis))).toBeCloseTo(1 / 0.75, 1);
});

test('two that are as hot do not cost their job twice', () => {
  const found = throttled(diagnosed([1, 2], true));
  expect(found.gpus).toHaveLength(2);
  expect(found.lostSeconds).toBeCloseTo(0.25 * 600 * GPUS, -1);
});

test('where GPUs do not run in step only the hot one loses', () => {
  expect(throttled(diagnosed([1], false)).lostSeconds).toBeCloseTo(0.25 * 600, -1);
});

/** What is said of one GPU with a counter that grows for two minutes of ten. */
function counted(id: MetricId): Finding {
  const log = new TickLog();
  const ticks = scriptedTicks({
    gpus: 1,
    seconds: 600,
    readings: (_, second) => ({
      utilization_ratio: 0.95,
      temperature_celsius: 86,
      [id]: Math.max(0, Math.min(120, second - 300)),
    }),
  });
  for (const tick of ticks) log.add(tick);
  const { findings } = conclude(log, { ...TICKS_TELL, name: 'a.csv', format: 'dmon', seesXids: false });
  return findings.find(({ rule }) => rule === 'thermal-throttle')!;
}

test('a counter that may mark whole samples tells how long it was at most, the others how long', () => {
  const [vague] = counted('clock_event_thermal_seconds_total').evidence;
  expect(vague?.metric).toBe('clock_event_thermal_seconds_total');
  expect(vague?.text.en).toBe('GPU 0: held back by heat for up to 2 min, as far as the log counts it');
  const [exact] = counted('clock_event_hw_thermal_seconds_total').evidence;
  expect(exact?.metric).toBe('clock_event_hw_thermal_seconds_total');
  expect(exact?.text.en).toBe('GPU 0: the driver counted 2 min of thermal slowdown');
});
