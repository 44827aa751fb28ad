import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type MetricId, slotOf } from '../../model/catalogue.ts';
import type { GpuProcess } from '../../model/process.ts';
import type { Tick } from '../../model/tick.ts';
import { decode } from './decode-text.ts';

const LOGS = resolve(import.meta.dirname, '../../../testdata/logs');
const MIB = 2 ** 20;

/** Least, mean and greatest value of the cards of all ticks, two decimals of the mean. */
type Span = readonly [least: number, mean: number, most: number];

interface Expected {
  readonly rows: number;
  readonly gpus: number;
  readonly ticks: number;
  /** MIG instances. */
  readonly slices?: number;
  /** Seconds from the first tick to the last. */
  readonly span?: number;
  readonly processes?: number;
  readonly skipped?: number;
  /** Null where the log has no readable value. */
  readonly util?: Span | null;
  readonly memoryUtil?: Span;
  readonly used?: Span;
  readonly power?: Span | null;
  readonly temperature?: Span;
  readonly driver?: string;
  readonly name?: string;
}

const METRICS = {
  util: ['utilization_ratio', 0.01],
  memoryUtil: ['memory_utilization_ratio', 0.01],
  used: ['memory_used_bytes', MIB],
  power: ['power_watts', 1],
  temperature: ['temperature_celsius', 1],
} as const satisfies Record<string, readonly [MetricId, number]>;

/** Counted by hand or by a script that shares nothing with the readers. */
const EXPECTED: Readonly<Record<string, Expected>> = JSON.parse(readFileSync(join(LOGS, 'expected-smi.json'), 'utf8'));

function cardsOf(ticks: readonly Tick[]) {
  return ticks.flatMap(({ devices }) => devices.filter(({ device }) => device.mig === undefined));
}

function spanOf(ticks: readonly Tick[], [id, unit]: readonly [MetricId, number]): Span | null {
  const values = cardsOf(ticks)
    .map(({ readings }) => readings.number(slotOf(id)))
    .filter((value) => value !== null)
    .map((value) => value / unit);
  if (values.length === 0) return null;
  const rounded = (value: number): number => Math.round(value * 100) / 100;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return [rounded(Math.min(...values)), rounded(mean), rounded(Math.max(...values))];
}

function processesOf(ticks: readonly Tick[]): GpuProcess[] {
  return cardsOf(ticks).flatMap(({ processes }) => ('absent' in processes ? [] : [...processes]));
}

function read(file: string) {
  return decode(readFileSync(join(LOGS, file)));
}

describe('outputs of nvidia-smi that people have kept', () => {
  for (const [file, expected] of Object.entries(EXPECTED)) {
    test(file, () => {
      const { ticks, rows, devices, skipped, faults } = read(file);
      const slices = devices.filter(({ mig }) => mig !== undefined).length;
      expect({ rows, gpus: devices.length - slices, ticks: ticks.length, slices }).toEqual({
        rows: expected.rows,
        gpus: expected.gpus,
        ticks: expected.ticks,
        slices: expected.slices ?? 0,
      });
      expect(Object.values(skipped).reduce((sum, count) => sum + count, 0)).toBe(expected.skipped ?? 0);
      expect(faults).toEqual({});
      if (expected.span !== undefined) expect((ticks.at(-1)!.at - ticks[0]!.at) / 1000).toBe(expected.span);
      for (const key of Object.keys(METRICS) as (keyof typeof METRICS)[]) {
        if (expected[key] !== undefined) expect(spanOf(ticks, METRICS[key]), key).toEqual(expected[key]);
      }
      if (expected.processes !== undefined) expect(processesOf(ticks)).toHaveLength(expected.processes);
      if (expected.driver !== undefined) expect(devices[0]?.driverVersion).toBe(expected.driver);
      if (expected.name !== undefined) expect(devices.map(({ name }) => name)).toContain(expected.name);
    });
  }
});

describe('what the counts do not show', () => {
  const first = (file: string) => read(file).ticks[0]!.devices[0]!;

  test('an unknown utilisation is not zero', () => {
    expect(first('table/gtx-titan-old-driver-na-util.txt').readings.get('utilization_ratio')).toEqual({
      absent: 'not-supported',
    });
    expect(first('table/h200mig-590-table-load.txt').readings.get('utilization_ratio')).toEqual({ absent: 'mig' });
    expect(first('table/525-fan-err.txt').readings.get('fan_speed_ratio')).toEqual({ absent: 'error' });
    expect(first('smi-q/truncated-535-183-q.txt').readings.get('utilization_ratio')).toEqual({
      absent: 'not-collected',
    });
    expect(first('smi-q/truncated-535-183-q.txt').processes).toEqual({ absent: 'not-collected' });
  });

  test('the reasons for lower clocks are put together', () => {
    expect(first('smi-q/a10-535-q.txt').readings.get('clock_event_reasons')).toBe(1);
    expect(first('smi-q/rtx4090x8-535-154-q0.txt').readings.get('clock_event_reasons')).toBe(0);
    expect(first('smi-q/truncated-535-183-q.txt').readings.get('clock_event_reasons')).toBe(1);
    expect(first('smi-xml/tesla-t4.xml').readings.get('clock_event_reasons')).toBe(0);
  });

  test('a card that gives only the power of the moment has a power', () => {
    const { readings } = first('smi-q/win-591-q-idle.txt');
    expect([readings.get('power_watts'), readings.get('power_instant_watts')]).toEqual([38.92, 38.92]);
    expect(readings.get('power_average_watts')).toEqual({ absent: 'not-supported' });
  });

  test('the temperature that the driver holds a card to is not the one at which the hardware slows down', () => {
    const { readings } = first('smi-q/thermal-limit-57C-mx330.txt');
    expect(readings.get('temperature_max_operating_celsius')).toBe(57);
    expect(readings.get('temperature_slowdown_celsius')).toBe(97);
  });

  test('instances have their memory and processes, and their card has all of them', () => {
    const [card, ...instances] = read('table/h200mig-590-table-load.txt').ticks[0]!.devices;
    expect(instances.map(({ device }) => [device.mig?.gpuInstance, device.mig?.computeInstance])).toEqual([
      [2, 0],
      [2, 1],
      [3, 0],
      [9, 0],
      [10, 0],
    ]);
    expect(instances.map(({ readings }) => readings.number(slotOf('memory_used_bytes'))! / MIB)).toEqual([
      16925, 16925, 17, 9, 9,
    ]);
    const pids = (sample: typeof card) =>
      'absent' in sample!.processes ? [] : sample!.processes.map(({ pid }) => pid);
    expect(pids(card)).toEqual([12249, 12250, 12267]);
    expect(instances.map(pids)).toEqual([[], [12249, 12250, 12267], [], [], []]);
    expect(new Set(instances.map(({ device }) => device.mig?.parent))).toEqual(new Set([card!.device.uuid]));
  });

  test('cards with the same empty UUID are told apart', () => {
    expect(read('list/k80-empty-uuid.txt').devices.map(({ uuid, name }) => `${uuid} ${name}`)).toEqual([
      'log-0 Tesla K80',
      'log-1 Tesla K80',
      'GPU-123123-1234-1234-1234-123123123 GeForce RTX 2080 Ti',
      'log-3 Tesla K80',
      'log-4 Tesla K80',
    ]);
  });

  test('a process without a readable name has none, its memory stays', () => {
    const processes = processesOf(read('table/zombie-process-unknown-error-name.txt').ticks);
    expect(processes.map(({ pid, name, memoryBytes }) => [pid, name, Number(memoryBytes) / MIB])).toEqual([
      [31794, null, 5371],
      [7653, 'python', 5369],
      [13386, 'caffe', 1205],
      [27707, null, 1011],
      [18049, 'python', 5809],
      [11827, 'python', 6169],
    ]);
  });

  test('processes on Windows have names with blanks and no memory', () => {
    const [, share] = processesOf(read('pmon/win-591-pmon-load.txt').ticks);
    expect(share).toMatchObject({
      name: 'NVIDIA Share.exe',
      kind: 'compute+graphics',
      smRatio: { absent: 'not-collected' },
    });
    const [dwm] = processesOf(read('smi-q/win-591-q-idle.txt').ticks);
    expect(dwm).toMatchObject({ pid: 2056, name: 'dwm.exe', memoryBytes: { absent: 'not-supported' } });
  });

  test('one pid on several GPUs is a process on each', () => {
    const { ticks } = read('pmon/pmon-two-header-orders-fb.txt');
    const found = ticks[0]!.devices.map(({ processes }) =>
      'absent' in processes ? null : processes.find(({ pid }) => pid === 1864615),
    );
    expect(found.map((process) => [Number(process?.memoryBytes) / MIB, process?.smRatio])).toEqual([
      [1635, 0.4],
      [535, { absent: 'not-collected' }],
      [535, { absent: 'not-collected' }],
      [535, { absent: 'not-collected' }],
    ]);
  });
});
