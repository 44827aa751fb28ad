import { expect, test } from 'vitest';
import { diagnose } from '../diagnose.ts';
import { scriptedTicks, windowOf } from '../test-ticks.ts';

/** What is said of the sampling itself in so many samples. */
function why(samples: number, every: number): string | undefined {
  const ticks = scriptedTicks({
    gpus: 1,
    seconds: samples * every,
    every,
    readings: () => ({ utilization_ratio: 0.9 }),
  });
  return diagnose(windowOf(ticks)).find(({ rule }) => rule === 'monitor-overhead')?.evidence[0]?.text.en;
}

test('few samples, one moment, and enough of them are told apart', () => {
  expect(why(1, 1)).toBe('a single moment shows no course');
  expect(why(9, 1)).toBe('too few samples');
  expect(why(50, 0.05)).toBe('too few samples');
  expect(why(10, 1)).toBe('samples every 1 s: too seldom to matter');
});
