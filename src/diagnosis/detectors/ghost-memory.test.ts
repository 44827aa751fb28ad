import { expect, test } from 'vitest';
import type { MetricId } from '../../model/catalogue.ts';
import type { Finding } from '../../model/finding.ts';
import type { GpuProcess } from '../../model/process.ts';
import { diagnose } from '../diagnose.ts';
import { scriptedTicks, windowOf } from '../test-ticks.ts';

const GIB = 2 ** 30;
const python: GpuProcess = { pid: 7, kind: 'compute', memoryBytes: 60 * GIB, name: 'python', user: 'lin' };

const held = (bytes: number, util: number): Partial<Record<MetricId, number>> => ({
  utilization_ratio: util,
  memory_used_bytes: bytes,
  memory_total_bytes: 80 * GIB,
});

function ghosts(
  readings: (gpu: number, second: number) => Partial<Record<MetricId, number>>,
  list: (gpu: number, second: number) => readonly GpuProcess[],
): readonly Finding[] {
  const ticks = scriptedTicks({
    gpus: 2,
    seconds: 600,
    readings,
    sample: (gpu, second) => ({ processes: list(gpu, second) }),
  });
  return diagnose(windowOf(ticks)).filter(({ rule }) => rule === 'ghost-memory');
}

test('GPUs that work while nobody is listed tell that the list is blind, also on those that rest', () => {
  const [found, ...more] = ghosts(
    (gpu) => held(60 * GIB, gpu === 0 ? 0.97 : 0),
    () => [],
  );
  expect(more).toEqual([]);
  expect(found).toMatchObject({ state: 'not-evaluable', gpus: [] });
  expect(found?.evidence[0]?.text.en).toContain('GPU 0 worked while no process of theirs was listed');
});

test('what is left when the program has gone is a ghost, of the size that stays', () => {
  const [found, ...more] = ghosts(
    (gpu, second) =>
      gpu === 0 ? held(60 * GIB, 0.9) : held(second < 200 ? 60 * GIB : Math.min(40, 2 + (second - 200) / 2) * GIB, 0),
    (gpu, second) => (gpu === 0 || second < 200 ? [python] : []),
  );
  expect(more).toEqual([]);
  expect(found).toMatchObject({ state: 'likely', gpus: ['GPU-test-1'] });
  expect(found?.evidence[0]?.values['bytes']).toBe(40 * GIB);
});

test('where nobody is ever listed it is only possible', () => {
  const found = ghosts(
    () => held(60 * GIB, 0),
    () => [],
  );
  expect(found.map(({ state }) => state)).toEqual(['possible', 'possible']);
});
