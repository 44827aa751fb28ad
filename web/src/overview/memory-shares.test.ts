import { expect, test } from 'vitest';
import { testGpu, testProcess } from '../../../src/client/test-gpu.ts';
import type { ApiGpu } from '../../../src/model/api.ts';
import { memoryShares } from './memory-shares.ts';

function gpu(used: number | null, processes: [user: string | null, bytes: number | null][]): ApiGpu {
  return testGpu({
    readings: { memory_total_bytes: 100, memory_used_bytes: used },
    processes: processes.map(([user, memoryBytes], pid) => testProcess({ pid, user, memoryBytes })),
  });
}

test('memoryShares', () => {
  const check = (value: ApiGpu, want: [string | null, number][]) =>
    expect(memoryShares(value).map(({ owner, share }) => [owner, Number(share.toFixed(4))])).toEqual(want);
  check(gpu(null, [['li', 10]]), []);
  check(gpu(0, []), []);
  check(gpu(60, []), [[null, 0.6]]);
  check(gpu(60, [['li', null]]), [[null, 0.6]]);
  check(
    gpu(60.2, [
      ['li', 20],
      ['zhang', 30],
      ['li', 10],
    ]),
    [
      ['li', 0.3],
      ['zhang', 0.3],
    ],
  );
  check(
    gpu(60, [
      ['li', 20],
      ['zhang', 30],
    ]),
    [
      ['zhang', 0.3],
      ['li', 0.2],
      [null, 0.1],
    ],
  );
  check(
    gpu(60, [
      ['li', 80],
      ['zhang', 40],
    ]),
    [
      ['li', 0.4],
      ['zhang', 0.2],
    ],
  );
  check(gpu(60, [[null, 60]]), [['pid 0', 0.6]]);
});
