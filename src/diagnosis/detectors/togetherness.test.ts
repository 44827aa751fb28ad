import { expect, test } from 'vitest';
import type { Finding } from '../../model/finding.ts';
import { diagnose } from '../diagnose.ts';
import { noise, scriptedTicks, windowOf } from '../test-ticks.ts';

const GIB = 2 ** 30;

interface Course {
  /** Second at which a GPU takes its memory, and gives it back. */
  readonly begins: (gpu: number) => number;
  readonly ends: (gpu: number) => number;
  readonly gibibytes: (gpu: number) => number;
  readonly every?: number;
}

/** Three GPUs of which the first does most of the work, in a log without processes. */
function imbalance({ begins, ends, gibibytes, every = 1 }: Course): Finding {
  const ticks = scriptedTicks({
    gpus: 3,
    seconds: 1500,
    every,
    readings: (gpu, second) => {
      const isThere = second >= begins(gpu) && second < ends(gpu);
      const works = isThere && (gpu === 0 || noise(1, Math.floor(second / 7)) < 0.25);
      return {
        utilization_ratio: works ? 0.95 : 0,
        memory_used_bytes: isThere ? gibibytes(gpu) * GIB : 2 ** 29,
        memory_total_bytes: 80 * GIB,
        power_watts: works ? 600 : 90,
        power_limit_watts: 700,
      };
    },
  });
  return diagnose(windowOf(ticks)).find(({ rule }) => rule === 'imbalance')!;
}

const uneven = (gpu: number): number => 60 - 15 * gpu;
const never = (): number => Number.POSITIVE_INFINITY;
const fromFirst = (): number => 0;

test('GPUs that take their memory together are of one job, and so are those that give it back together', () => {
  const began = imbalance({ begins: (gpu) => 100 + 3 * gpu, ends: never, gibibytes: uneven });
  expect(began.state).toBe('likely');
  expect(began.evidence.at(-1)?.text.en).toContain('within 6 s of each other');
  expect(imbalance({ begins: fromFirst, ends: (gpu) => 1400 + 2 * gpu, gibibytes: uneven }).state).toBe('likely');
});

test('GPUs that hold the same are of one job, unless frameworks take as much for any program', () => {
  expect(imbalance({ begins: fromFirst, ends: never, gibibytes: () => 40 }).state).toBe('likely');
  expect(imbalance({ begins: fromFirst, ends: never, gibibytes: () => 60 }).state).toBe('possible');
});

test('otherwise that they are of one job is assumed', () => {
  const assumed = imbalance({ begins: fromFirst, ends: never, gibibytes: uneven });
  expect(assumed.state).toBe('possible');
  expect(assumed.evidence.at(-1)?.text.en).toContain('is assumed');
  expect(imbalance({ begins: (gpu) => 100 + 60 * gpu, ends: never, gibibytes: uneven }).state).toBe('possible');
});
