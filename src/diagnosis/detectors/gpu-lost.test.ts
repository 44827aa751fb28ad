import { expect, test } from 'vitest';
import { type Finding, NAMED_STATES } from '../../model/finding.ts';
import { diagnose } from '../diagnose.ts';
import { scriptedTicks, windowOf } from '../test-ticks.ts';

/** Rules that a recording of two GPUs names; the second one has samples only where `isThere` says so. */
function named(isThere: (second: number) => boolean, isRecorded: (second: number) => boolean): string[] {
  const ticks = scriptedTicks({
    gpus: 2,
    seconds: 600,
    readings: (gpu, second) => (gpu === 0 || isThere(second) ? { utilization_ratio: 0.95, power_watts: 600 } : null),
  }).filter((_, second) => isRecorded(second));
  return diagnose(windowOf(ticks))
    .filter(({ state, layer }: Finding) => NAMED_STATES.includes(state) && layer === 'health')
    .map(({ rule, state }) => `${rule} ${state}`);
}

const always = (): boolean => true;

test('a GPU whose samples end while others go on is lost, whatever is missing later', () => {
  expect(named((second) => second < 300, always)).toEqual(['gpu-lost likely']);
  expect(
    named(
      (second) => second < 300,
      (second) => second < 400 || second >= 450,
    ),
  ).toEqual(['gpu-lost likely']);
});

test('a GPU that is not there after a hole may not have been recorded any more', () => {
  expect(
    named(
      (second) => second < 300,
      (second) => second < 300 || second >= 450,
    ),
  ).toEqual([]);
});

test('samples that are missing now and then are no loss', () => {
  expect(named((second) => second % 11 !== 0, always)).toEqual([]);
});
