import { expect, test } from 'vitest';
import type { Condition } from '../../../src/client/condition.ts';
import { testGpu, testProcess } from '../../../src/client/test-gpu.ts';
import type { ApiGpu } from '../../../src/model/api.ts';
import type { Fleet } from '../session/session.ts';
import { filterRows } from './filter-rows.ts';

function gpu(index: number, user: string | null): ApiGpu {
  return testGpu({
    index,
    name: 'NVIDIA H100 80GB HBM3',
    pciBusId: `00000000:1${index}:00.0`,
    processes: user === null ? [] : [testProcess({ pid: 4000 + index, user })],
  });
}

const FLEET: Fleet = {
  state: { at: 0, host: 'node', source: 'test', sequence: 1, gpus: [], machine: null },
  rows: [
    { gpu: gpu(0, 'zhang'), condition: 'busy', instances: [], error: null },
    { gpu: gpu(1, 'li'), condition: 'throttled', instances: [], error: null },
    { gpu: gpu(2, null), condition: 'free', instances: [], error: null },
  ],
  order: { uuids: ['GPU-1', 'GPU-0', 'GPU-2', 'GPU-gone'], raised: new Map() },
};

test('filterRows keeps the order and finds by user, command, pid, index, name, bus and state', () => {
  const check = (condition: Condition | null, text: string, want: string) =>
    expect(
      filterRows(FLEET, condition, text)
        .map((row) => row.gpu.index)
        .join(),
      text,
    ).toBe(want);
  check(null, '', '1,0,2');
  check(null, '  ', '1,0,2');
  check('throttled', '', '1');
  check('lost', '', '');
  check(null, 'ZHANG', '0');
  check(null, 'python', '1,0');
  check(null, '4001', '1');
  check(null, 'gpu2', '2');
  check(null, '2', '2');
  check(null, 'gpu 2', '2');
  check(null, '100', '');
  check(null, '80', '');
  check(null, '400', '');
  check(null, 'gpu4001', '');
  check(null, 'gpu', '1,0,2');
  check(null, 'h100', '1,0,2');
  check(null, 'h100 free', '2');
  check(null, '11:00', '1');
  check('busy', 'li', '');
});

test('a card is found by its instances, with those alone, and by whom its processes work for', () => {
  const mig = { parent: 'GPU-0', gpuInstance: 1, computeInstance: 0, profile: '3g.40gb' };
  const owner = {
    container: null,
    pod: { uid: null, namespace: 'ml', name: 'train-0', container: null },
    job: { scheduler: 'slurm' as const, id: '4711', step: null, user: null },
    unit: null,
  };
  const part = (uuid: string, user: string) => ({
    gpu: testGpu({ uuid, mig, processes: [testProcess({ pid: 9, user, owner })] }),
    condition: 'busy' as const,
    instances: [],
    error: null,
  });
  const card = { gpu: gpu(0, null), condition: 'busy' as const, instances: [part('MIG-1', 'wu'), part('MIG-2', 'li')] };
  const fleet = { ...FLEET, rows: [{ ...card, error: null }], order: { uuids: ['GPU-0'], raised: new Map() } };
  const check = (text: string, want: string) => {
    const found = filterRows(fleet, null, text).flatMap((row) => [row, ...row.instances]);
    expect(found.map((row) => row.gpu.uuid).join(), text).toBe(want);
  };
  check('', 'GPU-0,MIG-1,MIG-2');
  check('h100', 'GPU-0,MIG-1,MIG-2');
  check('wu', 'GPU-0,MIG-1');
  check('3g.40gb', 'GPU-0,MIG-1,MIG-2');
  check('ml/train-0', 'GPU-0,MIG-1,MIG-2');
  check('train-0 li', 'GPU-0,MIG-2');
  check('4711', 'GPU-0,MIG-1,MIG-2');
  check('nobody', '');
});
