import { expect, test } from 'vitest';
import { decode, readingsOf, shapeOf } from '../decode-text.ts';

const MIB = 2 ** 20;

const table = (
  load: number,
) => `+------------------------------------------------------------------------------------------------+
| npu-smi 23.0.0                   Version: 23.0.0                                               |
+---------------------------+---------------+----------------------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 0     910B3               | OK            | 93.3        40                0    / 0             |
| 0                         | 0000:C1:00.0  | ${load}           0    / 0          3336 / 65536         |
+===========================+===============+====================================================+
| 1     910B3               | Warning       | NA          41                0    / 0             |
| 0                         | 0000:01:00.0  | 0           0    / 0          3337 / 65536         |
+===========================+===============+====================================================+
+---------------------------+---------------+----------------------------------------------------+
| NPU     Chip              | Process id    | Process name             | Process memory(MB)      |
+===========================+===============+====================================================+
| 0       0                 | 123456        | python                   | 61234                   |
+===========================+===============+====================================================+
| No running processes found in NPU 1                                                            |
+===========================+===============+====================================================+
`;

test('tables that follow each other, with processes', () => {
  const log = decode(`Mon Aug 22 15:23:57 UTC 2022\n${table(7)}Mon Aug 22 15:23:59 UTC 2022\n${table(8)}`);
  expect(log.ticks.map(({ at }) => at)).toEqual([Date.UTC(2022, 7, 22, 15, 23, 57), Date.UTC(2022, 7, 22, 15, 23, 59)]);
  expect(readingsOf(log, 'utilization_ratio')).toEqual([0.07, 0, 0.08, 0]);
  expect(readingsOf(log, 'power_watts').slice(0, 2)).toEqual([93.3, 'not-supported']);
  expect(readingsOf(log, 'memory_used_bytes').slice(0, 2)).toEqual([3336 * MIB, 3337 * MIB]);
  expect(log.devices).toMatchObject([
    { vendor: 'huawei', name: '910B3', index: 0, pciBusId: '00000000:C1:00.0', driverVersion: '23.0.0' },
    { index: 1 },
  ]);
  expect(log.ticks[0]?.devices.map(({ processes }) => processes)).toEqual([
    [{ pid: 123_456, kind: 'compute', memoryBytes: 61_234 * MIB, name: 'python', user: null }],
    [],
  ]);
  expect(log.skipped).toEqual({});
});

test('chips without memory on the package', () => {
  const log = decode(`| npu-smi 22.0.2                   Version: 22.0.2                                               |
| NPU     Name              | Health        | Power(W)     Temp(C)           Hugepages-Usage(page)   |
| Chip    Device            | Bus-Id        | AICore(%)    Memory-Usage(MB)                          |
| 2       310P3             | OK            | 16.2         44                0     / 0               |
| 0       0                 | 0000:01:00.0  | 0            1560 / 21527                              |
`);
  expect(readingsOf(log, 'memory_total_bytes')).toEqual([21_527 * MIB]);
  expect(log.ticks[0]?.devices[0]?.processes).toEqual({ absent: 'not-collected' });
});

test('the rows of watch', () => {
  const log =
    decode(`NpuID(Idx)  ChipId(Idx) Pwr(W)      Temp(C)     AI Core(%)  AI Cpu(%)   Ctrl Cpu(%) Memory(%)   Memory BW(%)
0           0           13.9        47          5           0           3           4           1
1           0           NA          48          6           0           3           4           1
0           0           14.0        47          7           0           3           4           1
`);
  expect(shapeOf(log)).toEqual(['log-0 log-1', 'log-0']);
  expect(readingsOf(log, 'power_watts')).toEqual([13.9, 'not-supported', 14]);
  expect(readingsOf(log, 'memory_used_ratio')).toEqual([0.04, 0.04, 0.04]);
});
