import { describe, expect, test } from 'vitest';
import { findMetric } from '../../../model/catalogue.ts';
import { ANCHOR, decode, eventsOf, readingsOf, shapeOf } from '../decode-text.ts';
import { blankReason, dcgmField } from './fields.ts';
import { fieldOfColumn, fieldOfTag } from './names.ts';

const MIB = 2 ** 20;
const HEADER =
  '#Entity   GPUTL    MCUTL    POWER     TMPTR   FBUSD   TOTEC    XIDER\nID                          W         C                mJ\n';

describe('dcgmi dmon', () => {
  test('rows, headers that come again, and words for missing values', () => {
    const log = decode(
      `${HEADER}GPU 0     75       42       185.300   68      28456   1000     0
GPU 1     N/A      0        61.5      30      0       N/A      0
${HEADER}GPU 0     1        2        3.5       69      28456   2000     0
GPU 1     2        3        4.5       70      0       9223372036854775794 0
`,
    );
    expect(shapeOf(log)).toEqual(['log-0 log-1', 'log-0 log-1']);
    expect(log.ticks.map(({ at }) => at)).toEqual([ANCHOR, ANCHOR + 1000]);
    expect(readingsOf(log, 'utilization_ratio')).toEqual([0.75, 'not-supported', 0.01, 0.02]);
    expect(readingsOf(log, 'power_watts')).toEqual([185.3, 61.5, 3.5, 4.5]);
    expect(readingsOf(log, 'memory_used_bytes')[0]).toBe(28_456 * MIB);
    expect(readingsOf(log, 'energy_joules_total')).toEqual([1, 'not-supported', 2, 'not-supported']);
    expect(log.skipped).toEqual({});
  });

  test('instances of MIG stand behind their card and take nothing from it, nor hide another', () => {
    const round = `GPU 0     N/A      N/A      201.5   44      1024     N/A      0
GPU-I 0   N/A      N/A      N/A     N/A     500      N/A      0
GPU-CI 0  N/A      N/A      N/A     N/A     N/A      N/A      0
GPU-I 1   N/A      N/A      N/A     N/A     524      N/A      0
GPU-CI 1  N/A      N/A      N/A     N/A     N/A      N/A      0
GPU 1     88       1        90.5    45      100      N/A      0
`;
    const log = decode(HEADER + round + round);
    const rows = log.ticks.map(({ devices }) =>
      devices.map(({ device, readings }) => {
        const used = readings.get('memory_used_bytes');
        const place = device.mig === undefined ? `${device.index}` : `${device.index}/${device.mig.gpuInstance}`;
        return `${place} ${typeof used === 'number' ? used / MIB : used.absent}`;
      }),
    );
    expect(rows.map((row) => row.sort())).toEqual([
      ['0 1024', '0/0 500', '0/1 524', '1 100'],
      ['0 1024', '0/0 500', '0/1 524', '1 100'],
    ]);
  });

  test('the older header, instances of MIG, switches, and rows that do not fit', () => {
    const log = decode(
      `# Entity  GPUTL  FBUSD
      Id
    GPU 0  7      100
  GPU-I 0  N/A    50
 Switch 0  1      2
    GPU 1  7
    GPU 1  8      200
Error setting watches
`,
    );
    expect(shapeOf(log)).toEqual(['log-0 MIG-log-0/0/0 log-1']);
    expect(readingsOf(log, 'memory_used_bytes')).toEqual([100 * MIB, 50 * MIB, 200 * MIB]);
    expect(log.skipped).toEqual({ 'unknown-device': 1, 'wrong-columns': 1, 'stray-text': 1 });
  });

  test('an Xid is an event when it is new, not at every row', () => {
    const row = (xid: number) => `GPU 0 1 2 3 4 5 6 ${xid}\n`;
    const log = decode(HEADER + row(0) + row(0) + row(79) + row(79) + row(31));
    expect(eventsOf(log).map(({ kind, params }) => [kind, params['xid']])).toEqual([
      ['xid', 79],
      ['xid', 31],
    ]);
    expect(eventsOf(log)[0]?.at).toBe(ANCHOR + 2000);
  });

  test('the last value of a log that is cut off is not believed', () => {
    const log = decode('# Entity GPUTL POWER\nGPU 0 5 60.1\nGPU 0 6 6');
    expect(readingsOf(log, 'power_watts')).toEqual([60.1, 'not-collected']);
    expect(readingsOf(log, 'utilization_ratio')).toEqual([0.05, 0.06]);
    expect(decode('# Entity GPUTL POWER\nGPU 0 5 60.1\nGPU 0 6').skipped).toEqual({ truncated: 1 });
  });
});

describe('fields', () => {
  test('a field is known by its name, its tag and its column', () => {
    expect(fieldOfTag('gpu_utilization')).toBe('DCGM_FI_DEV_GPU_UTIL');
    expect(fieldOfTag('fb_usdp')).toBe('DCGM_FI_DEV_FB_USED_PERCENT');
    expect(fieldOfColumn('SMACT')).toBe('DCGM_FI_PROF_SM_ACTIVE');
    expect(dcgmField('DCGM_FI_DEV_CLOCK_THROTTLE_REASONS')?.metric.id).toBe('clock_event_reasons');
    expect(dcgmField('DCGM_FI_DEV_BOARD_POWER_WATTS')?.metric.id).toBe('power_watts');
    expect(dcgmField('DCGM_FI_DEV_VGPU_TYPE')).toBeUndefined();
  });

  test('units follow from the family of the field', () => {
    const check = (name: string, value: number, want: number) => {
      const field = dcgmField(name);
      if (field === undefined) throw new Error(`${name} is not in the catalogue`);
      expect(field.scale < 1 ? value / Math.round(1 / field.scale) : value * field.scale, name).toBe(want);
    };
    check('DCGM_FI_DEV_FB_USED', 3, 3 * MIB);
    check('DCGM_FI_DEV_GPU_UTIL', 29, 0.29);
    check('DCGM_FI_DEV_FB_USED_PERCENT', 0.29, 0.29);
    check('DCGM_FI_DEV_SM_CLOCK', 1980, 1.98e9);
    check('DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION', 1500, 1.5);
    check('DCGM_FI_DEV_POWER_VIOLATION', 2e9, 2);
    check('DCGM_FI_PROF_PCIE_TX_BYTES', 1000, 1000);
    check('DCGM_FI_DEV_PCIE_TX_THROUGHPUT', 2, 2000);
    if (findMetric('sm_active_ratio') !== undefined) check('DCGM_FI_PROF_SM_ACTIVE', 0.5, 0.5);
  });

  test('blank values are absent, each for its reason', () => {
    expect(blankReason('2147483632')).toBe('not-collected');
    expect(blankReason('2147483634')).toBe('not-supported');
    expect(blankReason('9223372036854775792')).toBe('not-collected');
    expect(blankReason('9223372036854775793')).toBe('not-found');
    expect(blankReason('9223372036854775795')).toBe('no-permission');
    expect(blankReason('9.223372036854776e+18')).toBe('not-collected');
    expect(blankReason('140737488355328.000000')).toBe('not-collected');
    expect(blankReason('<<<NOT_SUPPORTED>>>')).toBe('not-supported');
    expect(blankReason('2147483631')).toBe(null);
    expect(blankReason('0')).toBe(null);
  });
});
