import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type MetricId, slotOf } from '../../model/catalogue.ts';
import type { Tick } from '../../model/tick.ts';
import { openRecordingReader, type RecordingOptions, type RecordingSummary } from './recording-reader.ts';

const LOGS = resolve(import.meta.dirname, '../../../testdata/logs/csv');
const MIB = 2 ** 20;

/** Least, mean and greatest value of a metric as the log writes it, and how many there are. */
interface Statistics {
  readonly count: number;
  readonly least: number;
  readonly mean: number;
  readonly most: number;
}

const METRICS = {
  util: ['utilization_ratio', 0.01],
  memoryUtil: ['memory_utilization_ratio', 0.01],
  used: ['memory_used_bytes', MIB],
  total: ['memory_total_bytes', MIB],
  power: ['power_watts', 1],
  temperature: ['temperature_celsius', 1],
} as const satisfies Record<string, readonly [MetricId, number]>;

interface Read {
  readonly ticks: readonly Tick[];
  readonly summary: RecordingSummary;
  readonly notices: readonly string[];
  readonly names: readonly string[];
  readonly statistics: (name: keyof typeof METRICS) => Statistics | null;
}

async function read(file: string, options: Partial<RecordingOptions> = {}): Promise<Read> {
  const reader = await openRecordingReader({ path: join(LOGS, file), timeZone: 'UTC', ...options });
  const ticks: Tick[] = [];
  for await (const tick of reader) ticks.push(tick);
  return {
    ticks,
    summary: reader.summary(),
    notices: reader.notices().map(({ key }) => key.replace('notice.', '')),
    names: reader.devices().map(({ name }) => name),
    statistics: (name) => statistics(ticks, METRICS[name]),
  };
}

function statistics(ticks: readonly Tick[], [id, unit]: readonly [MetricId, number]): Statistics | null {
  const values = ticks
    .flatMap(({ devices }) => devices.map(({ readings }) => readings.number(slotOf(id))))
    .filter((value) => value !== null)
    .map((value) => value / unit);
  if (values.length === 0) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const rounded = (value: number): number => Math.round(value * 100) / 100;
  return {
    count: values.length,
    least: rounded(Math.min(...values)),
    mean: rounded(mean),
    most: rounded(Math.max(...values)),
  };
}

function largestGap(ticks: readonly Tick[]): number {
  return Math.max(0, ...ticks.slice(1).map(({ at }, before) => at - ticks[before]!.at)) / 1000;
}

interface Expected
  extends Readonly<Partial<Record<keyof typeof METRICS, readonly [least: number, mean: number, most: number]>>> {
  readonly rows: number;
  readonly gpus: number;
  readonly ticks: number;
  /** Seconds from the first tick to the last, and the longest time between two. */
  readonly span: number;
  readonly gap: number;
  readonly notices: readonly string[];
}

/** Counted and computed from the files by a script that shares nothing with the reader. */
const EXPECTED: Readonly<Record<string, Expected>> = JSON.parse(readFileSync(join(LOGS, '../expected.json'), 'utf8'));

describe('logs that people have written', () => {
  for (const [file, expected] of Object.entries(EXPECTED)) {
    test(file, async () => {
      const { ticks, summary, notices, statistics } = await read(file);
      const { rows, gpus, from, to, restarts } = summary;
      expect({ rows, gpus, ticks: ticks.length, restarts }).toEqual({
        rows: expected.rows,
        gpus: expected.gpus,
        ticks: expected.ticks,
        restarts: 0,
      });
      expect((to! - from!) / 1000).toBeCloseTo(expected.span, 2);
      expect(largestGap(ticks)).toBeCloseTo(expected.gap, 2);
      expect(notices).toEqual(expected.notices);
      for (const name of Object.keys(METRICS) as (keyof typeof METRICS)[]) {
        const want = expected[name];
        if (want === undefined) continue;
        const [least, mean, most] = want;
        expect(statistics(name), name).toMatchObject({ least, mean, most });
      }
    });
  }
});

describe('what the statistics do not show', () => {
  const reading = ({ ticks }: Read, id: MetricId, tick = 0, device = 0) =>
    ticks[tick]?.devices[device]?.readings.get(id);

  test('a metric that a log does not have is not collected, and none is made up', async () => {
    const log = await read('long-format-gpuid-util.csv');
    expect(reading(log, 'memory_used_bytes')).toEqual({ absent: 'not-collected' });
    expect(log.statistics('memoryUtil')).toBe(null);
    expect((await read('korean-banner-header.log')).statistics('memoryUtil')).toBe(null);
    expect((await read('jetson-orin-all-na.csv')).statistics('util')).toBe(null);
  });

  test('utilisation under MIG is absent because of MIG', async () => {
    const log = await read('h100mig-590-all-fields-idle.csv');
    expect(reading(log, 'utilization_ratio')).toEqual({ absent: 'mig' });
    expect(reading(log, 'memory_utilization_ratio')).toEqual({ absent: 'mig' });
    expect(reading(log, 'fan_speed_ratio')).toEqual({ absent: 'not-supported' });
    expect(reading(log, 'clock_event_reasons')).toBe(1);
  });

  test('an old card without a utilisation has its memory', async () => {
    const log = await read('mixed-not-supported-2gpu.csv');
    expect(reading(log, 'utilization_ratio', 0, 1)).toEqual({ absent: 'not-supported' });
    expect(reading(log, 'memory_used_bytes', 0, 1)).toBe(722 * MIB);
  });

  test('rows of errors are errors, not zeros', async () => {
    const log = await read('loop-unknown-error.csv');
    expect(log.summary.faults).toEqual({ 'error-rows': 2 });
    expect(reading(log, 'utilization_ratio', 0)).toEqual({ absent: 'not-collected' });
    expect(reading(log, 'utilization_ratio', 2)).toEqual({ absent: 'error' });
  });

  test('the last tick of a log that was stopped has the devices it has', async () => {
    const { ticks } = await read('h100x8-iso-tz-index-always-0.csv');
    expect(ticks.map(({ devices }) => devices.length)).toEqual([8, 8, 8, 8, 8, 3]);
    expect(ticks[0]?.at).toBe(Date.UTC(2025, 8, 8, 9, 26, 50));
  });

  test('two cards that were in one place after each other are two devices in ticks of their own', async () => {
    const { names, ticks, summary } = await read('table-then-csv-with-nul-runs.csv');
    expect(names).toEqual(['Tesla V100-SXM2-32GB', 'Tesla V100-PCIE-32GB']);
    expect(ticks.at(-1)?.devices.map(({ device }) => device.uuid)).toEqual(['log-0-tesla-v100-pcie-32gb']);
    expect(summary.skippedRows).toEqual({ table: 19 });
  });

  test('identity is taken from every column that has it', async () => {
    const reader = await openRecordingReader({ path: join(LOGS, 'l40s-595-all-fields-load.csv') });
    expect(reader.devices()).toEqual([]);
    await reader.next();
    expect(reader.devices()).toEqual([
      {
        uuid: 'GPU-00000000-0000-0000-0000-000000000000',
        vendor: 'nvidia',
        name: 'NVIDIA L40S',
        index: 0,
        pciBusId: '00000000:01:00.0',
        minor: null,
        serial: '0000000000000',
        driverVersion: '595.80',
      },
    ]);
    await reader.close();
  });

  test('a log of processes has them, and no readings', async () => {
    const { ticks } = await read('rtx4080s-595-compute-apps.csv');
    expect(ticks[0]?.devices[0]?.processes).toEqual([
      { pid: 2165, kind: 'compute', memoryBytes: 25 * MIB, name: 'kwin_wayland', user: null },
      { pid: 5022, kind: 'compute', memoryBytes: 503 * MIB, name: 'ffmpeg', user: null },
      { pid: 5021, kind: 'compute', memoryBytes: 360 * MIB, name: 'ffmpeg', user: null },
    ]);
    expect([...(ticks[0]?.devices[0]?.readings.codes ?? [])].every((code) => code > 0)).toBe(true);
    const windows = (await read('win-591-compute-apps.csv')).ticks[0]?.devices[0]?.processes;
    expect(windows).toHaveLength(12);
    expect(Array.isArray(windows) ? windows[0] : null).toMatchObject({
      memoryBytes: { absent: 'not-supported' },
      name: 'TextInputHost.exe',
    });
  });
});
