import { describe, expect, test } from 'vitest';
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

describe('a whole that is not told is the sum of its parts', () => {
  const uuid = 'GPU-5481f999-aaaa-bbbb-cccc-000000000000';
  const scrape = (values: Readonly<Record<string, number>>): string =>
    Object.entries(values)
      .map(([name, value]) => `DCGM_FI_DEV_${name}{gpu="0",UUID="${uuid}",modelName="NVIDIA A30"} ${value}\n`)
      .join('');

  test.each([
    ['used and free', { FB_FREE: 60_000, FB_USED: 21_920 }, 81_920 * MIB],
    ['with what the driver keeps', { FB_FREE: 60_000, FB_USED: 21_000, FB_RESERVED: 920 }, 81_920 * MIB],
    ['a total that is told stays', { FB_FREE: 60_000, FB_USED: 21_000, FB_TOTAL: 81_920 }, 81_920 * MIB],
    ['used alone is no sum', { FB_USED: 21_920 }, 'not-collected'],
    ['free alone is no sum', { FB_FREE: 21_920 }, 'not-collected'],
    ['nothing is no memory', { FB_FREE: 0, FB_USED: 0 }, 'not-collected'],
  ])('in a scrape of dcgm-exporter: %s', (_, values, total) => {
    expect(readingsOf(decode(scrape(values)), 'memory_total_bytes')).toEqual([total]);
  });

  test('not of a scrape that was cut off before what the driver keeps', () => {
    const whole = scrape({ FB_FREE: 60_000, FB_USED: 21_000, FB_RESERVED: 920 });
    const log = decode(whole + whole.split('\n').slice(0, 2).join('\n').concat('\n'));
    expect(readingsOf(log, 'memory_total_bytes')).toEqual([81_920 * MIB, 'not-collected']);
  });

  test('in an answer of Prometheus', () => {
    const series = ([name, values]: readonly [string, readonly number[]]) => ({
      metric: { __name__: `DCGM_FI_DEV_${name}`, gpu: '0', UUID: uuid },
      values: values.map((value, place) => [1_773_278_848 + 15 * place, String(value)]),
    });
    const result = [series(['FB_USED', [20, 30, 40]]), series(['FB_FREE', [60, 50, 40]])];
    const log = decode(JSON.stringify({ status: 'success', data: { resultType: 'matrix', result } }));
    expect(readingsOf(log, 'memory_total_bytes')).toEqual([80 * MIB, 80 * MIB, 80 * MIB]);
  });

  test('in `dcgmi dmon`', () => {
    const log = decode('#Entity   FBFRE   FBUSD\nID\nGPU 0     60000   21920\nGPU 0     50000   31920\n');
    expect(readingsOf(log, 'memory_total_bytes')).toEqual([81_920 * MIB, 81_920 * MIB]);
  });

  test('in CSV', () => {
    const csv = 'timestamp, index, memory.used [MiB], memory.free [MiB], memory.reserved [MiB]\n';
    expect(memory(`${csv}2024/05/01 00:00:10.000, 0, 24000 MiB, 500 MiB, 76 MiB\n`)[0]).toEqual([24_576 * MIB]);
  });
});
