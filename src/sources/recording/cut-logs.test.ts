import { expect, test } from 'vitest';
import { CATALOGUE } from '../../model/catalogue.ts';
import { decode } from './decode-text.ts';

/** Every reading of a log with the time and the GPU it is about. */
function readings(log: string): Set<string> {
  return new Set(
    decode(log).ticks.flatMap(({ at, devices }) =>
      devices.flatMap(({ device, readings: set }) =>
        CATALOGUE.flatMap(({ id, slot }) => {
          const value = set.number(slot);
          return value === null ? [] : [`${at} ${device.uuid} ${device.name} ${id} ${value}`];
        }),
      ),
    ),
  );
}

const time = (row: number) => `2026/01/01 00:00:${String(row % 60).padStart(2, '0')}.${100 + row}`;
const ROWS = Array.from({ length: 12 }, (_, row) => row);

const LOGS: readonly (readonly [header: string, row: (row: number) => string])[] = [
  ['timestamp, index, memory.used [MiB]', (row) => `${time(row)}, 0, ${(row * 7919) % 80_000}`],
  ['timestamp, index, memory.total [MiB], utilization.gpu [%]', (row) => `${time(row)}, 0, 81559, ${(row * 37) % 101}`],
  ['timestamp, index, power.draw [W]', (row) => `${time(row)}, 0, ${(row * 61.37 + 40).toFixed(2)}`],
  ['timestamp, index, power.draw [W]', (row) => `${time(row)}, 0, ${(row * 61.37 + 40).toFixed(2)} W`],
  ['timestamp, index, memory.used [MiB]', (row) => `${time(row)}, 0, ${(row * 7919) % 80_000} MiB`],
  ['timestamp, index, temperature.gpu', (row) => `${time(row)}, 0, ${(row * 13) % 105}`],
  ['timestamp, index, pstate', (row) => `${time(row)}, 0, P${row}`],
  ['timestamp, index, clocks_event_reasons.active', (row) => `${time(row)}, 0, 0x000000000000000${row % 8}`],
  ['utilization.gpu [%], index', (row) => `${row} %, ${row}`],
  ['utilization.gpu [%], index, name', (row) => `${row} %, ${row % 2}, NVIDIA A100-SXM4`],
  ['utilization.gpu [%], uuid', (row) => `${row} %, GPU-1234567${row % 2}-aaaa-bbbb-cccc-000000000001`],
  ['utilization.gpu [%], timestamp', (row) => `${row} %, ${time(row)}`],
];

test('wherever a log is cut, no value and no GPU is invented', () => {
  for (const [header, row] of LOGS) {
    const log = `${[header, ...ROWS.map(row)].join('\n')}\n`;
    const whole = readings(log);
    for (let end = header.length + 1 + 2 * row(0).length; end < log.length; end++) {
      const invented = [...readings(log.slice(0, end))].filter((reading) => !whole.has(reading));
      expect(invented, JSON.stringify(log.slice(0, end).slice(-60))).toEqual([]);
    }
  }
});

test('what the last cell cannot be a part of is believed, what it can be is counted and said', () => {
  const last = (header: string, ...rows: string[]) => {
    const { ticks, faults } = decode([header, ...rows].join('\n'));
    const sample = ticks.at(-1)?.devices[0];
    return [sample?.readings.number(CATALOGUE.find(({ smi }) => header.includes(smi?.field ?? '?'))!.slot), faults];
  };
  expect(last('index, utilization.gpu [%]', '0, 35', '0, 40', '0, 42')).toEqual([0.42, {}]);
  expect(last('index, utilization.gpu [%]', '0, 35', '0, 40', '0, 4')).toEqual([null, { 'cut-cells': 1 }]);
  expect(last('index, utilization.gpu [%]', '0, 35', '0, 40', '0, 0')).toEqual([0, {}]);
  expect(last('index, memory.total [MiB]', '0, 81559', '0, 81559', '0, 81559')).toEqual([81559 * 2 ** 20, {}]);
  expect(last('index, memory.total [MiB]', '0, 81559', '0, 81559', '0, 815')).toEqual([null, { 'cut-cells': 1 }]);
  expect(decode('index, memory.used [MiB]\n0, 5\n0, 7\n0, 43').notices).toContainEqual({
    key: 'notice.cut-cells',
    params: { column: 'memory.used [MiB]', value: '43', count: 1, line: 4 },
  });
  const whole = decode('index, memory.used [MiB]\n0, 5\n0, 7\n0, 43\n');
  expect([whole.rows, whole.faults]).toEqual([3, {}]);
});

test('a process whose memory may be cut is skipped', () => {
  const head = 'timestamp, gpu_uuid, pid, used_gpu_memory [MiB]\n2026/01/01 00:00:00.000, GPU-a, 12, 512';
  expect(decode(`${head}\n2026/01/01 00:00:01.000, GPU-a, 12, 51`)).toMatchObject({
    rows: 1,
    skipped: { truncated: 1 },
  });
});
