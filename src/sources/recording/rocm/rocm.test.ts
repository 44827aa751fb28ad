import { describe, expect, test } from 'vitest';
import { decode, readingsOf, shapeOf } from '../decode-text.ts';

const MIB = 2 ** 20;

describe('rocm-smi', () => {
  test('the concise table of ROCm 6.1, where columns have blanks in them', () => {
    const log =
      decode(`============================================ ROCm System Management Interface ============================================
====================================================== Concise Info ======================================================
Device  Node  IDs              Temp        Power     Partitions          SCLK    MCLK    Fan  Perf  PwrCap  VRAM%  GPU%
              (DID,     GUID)  (Junction)  (Socket)  (Mem, Compute, ID)
==========================================================================================================================
0       1     0x74a1,   28851  35.0°C      133.0W    NPS1, SPX, 0        131Mhz  900Mhz  0%   auto  750.0W  11%    97%
1       2     0x74a1,   51499  N/A         N/A       N/A, N/A, 0         None    900Mhz  0%   auto  750.0W  0%     0%
==========================================================================================================================
================================================== End of ROCm SMI Log ===================================================
`);
    expect(readingsOf(log, 'temperature_celsius')).toEqual([35, 'not-supported']);
    expect(readingsOf(log, 'power_watts')).toEqual([133, 'not-supported']);
    expect(readingsOf(log, 'utilization_ratio')).toEqual([0.97, 0]);
    expect(readingsOf(log, 'memory_used_ratio')).toEqual([0.11, 0]);
    expect(readingsOf(log, 'graphics_clock_hertz')).toEqual([131e6, 'not-collected']);
    expect(log.skipped).toEqual({});
  });

  test('tables that follow each other, with dates', () => {
    const table = (load: number) => `========================ROCm System Management Interface========================
================================================================================
GPU  Temp   AvgPwr  SCLK    MCLK    Fan    Perf  PwrCap  VRAM%  GPU%
0    25.0c  10.0W   852Mhz  167Mhz  14.9%  auto  170.0W  3%     ${load}%
================================================================================
==============================End of ROCm SMI Log ==============================
`;
    const log = decode(`Mon Aug 22 15:23:57 UTC 2022\n${table(5)}Mon Aug 22 15:23:59 UTC 2022\n${table(6)}`);
    expect(log.ticks.map(({ at }) => at)).toEqual([
      Date.UTC(2022, 7, 22, 15, 23, 57),
      Date.UTC(2022, 7, 22, 15, 23, 59),
    ]);
    expect(readingsOf(log, 'utilization_ratio')).toEqual([0.05, 0.06]);
  });

  test('the long output', () => {
    const log = decode(`======================= ROCm System Management Interface =======================
================================= Power Consumption ============================
GPU[0]\t\t: Current Socket Graphics Package Power (W): 133.0
GPU[1]\t\t: Current Socket Graphics Package Power (W): 130.0
GPU[0]\t\t: sclk clock level: 1: (131Mhz)
GPU[0]\t\t: Temperature (Sensor junction) (C): 38.0
GPU[0]\t\t: GPU use (%): 12
GPU[0]\t\t: GPU Memory Allocated (VRAM%): 7
GPU[1]\t\t: get_power_profiles, Not supported on the given system
============================= End of ROCm SMI Log ==============================
`);
    expect(readingsOf(log, 'power_watts')).toEqual([133, 130]);
    expect(readingsOf(log, 'temperature_celsius')).toEqual([38, 'not-collected']);
    expect(readingsOf(log, 'hotspot_temperature_celsius')).toEqual([38, 'not-collected']);
    expect(readingsOf(log, 'memory_used_ratio')).toEqual([0.07, 'not-collected']);
    expect(readingsOf(log, 'graphics_clock_hertz')).toEqual([131e6, 'not-collected']);
  });

  test('CSV, as it is and with times that a script wrote', () => {
    const header =
      'device,Temperature (Sensor edge) (C),mclk clock speed:,sclk clock level:,GPU use (%),VRAM Total Memory (B),VRAM Total Used Memory (B)';
    const row = (card: number, load: number) => `card${card},41.0,(96Mhz),1,${load},1000000,${load}000\n`;
    const log = decode(`${header}\n${row(0, 1)}${row(1, 2)}\n${header}\n${row(0, 3)}${row(1, 4)}`);
    expect(shapeOf(log)).toEqual(['log-0 log-1', 'log-0 log-1']);
    expect(readingsOf(log, 'memory_used_bytes')).toEqual([1000, 2000, 3000, 4000]);
    expect(readingsOf(log, 'memory_clock_hertz')).toEqual([96e6, 96e6, 96e6, 96e6]);
    expect(readingsOf(log, 'graphics_clock_hertz')).toEqual(Array(4).fill('not-collected'));
    const timed = decode(`Timestamp,${header}\n1704103200,${row(0, 1)}1704103202,${row(0, 2)}`);
    expect(timed.ticks.map(({ at }) => at)).toEqual([1_704_103_200_000, 1_704_103_202_000]);
  });

  test('documents that follow each other', () => {
    const document = (load: number) =>
      JSON.stringify({ card0: { 'GPU use (%)': `${load}`, 'Unique ID': '0x6f' }, system: { 'Driver version': '6.3' } });
    const log = decode(`${document(1)}\n${document(2)}\nWARNING: x\n${document(3)}\n`);
    expect(readingsOf(log, 'utilization_ratio')).toEqual([0.01, 0.02, 0.03]);
    expect(log.devices).toMatchObject([{ uuid: 'GPU-000000000000006f', driverVersion: '6.3', vendor: 'amd' }]);
    expect(log.skipped).toEqual({ 'stray-text': 1 });
  });
});

describe('amd-smi', () => {
  test('monitor, with its units apart from the numbers', () => {
    const log =
      decode(`GPU  POWER  GPU_TEMP  MEM_TEMP  GFX_UTIL  GFX_CLOCK  MEM_UTIL  MEM_CLOCK  ENC_UTIL  VRAM_USED  VRAM_TOTAL   PCIE_BW
  0   11 W     43 °C     58 °C      84 %   1814 MHz       1 %     96 MHz       N/A     227 MB    25476 MB  N/A Mb/s
  1  143 W     40 °C     39 °C      13 %    358 MHz       0 %   1173 MHz       N/A     283 MB   196300 MB  N/A Mb/s
  0   12 W     43 °C     58 °C      85 %   1814 MHz       1 %     96 MHz       N/A     228 MB    25476 MB  N/A Mb/s
`);
    expect(shapeOf(log)).toEqual(['log-0 log-1', 'log-0']);
    expect(readingsOf(log, 'power_watts')).toEqual([11, 143, 12]);
    expect(readingsOf(log, 'temperature_celsius')).toEqual([43, 40, 43]);
    expect(readingsOf(log, 'memory_temperature_celsius')).toEqual([58, 39, 58]);
    expect(readingsOf(log, 'memory_used_bytes')).toEqual([227 * MIB, 283 * MIB, 228 * MIB]);
    expect(readingsOf(log, 'utilization_ratio')).toEqual([0.84, 0.13, 0.85]);
  });

  test('the newer monitor, with times', () => {
    const log = decode(`TIMESTAMP  GPU  XCP  POWER  GPU_T  MEM_T  GFX_CLK  GFX%  MEM%  VRAM_USAGE
1704103200  0    0   250 W  60 °C  50 °C  2100 MHz  99 %  40 %  150.5/191.7 GB
`);
    expect(log.ticks[0]?.at).toBe(1_704_103_200_000);
    expect(readingsOf(log, 'memory_used_bytes')).toEqual([150.5 * 2 ** 30]);
    expect(readingsOf(log, 'memory_utilization_ratio')).toEqual([0.4]);
  });

  test('metric for people', () => {
    const log = decode(`GPU: 0
    USAGE:
        GFX_ACTIVITY: 37 %
        UMC_ACTIVITY: 2 %
        VCN_ACTIVITY: [N/A, N/A]
    POWER:
        SOCKET_POWER: 133 W
        GFX_VOLTAGE: N/A
    CLOCK:
        GFX_0:
            CLK: 131 MHz
            MAX_CLK: 2100 MHz
        MEM_0:
            CLK: 900 MHz
    TEMPERATURE:
        EDGE: N/A
        HOTSPOT: 35 °C
        MEM: 30 °C
    MEM_USAGE:
        TOTAL_VRAM: 196592 MB
        USED_VRAM: 283 MB
    ECC:
        TOTAL_CORRECTABLE_COUNT: 3

GPU: 1
    USAGE:
        GFX_ACTIVITY: 0 %
`);
    expect(readingsOf(log, 'utilization_ratio')).toEqual([0.37, 0]);
    expect(readingsOf(log, 'temperature_celsius')).toEqual([35, 'not-collected']);
    expect(readingsOf(log, 'graphics_clock_hertz')).toEqual([131e6, 'not-collected']);
    expect(readingsOf(log, 'core_voltage_volts')).toEqual(['not-supported', 'not-collected']);
    expect(readingsOf(log, 'memory_total_bytes')[0]).toBe(196_592 * MIB);
    expect(readingsOf(log, 'ecc_corrected_volatile_total')[0]).toBe(3);
    expect(log.skipped).toEqual({});
  });

  test('JSON of both shapes, and of the monitor', () => {
    const card = (gpu: number) => ({
      gpu,
      usage: { gfx_activity: { value: 37, unit: '%' } },
      power: { socket_power: { value: 133, unit: 'W' } },
      mem_usage: { used_vram: { value: 283, unit: 'MB' }, total_vram: { value: 196_592, unit: 'MB' } },
      temperature: { edge: 'N/A', hotspot: { value: 35, unit: 'C' } },
    });
    for (const text of [
      JSON.stringify([card(0), card(1)], null, 4),
      JSON.stringify({ gpu_data: [card(0), card(1)] }),
    ]) {
      const log = decode(text);
      expect(shapeOf(log), text).toEqual(['log-0 log-1']);
      expect(readingsOf(log, 'utilization_ratio')).toEqual([0.37, 0.37]);
      expect(readingsOf(log, 'temperature_celsius')).toEqual([35, 35]);
      expect(readingsOf(log, 'memory_used_bytes')).toEqual([283 * MIB, 283 * MIB]);
    }
    const monitor = [
      { timestamp: 1_704_103_200, gpu: 0, power_usage: { value: 100, unit: 'W' }, vram_used: { value: 5, unit: 'MB' } },
    ];
    const log = decode(`${JSON.stringify(monitor)}\n${JSON.stringify(monitor).replace('3200', '3205')}\n`);
    expect(log.ticks.map(({ at }) => at)).toEqual([1_704_103_200_000, 1_704_103_205_000]);
  });

  test('CSV', () => {
    const log = decode(
      'gpu,gfx_activity,umc_activity,socket_power,edge,hotspot,mem,used_vram,total_vram\n0,37,2,133,N/A,35,30,283,196592\n',
    );
    expect(readingsOf(log, 'memory_temperature_celsius')).toEqual([30]);
    expect(readingsOf(log, 'power_watts')).toEqual([133]);
    expect(log.devices[0]?.vendor).toBe('amd');
    const monitor = decode(
      'timestamp,gpu,power_usage,hotspot_temperature,gfx,mem,gfx_clk\n1704103200,0,133,35,37,2,131\n',
    );
    expect(monitor.ticks[0]?.at).toBe(1_704_103_200_000);
    expect(readingsOf(monitor, 'utilization_ratio')).toEqual([0.37]);
  });
});
