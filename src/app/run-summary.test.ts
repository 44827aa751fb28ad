import { expect, test } from 'vitest';
import { conclude, TICKS_TELL } from '../diagnosis/diagnosis.ts';
import { scriptedTicks } from '../diagnosis/test-ticks.ts';
import { TickLog } from '../diagnosis/window/tick-log.ts';
import type { MetricId } from '../model/catalogue.ts';
import { gpusOf } from './run-summary.ts';

/** Joules of a command that ran from `from` to `to`, in milliseconds after the first of some ticks a second apart. */
function joules(
  seconds: number,
  readings: (second: number) => Partial<Record<MetricId, number>>,
  [from, to]: readonly [number, number],
): number | null {
  const ticks = scriptedTicks({ gpus: 1, seconds, readings: (_, second) => readings(second) });
  const log = new TickLog();
  for (const tick of ticks) log.add(tick);
  const diagnosis = conclude(log, { ...TICKS_TELL, name: 'run', format: 'gpulse', seesXids: false });
  const start = ticks[0]!.at;
  const [gpu] = gpusOf(diagnosis, new Set(), { from: start + from, to: start + to });
  return gpu!.energyJoules;
}

test('energy is that of the time of the command, not of the ticks', () => {
  expect(joules(1, () => ({ power_watts: 600 }), [-50, 200])).toBeCloseTo(150, 3);
  expect(joules(5, () => ({ power_watts: 600 }), [-100, 4000])).toBeCloseTo(2460, 3);
  expect(joules(9, () => ({ power_watts: 600 }), [-100, 2300])).toBeCloseTo(1440, 3);
  expect(joules(4, (second) => ({ power_watts: second < 2 ? 100 : 500 }), [0, 4000])).toBeCloseTo(1200, 3);
});

test('the counter tells what lies between its first and its last value, the power what lies beyond', () => {
  const counted = (second: number) => ({ energy_joules_total: 5000 + 300 * second, power_watts: 600 });
  expect(joules(5, counted, [-500, 4500])).toBeCloseTo(300 + 4 * 300 + 300, 3);
  expect(joules(1, counted, [-50, 200])).toBeCloseTo(150, 3);
});

test('where the card tells neither it is not known', () => {
  expect(joules(5, () => ({ utilization_ratio: 1 }), [0, 4000])).toBeNull();
});
