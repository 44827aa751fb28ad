import { expect, test } from 'vitest';
import { splitText } from './cells.ts';
import { inferHeader } from './inference.ts';

/** The titles found for rows, with `?` for a column that has none; null where the rows are of no log of GPUs. */
function titles(...rows: string[]): string | null {
  const header = inferHeader(rows.map((line) => splitText(line)));
  return header === null ? null : header.columns.map(({ title }) => title || '?').join(' ');
}

test('units tell most columns', () => {
  expect(titles('2025/06/12 01:27:28.446, 0, NVIDIA A100, 35 %, 12 %, 1024 MiB, 81920 MiB, 98.14 W, 45')).toBe(
    'timestamp index name utilization.gpu utilization.memory memory.used memory.total power.draw temperature.gpu',
  );
  expect(titles('GPU-12345678-1234-1234-1234-123456789abc, 00000000:01:00.0, P0, 35 %')).toBe(
    'uuid pci.bus_id pstate utilization.gpu',
  );
  expect(titles('0, 35 %, 98.14 W, 300.00 W', '0, 40 %, 120.00 W, 300.00 W')).toBe(
    'index utilization.gpu power.draw enforced.power.limit',
  );
  expect(titles('32510 MiB, 22634 MiB, 9876 MiB')).toBe('memory.total memory.used memory.free');
  expect(titles('35 %, 1024 MiB', '36 %, 2048 MiB')).toBe('utilization.gpu memory.used');
});

test('values tell some columns of a log without units', () => {
  expect(titles('1785951483, 0, 72.60, 73543, 81920', '1785951488, 100, 172.60, 73543, 81920')).toBe(
    'timestamp utilization.gpu power.draw memory.used memory.total',
  );
  expect(titles('0, 0, 0, 4095, 10, 4085, 42, 33', '1, [Not Supported], [Not Supported], 1023, 722, 301, 30, 37')).toBe(
    'index utilization.gpu utilization.memory memory.total memory.used memory.free ? ?',
  );
});

test('what could mean several things stays without a meaning', () => {
  expect(titles('30 %, 98 %, 1024 MiB, 8192 MiB')).toBe('? ? memory.used memory.total');
  expect(titles('10 %, 20 %, 30 %')).toBe('? ? ?');
  expect(titles('8192 MiB', '8192 MiB')).toBe('?');
  expect(titles('1410 MHz, 5 %')).toBe('? utilization.gpu');
  expect(titles('0, 0, 0', '[Unknown Error], [Unknown Error], [Unknown Error]')).toBe('? ? ?');
  expect(titles('0, Orin (nvgpu), [N/A], [N/A]')).toBe('index name ? ?');
  expect(titles('35 %, 45, 50')).toBe('utilization.gpu ? ?');
});

test('a table of something else is no log of GPUs', () => {
  expect(titles('1, 2, 3', '4, 5, 6')).toBe(null);
  expect(titles('2025-06-12 01:27:28, 0.35, 12')).toBe(null);
  expect(titles('Alice, 30, Berlin')).toBe(null);
  expect(titles()).toBe(null);
});
