import { expect, test } from 'vitest';
import { decode, readingsOf } from '../decode-text.ts';

const MIB = 2 ** 20;

test('the lines of other boards and releases', () => {
  const log = decode(
    [
      'RAM 1903/3964MB (lfb 2x4MB) SWAP 0/1982MB (cached 0MB) IRAM 0/252kB(lfb 252kB) CPU [15%@1479,off,off,11%@1479] EMC_FREQ 3%@1600 GR3D_FREQ 42%@921 APE 25 PLL@35.5C CPU@38C PMIC@100C GPU@36.5C AO@42C thermal@37C POM_5V_IN 2532/2698 POM_5V_GPU 124/145 POM_5V_CPU 372/400',
      'RAM 4722/7844MB (lfb 1x4MB) CPU [0%@345] EMC_FREQ 0%@2133 GR3D_FREQ 0%@[611,611] GPU@-256C VDD_IN 5555mW/5555mW',
      'RAM 4722/7844MB (lfb 1x4MB) CPU [0%@345] GR3D_FREQ @[1575,1574] gpu@41.25C',
      'RAM 1000/7844MB (lfb 1x4MB) CPU [0%@345] GR3D_FREQ 150% gpu@41.25C',
      'tegrastats stopped',
      'RAM 1001/7844MB (lfb 1x4MB) CPU [0%@345] GR3D_FREQ 99%@11',
    ].join('\n'),
  );
  expect(readingsOf(log, 'utilization_ratio')).toEqual([0.42, 0, 'not-collected', 'error', 'not-collected']);
  expect(readingsOf(log, 'graphics_clock_hertz')).toEqual([
    921e6,
    611e6,
    'not-collected',
    'not-collected',
    'not-collected',
  ]);
  expect(readingsOf(log, 'temperature_celsius')).toEqual([36.5, 'asleep', 41.25, 41.25, 'not-collected']);
  expect(readingsOf(log, 'power_watts').slice(0, 2)).toEqual([2.532, 5.555]);
  expect(readingsOf(log, 'memory_used_bytes').at(-1)).toBe(1001 * MIB);
  expect(log.skipped).toEqual({ 'stray-text': 1 });
});

test('times are those of the United States, or what a script put in front', () => {
  const line = 'RAM 1000/7844MB (lfb 1x4MB) CPU [0%@345] GR3D_FREQ 1%';
  expect(decode(`10-01-2025 20:05:55 ${line}\n`).ticks[0]?.at).toBe(Date.UTC(2025, 9, 1, 20, 5, 55));
  expect(decode(`2025-10-01T20:05:55Z ${line}\n`).ticks[0]?.at).toBe(Date.UTC(2025, 9, 1, 20, 5, 55));
});
