import { expect, test } from 'vitest';
import type { ApiGpu, ApiProcess } from '../model/api.ts';
import { CONDITIONS, type Condition, conditionOf, isOrdinary, isTrouble, type Past, verdict } from './condition.ts';
import { temperatureMargin } from './gpu-reading.ts';

const GIB = 1024 ** 3;
const PROCESS: ApiProcess = { pid: 7, kind: 'compute', name: 'python', user: 'zhang', memoryBytes: 70 * GIB };

function gpu(readings: Record<string, number | null>, values: Partial<ApiGpu> = {}): ApiGpu {
  return {
    uuid: 'GPU-0',
    index: 0,
    name: 'H100',
    vendor: 'nvidia',
    state: 'ok',
    at: 0,
    pciBusId: null,
    driverVersion: null,
    readings: { memory_total_bytes: 80 * GIB, memory_used_bytes: 0, ...readings },
    absent: {},
    processes: [],
    processesAbsent: null,
    ...values,
  };
}

test('conditionOf', () => {
  const check = (
    want: Condition,
    readings: Record<string, number | null>,
    recent: number | null,
    values: Partial<ApiGpu> = {},
    past: Partial<Past> = {},
  ) => {
    const all = { recent, lastMinute: recent, hasErrors: false, ...past };
    expect(conditionOf(gpu(readings, values), all), JSON.stringify([readings, all, values])).toBe(want);
  };
  const held = { utilization_ratio: 0, memory_used_bytes: 70 * GIB };
  check('lost', {}, 0.9, { state: 'lost' });
  check('stale', { utilization_ratio: 0.9 }, 0.9, { state: 'stale' });
  check('asleep', {}, null, { state: 'asleep' });
  check('throttled', { utilization_ratio: 0.9, clock_event_reasons: 0x40 }, 0.9);
  check('busy', { utilization_ratio: 0.9, clock_event_reasons: 0x4 }, 0.9);
  check('busy', { utilization_ratio: 0.05 }, 0);
  check('busy', { utilization_ratio: 0 }, 0.6, { processes: [PROCESS] });
  check('free', { utilization_ratio: 0 }, 0.6);
  check('free', { utilization_ratio: 0 }, 0.6, { processesAbsent: 'no-permission' });
  check('held', held, 0.01, { processes: [PROCESS] });
  check('held', held, null, { processes: [PROCESS] });
  check('busy', held, 0.3, { processes: [PROCESS] });
  check('free', held, 0.01);
  check('held', held, 0.01, { processesAbsent: 'not-collected' });
  check('free', { utilization_ratio: 0, memory_used_bytes: 7 * GIB }, 0, { processes: [PROCESS] });
  check('held', { utilization_ratio: 0, memory_used_bytes: 8 * GIB }, 0, { processes: [PROCESS] });
  check('free', { utilization_ratio: 0.04 }, 0.02);
  check('unknown', { utilization_ratio: null }, null, { processes: [PROCESS] });
  check('busy', { utilization_ratio: null }, 0.5, { processes: [PROCESS] });
  // Two or three percent are not work, however busy the GPU was some minutes ago.
  const quiet = { utilization_ratio: 0.02, memory_used_bytes: 70 * GIB };
  check('light', quiet, 0.6, { processes: [PROCESS] }, { lastMinute: 0.02 });
  check('light', quiet, 0.07, { processes: [PROCESS] }, { lastMinute: 0.07 });
  check('light', quiet, 0.6, { processes: [PROCESS] }, { lastMinute: null });
  check('light', { ...quiet, utilization_ratio: 0.3 }, 0.07, { processes: [PROCESS] }, { lastMinute: 0.07 });
  check('light', { ...quiet, utilization_ratio: 0.3 }, 0.07, { processesAbsent: 'not-collected' });
  check('busy', quiet, 0.6, { processes: [PROCESS] }, { lastMinute: 0.2 });
  check('busy', { ...quiet, utilization_ratio: 0.3 }, 0.07);
  // A desktop on the card takes nothing away: it is free, or busy by what it does now.
  check('free', { utilization_ratio: 0.03 }, 0.1, { processes: [PROCESS] });
  check('busy', { utilization_ratio: 0.06 }, 0.1, { processes: [PROCESS] });
  check('held', quiet, 0.02, { processes: [PROCESS] });
  check('free', quiet, 0.6, {}, { lastMinute: 0.02 });
  check('unknown', { utilization_ratio: null }, 0.5, { processes: [PROCESS] }, { lastMinute: null });
  // What broke stays said although the GPU computes on; only what is gone altogether is worse.
  check('errors', { utilization_ratio: 0.9 }, 0.9, {}, { hasErrors: true });
  check('errors', { utilization_ratio: 0.9, clock_event_reasons: 0x40 }, 0.9, {}, { hasErrors: true });
  check('errors', {}, 0.9, { state: 'stale' }, { hasErrors: true });
  check('lost', {}, 0.9, { state: 'lost' }, { hasErrors: true });
  const full = { utilization_ratio: 0.9, memory_used_bytes: 76 * GIB };
  check('full', full, 0.9);
  check('busy', { ...full, memory_used_bytes: 75.9 * GIB }, 0.9);
  check('full', { ...full, utilization_ratio: 0 }, 0.9);
  check('throttled', { ...full, clock_event_reasons: 0x40 }, 0.9);
  check('held', { ...full, utilization_ratio: 0 }, 0.01, { processes: [PROCESS] });
});

test('some conditions are trouble, some are ordinary, the rest only waste or warn', () => {
  expect(CONDITIONS.filter(isTrouble)).toEqual(['lost', 'errors', 'throttled', 'stale']);
  expect(CONDITIONS.filter((each) => !isTrouble(each) && !isOrdinary(each))).toEqual([
    'full',
    'held',
    'light',
    'unknown',
  ]);
  expect(CONDITIONS.filter((each) => isTrouble(each) && isOrdinary(each))).toEqual([]);
});

test('verdict counts worst first, names memory and users of the held, and always busy and free', () => {
  const holder = (user: string | null) =>
    gpu({ memory_used_bytes: 40 * GIB }, { processes: [{ ...PROCESS, user }, PROCESS] });
  const counts = verdict([
    { gpu: gpu({}), condition: 'busy' },
    { gpu: holder('li'), condition: 'held' },
    { gpu: holder(null), condition: 'held' },
    { gpu: gpu({}), condition: 'lost' },
  ]);
  expect(counts.map(({ condition, gpus }) => [condition, gpus])).toEqual([
    ['lost', 1],
    ['held', 2],
    ['busy', 1],
    ['free', 0],
  ]);
  expect(counts[1]).toMatchObject({ memoryBytes: 80 * GIB, users: ['li', 'zhang'] });
});

test('temperatureMargin prefers what the device reports', () => {
  const check = (readings: Record<string, number | null>, want: number | null) =>
    expect(temperatureMargin(gpu(readings))).toBe(want);
  check({ temperature_margin_celsius: 12, temperature_celsius: 70, temperature_slowdown_celsius: 90 }, 12);
  check({ temperature_margin_celsius: null, temperature_celsius: 70, temperature_slowdown_celsius: 90 }, 20);
  check({ temperature_celsius: 70, temperature_slowdown_celsius: null }, null);
  check({ temperature_margin_celsius: 0, temperature_celsius: 70 }, 0);
});
