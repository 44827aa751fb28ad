import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { MetricId } from '../../model/catalogue.ts';
import { decode, eventsOf, readingsOf } from './decode-text.ts';

const LOGS = resolve(import.meta.dirname, '../../../testdata/logs');
const MIB = 2 ** 20;

function read(file: string) {
  return decode(readFileSync(join(LOGS, file)));
}

interface Expected {
  readonly rows: number;
  readonly gpus: number;
  readonly ticks: number;
  readonly skipped?: Readonly<Record<string, number>>;
  /** Seconds from the first tick to the last. */
  readonly span?: number;
}

/** Counted in the files by hand or by a script that shares nothing with the readers. */
const EXPECTED: Readonly<Record<string, Expected>> = {
  'gpustat/gt740m-390-unknown-util.txt': { rows: 1, gpus: 1, ticks: 1 },
  'gpustat/p100x4-phantom-103mb.txt': { rows: 4, gpus: 4, ticks: 1 },
  'nvtop/nvtop-330-broken-json.txt': { rows: 1, gpus: 1, ticks: 1 },
  'nvtop/nvtop-intel-null-util.json': { rows: 2, gpus: 2, ticks: 1 },
  'dcgm/dcgm-exporter-a30-mig.prom': { rows: 5, gpus: 5, ticks: 1 },
  'dcgm/dcgm-exporter-l40s-595.prom': { rows: 1, gpus: 1, ticks: 1 },
  'dcgm/dcgm-policy-long-format.csv': { rows: 63, gpus: 8, ticks: 8 },
  'dcgm/nvidia_gpu_exporter-geforce-rtx-2080-super-idle.prom': { rows: 1, gpus: 1, ticks: 1 },
  'dcgm/nvidia_gpu_exporter-h100-80gb-hbm3-load.prom': { rows: 1, gpus: 1, ticks: 1 },
  'prometheus/instant-vector-gpu-uuid-in-name.json': { rows: 3, gpus: 3, ticks: 1 },
  'rocm/ceems-rocm-smi.json': { rows: 12, gpus: 12, ticks: 1 },
  'rocm/mi300x_x4_smi-table.txt': { rows: 4, gpus: 4, ticks: 1 },
  'rocm/rocm29-unable-to-get.txt': { rows: 2, gpus: 2, ticks: 1 },
  'rocm/rocm33-vram-na.txt': { rows: 1, gpus: 1, ticks: 1 },
  'rocm/rx6700xt_rocm430.json': { rows: 1, gpus: 1, ticks: 1 },
  'rocm/vega-20-WKS-GL-XE.json': { rows: 1, gpus: 1, ticks: 1 },
  'npu-smi/npu-smi-24.1-910-a3.txt': { rows: 3, gpus: 3, ticks: 1 },
  'npu-smi/npu-smi-25.3-ci.txt': { rows: 3, gpus: 3, ticks: 1 },
  'tegrastats/jetson-tegra-burn.log': { rows: 103, gpus: 1, ticks: 103, span: 105 },
  'kernel/xid119-gsp-ctime.txt': { rows: 7, gpus: 1, ticks: 7, span: 270 },
  'kernel/xid13-storm-decode-iso.log': { rows: 300, gpus: 1, ticks: 51 },
};

describe('logs of other tools', () => {
  for (const [file, { rows, gpus, ticks, skipped = {}, span }] of Object.entries(EXPECTED)) {
    test(file, () => {
      const log = read(file);
      expect({ rows: log.rows, gpus: log.devices.length, ticks: log.ticks.length, skipped: log.skipped }).toEqual({
        rows,
        gpus,
        ticks,
        skipped,
      });
      if (span !== undefined) expect((log.ticks.at(-1)!.at - log.ticks[0]!.at) / 1000).toBe(span);
    });
  }
});

describe('what they say', () => {
  const check = (file: string, id: MetricId, want: readonly (number | string)[], unit = 1) => {
    const found = readingsOf(read(file), id).map((value) => (typeof value === 'number' ? value / unit : value));
    expect(found, `${file} ${id}`).toEqual(want);
  };

  test('gpustat', () => {
    const old = 'gpustat/gt740m-390-unknown-util.txt';
    check(old, 'temperature_celsius', [64]);
    check(old, 'utilization_ratio', ['not-supported']);
    check(old, 'memory_used_bytes', [360], MIB);
    check(old, 'memory_total_bytes', [2004], MIB);
    expect(read(old)).toMatchObject({
      devices: [{ name: 'GeForce GT 740M', driverVersion: '390.116' }],
      ticks: [{ at: Date.UTC(2019, 9, 4, 21, 22, 5), devices: [{ processes: { absent: 'not-supported' } }] }],
    });
    const four = 'gpustat/p100x4-phantom-103mb.txt';
    check(four, 'utilization_ratio', [0, 0, 0, 0.02]);
    check(four, 'memory_used_bytes', [103, 103, 103, 103], MIB);
    expect(read(four).ticks[0]?.at).toBe(Date.UTC(2022, 7, 22, 15, 23, 57));
  });

  test('nvtop: what is null is no zero, and JSON without its commas is read', () => {
    const intel = 'nvtop/nvtop-intel-null-util.json';
    check(intel, 'utilization_ratio', [0.01, 'not-collected']);
    check(intel, 'power_watts', [23, 'not-collected']);
    check(intel, 'memory_used_ratio', [0.31, 0.83]);
    check(intel, 'fan_speed_rpm', ['not-collected', 1061]);
    expect(read(intel).devices.map(({ vendor }) => vendor)).toEqual(['nvidia', 'intel']);
    const broken = 'nvtop/nvtop-330-broken-json.txt';
    check(broken, 'memory_used_bytes', [7_585_398_784]);
    check(broken, 'memory_total_bytes', [21_197_180_928]);
    check(broken, 'power_watts', [7]);
    check(broken, 'memory_utilization_ratio', ['not-collected']);
  });

  test('exporters: MIG instances are apart, used and reserved memory are not the same', () => {
    const mig = read('dcgm/dcgm-exporter-a30-mig.prom');
    expect(mig.devices.map((device) => [device.index, device.mig?.gpuInstance, device.mig?.profile])).toEqual([
      [0, 3, '1g.6gb'],
      [0, 4, '1g.6gb'],
      [0, 5, '1g.6gb'],
      [0, 6, '1g.6gb'],
      [1, 3, '1g.6gb'],
    ]);
    expect(eventsOf(mig)).toEqual([]);
    const l40s = 'dcgm/dcgm-exporter-l40s-595.prom';
    check(l40s, 'memory_used_bytes', [0]);
    check(l40s, 'memory_free_bytes', [45_459], MIB);
    check(l40s, 'memory_reserved_bytes', [608], MIB);
    expect(read(l40s).devices[0]).toMatchObject({ pciBusId: '00000000:00:07.0', driverVersion: '595.58.03' });
    const h100 = 'dcgm/nvidia_gpu_exporter-h100-80gb-hbm3-load.prom';
    check(h100, 'utilization_ratio', [1]);
    check(h100, 'power_watts', [631.95]);
    check(h100, 'power_instant_watts', [625.68]);
    check(h100, 'sm_clock_hertz', [1.98e9]);
    check(h100, 'performance_state', [0]);
    expect(read(h100).ticks[0]?.devices[0]?.processes).toHaveLength(3);
  });

  test('the long format of DCGM is put into order', () => {
    const log = read('dcgm/dcgm-policy-long-format.csv');
    const watts = readingsOf(log, 'power_instant_watts').filter((value) => typeof value === 'number');
    expect(watts).toHaveLength(57);
    expect(Math.min(...watts)).toBe(69.3);
    expect(Math.max(...watts)).toBe(72.18);
    expect(watts.reduce((sum, value) => sum + value, 0) / watts.length).toBeCloseTo(71.06, 2);
    const reasons = readingsOf(log, 'clock_event_reasons').filter((value) => typeof value === 'number');
    expect(reasons).toHaveLength(57);
    expect(eventsOf(log)).toEqual([]);
  });

  test('Prometheus: the GPU may be a part of the name', () => {
    const file = 'prometheus/instant-vector-gpu-uuid-in-name.json';
    expect(read(file).ticks[0]?.at).toBe(1_743_099_740_063);
    check(file, 'memory_free_bytes', [7964, 7964, 7964], MIB);
    check(file, 'memory_reserved_bytes', [218, 218, 218], MIB);
    check(file, 'memory_temperature_celsius', ['not-supported', 'not-supported', 'not-supported']);
  });

  test('rocm-smi in all its releases', () => {
    const table = 'rocm/mi300x_x4_smi-table.txt';
    check(table, 'temperature_celsius', [35, 37, 34, 38]);
    check(table, 'power_watts', [133, 131, 131, 137]);
    check(table, 'memory_used_ratio', [0, 0, 0, 0]);
    expect(read(table).devices.map(({ name, vendor }) => [name, vendor])).toEqual(
      Array(4).fill(['AMD Instinct MI300X', 'amd']),
    );
    const old = 'rocm/rocm33-vram-na.txt';
    check(old, 'memory_used_ratio', ['not-supported']);
    check(old, 'fan_speed_ratio', [0.149]);
    check(old, 'graphics_clock_hertz', [852e6]);
    expect(read(old).devices[0]?.index).toBe(1);
    const failed = read('rocm/rocm29-unable-to-get.txt');
    expect(failed.faults).toEqual({ 'error-rows': 4 });
    expect(failed.ticks[0]?.devices.every(({ readings }) => !readings.isReadable())).toBe(true);
    check('rocm/rx6700xt_rocm430.json', 'memory_used_bytes', [1_622_728_704]);
    check('rocm/rx6700xt_rocm430.json', 'temperature_celsius', [45]);
    check('rocm/vega-20-WKS-GL-XE.json', 'graphics_clock_hertz', [1725e6]);
    expect(read('rocm/vega-20-WKS-GL-XE.json').devices[0]?.name).toBe('Radeon Instinct MI50 32GB');
  });

  test('npu-smi: the second chip of a card has no power of its own', () => {
    const file = 'npu-smi/npu-smi-24.1-910-a3.txt';
    check(file, 'power_watts', [178.8, 'not-collected', 185.4]);
    check(file, 'temperature_celsius', [36, 36, 36]);
    check(file, 'memory_used_bytes', [3397, 3186, 'not-collected'], MIB);
    check(file, 'memory_total_bytes', [65_536, 65_536, 'not-collected'], MIB);
    expect(read(file).devices.map(({ vendor }) => vendor)).toEqual(['huawei', 'huawei', 'huawei']);
  });

  test('tegrastats', () => {
    const log = read('tegrastats/jetson-tegra-burn.log');
    const load = readingsOf(log, 'utilization_ratio').map(Number);
    expect(load.reduce((sum, value) => sum + value, 0) / load.length).toBeCloseTo(0.8908, 3);
    const used = readingsOf(log, 'memory_used_bytes').map((bytes) => Number(bytes) / MIB);
    expect([Math.min(...used), Math.max(...used)]).toEqual([2274, 5507]);
    expect(Math.max(...readingsOf(log, 'temperature_celsius').map(Number))).toBe(53);
  });
});

describe('kernel logs', () => {
  const xids = (file: string) => {
    const counts: Record<string, number> = {};
    for (const { kind, params } of eventsOf(read(`kernel/${file}`))) {
      if (kind !== 'xid') continue;
      const key = `${params['xid']} ${params['bus'] ?? '?'}`;
      counts[key] = (counts[key] ?? 0) + 1;
    }
    return counts;
  };

  test('every Xid is an event of its card', () => {
    expect(xids('xid119-gsp-ctime.txt')).toEqual({ '119 00000000:61:00.0': 7 });
    expect(xids('xid13-storm-decode-iso.log')).toEqual({ '13 00000000:38:00.0': 296, '43 00000000:38:00.0': 4 });
    expect(xids('xid31-62-45-cascade.txt')).toEqual({
      '31 00000000:0A:00.0': 1,
      '62 00000000:0A:00.0': 1,
      '45 00000000:0A:00.0': 8,
    });
    expect(xids('xid31-in-app-log.txt')).toEqual({ '31 00000000:00:06.0': 1 });
    expect(xids('xid31-pid-no-name-driver450.txt')).toEqual({ '31 00000000:C1:00.0': 2 });
    expect(xids('xid48-63-94-iso.log')).toEqual({
      '48 00000000:19:00.0': 1,
      '63 00000000:19:00.0': 1,
      '94 00000000:19:00.0': 9,
    });
    expect(xids('xid45-caused-by-149-145.txt')).toEqual({
      '45 00000000:DC:00.0': 2,
      '45 00000000:ED:00.0': 2,
      '45 00000000:BA:00.0': 2,
      '45 00000000:97:00.0': 1,
    });
  });

  test('a card off the bus is lost, however the driver words it, and reported once', () => {
    for (const [file, bus] of [
      ['xid79-german-locale.txt', '00000000:01:00.0'],
      ['xid79-syslog-old-shape.txt', '00000000:01:00.0'],
      ['fallen-off-no-xid-multiline.txt', '00000000:B3:00.0'],
    ] as const) {
      expect(xids(file), file).toEqual({ [`79 ${bus}`]: 1 });
      expect(read(`kernel/${file}`).ticks.at(-1)?.devices[0]?.state, file).toBe('lost');
    }
    expect(xids('gpu-is-lost-assert-dgx-station.txt')).toEqual({ '79 ?': 1 });
    expect(read('kernel/pcie-aer-before-loss.txt').ticks[0]?.devices[0]).toMatchObject({
      state: 'lost',
      device: { pciBusId: '00000000:03:00.0' },
    });
  });

  test('names, processes and causes', () => {
    const cascade = read('kernel/xid31-62-45-cascade.txt');
    expect(cascade.devices[0]?.uuid).toBe('GPU-0000000c-0000-4000-8000-00000000000c');
    expect(eventsOf(cascade)[0]?.params).toMatchObject({ pid: 13_332, name: 'cuda_plot_k32_v' });
    const causes = eventsOf(read('kernel/xid45-caused-by-149-145.txt')).map(({ params }) => params['causedBy']);
    expect(causes).toEqual([149, 145, 145, 145, 149, 145, 145]);
    expect(eventsOf(read('kernel/xid31-pid-no-name-driver450.txt'))[0]?.params['name']).toBeUndefined();
  });

  test('AMD resets are told in the words of the driver', () => {
    const recovered = read('kernel/amd-ring-timeout-polish-month.txt');
    expect(recovered.devices).toMatchObject([{ vendor: 'amd', pciBusId: '00000000:C2:00.0' }]);
    expect(recovered.ticks.every(({ devices }) => devices.every(({ state }) => state === 'ok'))).toBe(true);
    expect(new Date(recovered.ticks[0]!.at).getUTCMonth()).toBe(4);
    const lost = eventsOf(read('kernel/amd-vram-lost-rx5700xt.txt'));
    expect(lost.at(-1)).toMatchObject({ severity: 'critical', params: { text: 'VRAM is lost due to GPU reset!' } });
  });

  test('a log without faults has nothing to show', () => {
    for (const file of ['kmsg-peermem.log', 'pstore-erst-driver-load.txt']) {
      const log = read(`kernel/${file}`);
      expect([log.isRecognised, log.rows, log.ticks], file).toEqual([true, 0, []]);
    }
  });
});
