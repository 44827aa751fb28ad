import { describe, expect, test } from 'vitest';
import type { MetricId } from '../model/catalogue.ts';
import type { GpuEvent } from '../model/event.ts';
import { type Finding, NAMED_STATES, RULES } from '../model/finding.ts';
import type { GpuProcess } from '../model/process.ts';
import { ReadingSet } from '../model/reading-set.ts';
import { diagnose } from './diagnose.ts';
import { noise, type Script, scriptedTicks, windowOf } from './test-ticks.ts';

type Readings = Partial<Record<MetricId, number>>;

const GIB = 2 ** 30;

/** A GPU of 80 GiB and 700 W that is busy. */
function busy(gpu: number, second: number, more: Readings = {}): Readings {
  return {
    utilization_ratio: 0.95 + 0.04 * noise(gpu, second),
    memory_used_bytes: 60 * GIB,
    memory_total_bytes: 80 * GIB,
    power_watts: 600 + 40 * noise(gpu + 9, second),
    power_limit_watts: 700,
    ...more,
  };
}

function idle(more: Readings = {}): Readings {
  return {
    utilization_ratio: 0,
    memory_used_bytes: 60 * GIB,
    memory_total_bytes: 80 * GIB,
    power_watts: 70,
    power_limit_watts: 700,
    ...more,
  };
}

const python: GpuProcess = { pid: 100, kind: 'compute', memoryBytes: 60 * GIB, name: 'python', user: 'lin' };

function verdicts(script: Script): readonly Finding[] {
  return diagnose(windowOf(scriptedTicks(script)));
}

const named = (findings: readonly Finding[]): string[] =>
  findings.filter(({ state }) => NAMED_STATES.includes(state)).map(({ rule, state }) => `${rule} ${state}`);

const wave = (second: number, period: number, share: number): boolean => (second % period) / period < share;

const xid = (at: number, code: number, uuid = 'GPU-test-1'): GpuEvent => ({
  at,
  kind: 'xid',
  severity: 'critical',
  uuid,
  params: { xid: code },
});

const CAUSES: readonly (readonly [string, readonly string[], Script])[] = [
  [
    'a sawtooth alone fits a lack of data, but does not prove it',
    ['data-starvation possible'],
    { gpus: 2, seconds: 600, readings: (gpu, second) => (wave(second, 9, 0.5) ? busy(gpu, second) : idle()) },
  ],
  [
    'a sawtooth while the CPUs are full is a lack of data',
    ['data-starvation confirmed'],
    {
      gpus: 2,
      seconds: 600,
      readings: (gpu, second) => (wave(second, 9, 0.5) ? busy(gpu, second) : idle()),
      host: () => ({ host_cpu_ratio: 0.98, host_iowait_ratio: 0.01 }),
    },
  ],
  [
    'even work in the middle has no visible cause',
    ['low-utilization likely'],
    {
      gpus: 1,
      seconds: 600,
      readings: (gpu, second) =>
        busy(gpu, second, { utilization_ratio: 0.3 + 0.05 * noise(gpu, second), power_watts: 220 }),
    },
  ],
  [
    'even work in the middle while CPUs wait for disks is a lack of data',
    ['data-starvation likely'],
    {
      gpus: 1,
      seconds: 600,
      readings: (gpu, second) =>
        busy(gpu, second, { utilization_ratio: 0.3 + 0.05 * noise(gpu, second), power_watts: 220 }),
      host: () => ({ host_cpu_ratio: 0.4, host_iowait_ratio: 0.35 }),
    },
  ],
  [
    'memory held for an hour by a notebook',
    ['idle-held confirmed'],
    {
      gpus: 1,
      seconds: 3700,
      every: 5,
      readings: () => idle(),
      sample: () => ({ processes: [{ ...python, name: 'jupyter' }] }),
    },
  ],
  [
    'one GPU of a job does the work',
    ['imbalance likely'],
    {
      gpus: 4,
      seconds: 900,
      readings: (gpu, second) => (gpu === 0 || wave(second, 13, 0.1) ? busy(gpu, second) : idle()),
      sample: () => ({ processes: [python] }),
    },
  ],
  [
    'memory that rises for half an hour',
    ['memory-leak likely'],
    {
      gpus: 1,
      seconds: 2400,
      every: 2,
      readings: (gpu, second) =>
        busy(gpu, second, { memory_used_bytes: (20 + (50 * second) / 2400 + noise(gpu, second)) * GIB }),
    },
  ],
  [
    'a GPU that the driver lost, with its Xid; the job that hangs follows from it',
    ['gpu-lost confirmed', 'xid confirmed'],
    {
      gpus: 4,
      seconds: 600,
      readings: (gpu, second) =>
        second < 400 ? busy(gpu, second) : { ...idle(), utilization_ratio: 1, power_watts: 110 },
      sample: (gpu, second) =>
        gpu === 1 && second >= 400 ? { state: 'lost', readings: ReadingSet.allAbsent('gpu-lost') } : {},
      events: (second) => (second === 400 ? [xid(Date.UTC(2026, 0, 5, 8) + 400_000, 79)] : []),
    },
  ],
  [
    'a GPU whose samples end while others go on',
    ['gpu-lost likely'],
    { gpus: 2, seconds: 300, readings: (gpu, second) => (gpu === 1 && second > 200 ? null : busy(gpu, second)) },
  ],
  [
    'all ranks spin',
    ['collective-hang likely'],
    {
      gpus: 4,
      seconds: 600,
      readings: (gpu, second) =>
        second < 300
          ? busy(gpu, second)
          : busy(gpu, second, { utilization_ratio: 1, power_watts: 110, memory_utilization_ratio: 0 }),
    },
  ],
  [
    'throttled by heat, as the driver and the clock say',
    ['thermal-throttle confirmed'],
    {
      gpus: 1,
      seconds: 600,
      readings: (gpu, second) =>
        busy(gpu, second, {
          temperature_celsius: second > 200 ? 88 : 70,
          sm_clock_hertz: second > 200 ? 1.5e9 : 1.98e9,
          clock_event_reasons: second > 200 ? 0x20 : 0,
        }),
    },
  ],
  [
    'the clock falls with heat, though nobody says why',
    ['thermal-throttle likely'],
    {
      gpus: 1,
      seconds: 900,
      readings: (gpu, second) =>
        busy(gpu, second, { temperature_celsius: 75 + second / 60, sm_clock_hertz: 1.98e9 - second * 4e5 }),
    },
  ],
  [
    'an external brake',
    ['power-brake likely'],
    {
      gpus: 1,
      seconds: 300,
      readings: (gpu, second) => busy(gpu, second, { clock_event_reasons: second > 100 && second < 130 ? 0x88 : 0 }),
    },
  ],
  [
    'capped far below the limit',
    ['power-cap confirmed'],
    {
      gpus: 1,
      seconds: 400,
      readings: (gpu, second) => busy(gpu, second, { power_watts: 400, clock_event_reasons: 0x4 }),
    },
  ],
  [
    'one slow clock of eight',
    ['straggler likely'],
    {
      gpus: 8,
      seconds: 400,
      readings: (gpu, second) => busy(gpu, second, { sm_clock_hertz: gpu === 5 ? 1.2e9 : 1.98e9 }),
    },
  ],
  [
    'a narrow link under load',
    ['pcie-degraded likely'],
    {
      gpus: 1,
      seconds: 200,
      readings: (gpu, second) =>
        busy(gpu, second, {
          pcie_link_width: 4,
          pcie_link_width_max: 16,
          pcie_link_generation: 4,
          pcie_link_generation_max: 4,
        }),
    },
  ],
  [
    'new uncorrected memory errors',
    ['ecc-growth confirmed'],
    {
      gpus: 1,
      seconds: 100,
      readings: (gpu, second) => busy(gpu, second, { ecc_uncorrected_volatile_total: second > 50 ? 2 : 0 }),
    },
  ],
  [
    'a row remapping that failed',
    ['row-remap confirmed'],
    {
      gpus: 1,
      seconds: 60,
      readings: (gpu, second) => busy(gpu, second, { remapped_rows_failure: 1, remapped_rows_pending: 0 }),
    },
  ],
  [
    'busy with little work',
    ['launch-bound confirmed'],
    { gpus: 1, seconds: 400, readings: (gpu, second) => busy(gpu, second, { sm_active_ratio: 0.2, power_watts: 180 }) },
  ],
  [
    'pauses between epochs while nothing is written',
    ['epoch-gap likely'],
    {
      gpus: 2,
      seconds: 1800,
      readings: (gpu, second) => (wave(second, 120, 0.85) ? busy(gpu, second) : idle()),
      host: () => ({ host_cpu_ratio: 0.3, host_disk_write_bytes_per_second: 1e6 }),
    },
  ],
  [
    'pauses while much is written',
    ['checkpoint-stall likely'],
    {
      gpus: 2,
      seconds: 1800,
      readings: (gpu, second) => (wave(second, 120, 0.85) ? busy(gpu, second) : idle()),
      host: (second) => ({
        host_cpu_ratio: 0.3,
        host_disk_write_bytes_per_second: wave(second, 120, 0.85) ? 1e6 : 9e8,
      }),
    },
  ],
  [
    'somebody else comes onto a full GPU',
    ['foreign-process likely'],
    {
      gpus: 1,
      seconds: 600,
      readings: (gpu, second) => busy(gpu, second, { memory_used_bytes: second < 300 ? 40 * GIB : 76 * GIB }),
      sample: (_, second) => ({ processes: second < 300 ? [python] : [python, { ...python, pid: 200, user: 'wang' }] }),
    },
  ],
];

describe('causes', () => {
  test.each(CAUSES)('%s', (_name, want, script) => {
    expect(named(verdicts(script))).toEqual(want);
  });
});

const HEALTHY: readonly (readonly [string, Script])[] = [
  ['steady training', { gpus: 8, seconds: 900, readings: (gpu, second) => busy(gpu, second) }],
  [
    'short checkpoints every ten minutes',
    { gpus: 4, seconds: 3600, readings: (gpu, second) => (wave(second, 600, 0.985) ? busy(gpu, second) : idle()) },
  ],
  [
    'at the power limit',
    {
      gpus: 2,
      seconds: 600,
      readings: (gpu, second) => busy(gpu, second, { power_watts: 699, clock_event_reasons: 0x4 }),
    },
  ],
  [
    'memory taken in advance',
    { gpus: 1, seconds: 600, readings: (gpu, second) => busy(gpu, second, { memory_used_bytes: 78.5 * GIB }) },
  ],
  [
    'an idle link that goes down',
    { gpus: 1, seconds: 300, readings: () => idle({ pcie_link_generation: 1, pcie_link_generation_max: 5 }) },
  ],
  [
    'a hot card below its own limit',
    {
      gpus: 1,
      seconds: 900,
      readings: (gpu, second) => busy(gpu, second, { temperature_celsius: 84, temperature_max_operating_celsius: 93 }),
    },
  ],
  [
    'one corrected memory error',
    {
      gpus: 1,
      seconds: 600,
      readings: (gpu, second) => busy(gpu, second, { ecc_corrected_volatile_total: second > 100 ? 1 : 0 }),
    },
  ],
  [
    'an allocator that has had its fill',
    {
      gpus: 1,
      seconds: 2400,
      readings: (gpu, second) => busy(gpu, second, { memory_used_bytes: Math.min(60, 30 + second / 20) * GIB }),
    },
  ],
  [
    'a server that waits for requests',
    {
      gpus: 1,
      seconds: 900,
      readings: (gpu, second) => (noise(3, Math.floor(second / 4)) < 0.4 ? busy(gpu, second) : idle()),
      sample: () => ({ processes: [{ ...python, name: 'vllm' }] }),
    },
  ],
];

describe('what looks like trouble and is none', () => {
  test.each(HEALTHY)('%s', (_name, script) => {
    expect(named(verdicts(script))).toEqual([]);
  });
});

test('every rule has a verdict, in a fixed order, and states which metric is missing', () => {
  const findings = verdicts({ gpus: 1, seconds: 60, readings: () => ({ utilization_ratio: 0.9 }) });
  expect([...new Set(findings.map(({ rule }) => rule))].sort()).toEqual([...RULES].sort());
  expect(findings.find(({ rule }) => rule === 'collective-hang')).toMatchObject({
    state: 'not-evaluable',
    missing: ['power_watts'],
  });
});

test('a single moment rules nothing out', () => {
  const findings = verdicts({ gpus: 2, seconds: 1, readings: (gpu) => busy(gpu, 0) });
  expect(findings.filter(({ layer, state }) => layer === 'performance' && state === 'ruled-out')).toEqual([]);
  expect(named(findings)).toEqual([]);
});

test('no recording at all', () => {
  expect(named(diagnose(windowOf([])))).toEqual([]);
});

test('numbers of the evidence can be computed again', () => {
  const window = windowOf(
    scriptedTicks({
      gpus: 1,
      seconds: 600,
      readings: (gpu, second) =>
        busy(gpu, second, { utilization_ratio: 0.3 + 0.05 * noise(gpu, second), power_watts: 220 }),
    }),
  );
  const finding = diagnose(window).find(({ rule }) => rule === 'low-utilization')!;
  const util = window.gpus[0]!.column('utilization_ratio')!;
  const inside = [...util].filter((_, cell) => window.at[cell]! >= finding.from && window.at[cell]! <= finding.to);
  const mean = inside.reduce((sum, value) => sum + value, 0) / inside.length;
  expect(finding.evidence[0]?.values['mean']).toBeCloseTo(mean, 5);
  expect(finding.lostSeconds).toBeCloseTo((1 - mean) * inside.length, 0);
});
