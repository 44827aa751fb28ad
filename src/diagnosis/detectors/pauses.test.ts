import { expect, test } from 'vitest';
import { diagnose } from '../diagnose.ts';
import { scriptedTicks, windowOf } from '../test-ticks.ts';

const GIB = 2 ** 30;

/** Seven stretches of work with a minute and a half between them. */
function stateOf(bytesBetween: number): string | undefined {
  const ticks = scriptedTicks({
    gpus: 1,
    seconds: 2800,
    readings: (_, second) => {
      const works = second % 400 < 310;
      return {
        utilization_ratio: works ? 0.95 : 0,
        memory_used_bytes: works ? 30 * GIB : bytesBetween,
        memory_total_bytes: 80 * GIB,
      };
    },
  });
  return diagnose(windowOf(ticks)).find(({ rule }) => rule === 'epoch-gap')?.state;
}

test('regular pauses in which the memory stays are those of one program', () => {
  expect(stateOf(30 * GIB)).toBe('possible');
});

test('where the memory is given back one program has ended and another begins', () => {
  expect(stateOf(0.01 * GIB)).toBe('ruled-out');
});
