import { describe, expect, test } from 'vitest';
import { decode, readingsOf } from './decode-text.ts';

const HEADER = 'timestamp, index, uuid, name, utilization.gpu [%]';
const row = (second: number, index: number, uuid: string, name = 'NVIDIA H100') =>
  `2026/01/01 00:00:0${second}.00${index}, ${index}, ${uuid}, ${name}, ${second}${index} %`;
const keys = (log: string | Uint8Array) => decode(log).notices.map(({ key }) => key.replace('notice.', ''));

describe('units that are not what nvidia-smi would mean', () => {
  const ignored = (log: string) =>
    decode(log).notices.find(({ key }) => key === 'notice.columns-ignored')?.params['columns'];

  test('fractions up to 1 in a column of percentages', () => {
    const log = 'index,utilization.gpu,temperature.gpu\n0,0.47,40\n0,1.00,41\n0,0.00,42\n';
    expect(readingsOf(decode(log), 'utilization_ratio')).toEqual(Array(3).fill('not-collected'));
    expect(readingsOf(decode(log), 'temperature_celsius')).toEqual([40, 41, 42]);
    expect(ignored(log)).toBe('utilization.gpu');
    expect(readingsOf(decode('index,utilization.gpu\n0,0\n0,1\n'), 'utilization_ratio')).toEqual([0, 0.01]);
    expect(readingsOf(decode('index,utilization.gpu [%]\n0,0.5\n'), 'utilization_ratio')).toEqual([0.005]);
  });

  test('sizes of memory that are GB', () => {
    const log = 'index,memory_used,memory_total\n0,71.75,79.65\n0,3,79.65\n';
    expect(readingsOf(decode(log), 'memory_total_bytes')).toEqual(['not-collected', 'not-collected']);
    expect(readingsOf(decode(log), 'memory_used_bytes')).toEqual(['not-collected', 'not-collected']);
    expect(ignored(log)).toBe('memory_used, memory_total');
    expect(ignored('index,memory.used,memory.total\n0,4,80\n')).toBe('memory.used, memory.total');
    expect(ignored('index,memory.used\n0,4.5\n')).toBe('memory.used');
    const fits = (log: string) => readingsOf(decode(log), 'memory_used_bytes').map((value) => Number(value) / 2 ** 20);
    expect(fits('index,memory.used,memory.total\n0,4,81559\n')).toEqual([4]);
    expect(fits('index,memory.used\n0,4\n')).toEqual([4]);
    expect(fits('index,memory_used_gb,memory_total_gb\n0,4,80\n')).toEqual([4096]);
    expect(fits('index,memory.used,memory.total\n0,1.5 GiB,80 GiB\n')).toEqual([1536]);
  });
});

describe('names with commas', () => {
  test('are read where nothing else can hold one', () => {
    const name = 'NVIDIA, Inc. RTX 6000, Ada';
    const uuid = 'GPU-11111111-0000-0000-0000-000000000000';
    const decoded = decode([HEADER, row(0, 0, uuid, name), row(1, 0, uuid, name), ''].join('\n'));
    expect(decoded.devices.map((device) => device.name)).toEqual([name]);
    expect([readingsOf(decoded, 'utilization_ratio'), decoded.skipped]).toEqual([[0, 0.1], {}]);
  });

  test('two rows on one line are no name', () => {
    const uuid = 'GPU-11111111-0000-0000-0000-000000000000';
    const decoded = decode([HEADER, row(0, 0, uuid), row(1, 0, uuid) + row(2, 0, uuid), ''].join('\n'));
    expect([decoded.rows, decoded.skipped]).toEqual([1, { 'wrong-columns': 1 }]);
  });

  test('doubled quotes of a quoted name are single ones', () => {
    const { devices } = decode('index, name, utilization.gpu [%]\n0, "NVIDIA ""Ada"", 48GB", 5 %\n');
    expect(devices[0]?.name).toBe('NVIDIA "Ada", 48GB');
  });
});

test('a card in the place of another has its index, and both are listed', () => {
  const rows = [0, 1, 2, 3, 4, 5].flatMap((second) => [
    row(second, 0, 'GPU-aaaaaaaa'),
    row(second, 1, second < 3 ? 'GPU-bbbbbbbb' : 'GPU-cccccccc'),
  ]);
  const log = [HEADER, ...rows, ''].join('\n');
  expect(decode(log).devices.map(({ uuid, index }) => [uuid, index])).toEqual([
    ['GPU-aaaaaaaa', 0],
    ['GPU-bbbbbbbb', 1],
    ['GPU-cccccccc', 1],
  ]);
  expect(keys(log)).toEqual(['times-local']);
});

describe('separators, line ends and encodings', () => {
  const log = `${[HEADER, ...[0, 1, 2].map((second) => row(second, 0, 'GPU-aaaaaaaa'))].join('\n')}\n`;
  const check = (bytes: string | Uint8Array) =>
    expect([readingsOf(decode(bytes), 'utilization_ratio'), keys(bytes)]).toEqual([[0, 0.1, 0.2], ['times-local']]);

  test('semicolons and tabs where the header has them', () => {
    check(log.replaceAll(', ', ';'));
    check(log.replaceAll(', ', '\t'));
    expect(readingsOf(decode('index\tname\tutilization.gpu\n0\t\t5\n'), 'utilization_ratio')).toEqual([0.05]);
    const comma = decode('index;power.draw [W]\n0;480,09\n0;12,5\n');
    expect([readingsOf(comma, 'power_watts'), comma.skipped]).toEqual([[], { 'stray-text': 2 }]);
  });

  test('carriage returns alone, unless there are line feeds', () => {
    check(log.replaceAll('\n', '\r'));
    check(log.replaceAll('\n', '\r').slice(0, -1).concat('\r'));
    const rows = Array.from({ length: 3000 }, (_, second) => `0, ${second % 100} %`);
    expect(decode(`index, utilization.gpu [%]\r${rows.join('\r')}\r`, { cuts: [5, 70_000] }).rows).toBe(3000);
    expect(decode(`${log}Epoch 1\rEpoch 2\n`).skipped).toEqual({ 'stray-text': 1 });
  });

  test('UTF-16 without a mark', () => {
    check(Buffer.from(log, 'utf16le'));
    check(Buffer.from(log, 'utf16le').swap16());
  });

  test('UTF-16 behind UTF-8, and NUL bytes where a file was cut, are not the same', () => {
    const more = Buffer.from(`${row(3, 0, 'GPU-aaaaaaaa')}\r\n`, 'utf16le');
    const mixed = Buffer.concat([Buffer.from(log), more]);
    expect(readingsOf(decode(mixed), 'utilization_ratio')).toEqual([0, 0.1, 0.2, 0.3]);
    expect(keys(mixed)).toEqual(['times-local', 'utf16-mixed']);
    expect(keys(`${'\0'.repeat(5000)}${log}`)).toEqual(['times-local', 'nul-bytes']);
    expect(decode(`\0${log}`).notices.at(-1)).toEqual({ key: 'notice.nul-bytes', params: { count: 1 } });
  });
});

test('the notice of inferred columns names those that were left out, and only if there are any', () => {
  const cells = ['2026/01/01 00:00:00.000', '0', 'GPU-aaaaaaaa', '35 %', '12 %'];
  const found = (...rest: string[]) => decode(`${[...cells, ...rest].join(', ')}\n`).notices[0];
  expect(found()?.key).toBe('notice.columns-inferred');
  expect(found('12', '13', '100 MHz')).toEqual({
    key: 'notice.columns-inferred-partly',
    params: {
      columns: 'timestamp, index, uuid, utilization.gpu, utilization.memory, ?, ?, ?',
      positions: '6, 7, 8',
    },
  });
});
