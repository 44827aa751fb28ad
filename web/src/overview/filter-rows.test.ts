import { expect, test } from 'vitest';
import type { Condition } from '../../../src/client/condition.ts';
import type { ApiGpu } from '../../../src/model/api.ts';
import type { Fleet } from '../session/session.ts';
import { filterRows } from './filter-rows.ts';

function gpu(index: number, user: string | null): ApiGpu {
  return {
    uuid: `GPU-${index}`,
    index,
    name: 'NVIDIA H100 80GB HBM3',
    vendor: 'nvidia',
    state: 'ok',
    at: 0,
    pciBusId: `00000000:1${index}:00.0`,
    driverVersion: null,
    readings: {},
    absent: {},
    processes: user === null ? [] : [{ pid: 4000 + index, kind: 'compute', name: 'python', user, memoryBytes: null }],
    processesAbsent: null,
  };
}

const FLEET: Fleet = {
  state: { at: 0, host: 'node', source: 'test', sequence: 1, gpus: [] },
  rows: [
    { gpu: gpu(0, 'zhang'), condition: 'busy' },
    { gpu: gpu(1, 'li'), condition: 'throttled' },
    { gpu: gpu(2, null), condition: 'free' },
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
