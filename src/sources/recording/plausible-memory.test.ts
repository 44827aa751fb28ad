import { expect, test } from 'vitest';
import { decode, readingsOf } from './decode-text.ts';

function memory(log: string): unknown[] {
  const decoded = decode(log);
  return [
    readingsOf(decoded, 'memory_total_bytes'),
    readingsOf(decoded, 'memory_used_bytes'),
    readingsOf(decoded, 'memory_free_bytes'),
    decoded.notices.filter(({ key }) => key === 'notice.impossible-values').map(({ params }) => params),
  ];
}

const MIB = 2 ** 20;

test('more memory in use, or free, than there is, is a read error that is counted', () => {
  const csv = 'timestamp, index, memory.used [MiB], memory.free [MiB], memory.total [MiB]\n';
  expect(memory(`${csv}2024/05/01 00:00:10.000, 0, 25000 MiB, 99999 MiB, 24576 MiB\n`)).toEqual([
    [24_576 * MIB],
    ['error'],
    ['error'],
    [{ column: 'memory.used', value: '25000 MiB, total 24576 MiB', count: 2, line: 2 }],
  ]);
  expect(memory(`${csv}2024/05/01 00:00:10.000, 0, 24577 MiB, 0 MiB, 24576 MiB\n`)[1]).toEqual([24_577 * MIB]);
});

test('no memory at all is that of the host, which is not measured here', () => {
  const nvtop = '[{"device_name": "Orin","gpu_util": "3%","mem_total": "0","mem_used": "0","mem_free": "0"}]\n';
  expect(memory(nvtop)).toEqual([['not-supported'], ['not-supported'], ['not-supported'], []]);
  expect(memory(nvtop.replace('"mem_used": "0"', '"mem_used": "5"'))[1]).toEqual(['error']);
});
