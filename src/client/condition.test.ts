import { expect, test } from 'vitest';
import type { ApiGpu } from '../model/api.ts';
import {
  CONDITIONS,
  type Condition,
  cardCondition,
  conditionOf,
  isOrdinary,
  isTrouble,
  type Judged,
  type Past,
  verdict,
} from './condition.ts';
import { temperatureMargin } from './gpu-reading.ts';
import { testGpu, testProcess } from './test-gpu.ts';

const GIB = 1024 ** 3;
const PROCESS = testProcess({ pid: 7, user: 'zhang', memoryBytes: 70 * GIB });

function gpu(readings: Record<string, number | null>, values: Partial<ApiGpu> = {}): ApiGpu {
  return testGpu({ readings: { memory_total_bytes: 80 * GIB, memory_used_bytes: 0, ...readings }, ...values });
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
  // Nobody is on it, so that nothing is computed whatever it does not report.
  check('free', { utilization_ratio: null }, null);
  check('unknown', { utilization_ratio: null }, null, { processesPartial: 'no-permission' });
  check('unknown', { utilization_ratio: null }, null, { processesAbsent: 'no-permission' });
  check('unknown', { utilization_ratio: null, memory_used_bytes: 9 * GIB }, null);
  check('unknown', { utilization_ratio: null, memory_used_bytes: null }, null);
  const mig = { parent: 'GPU-0', gpuInstance: 1, computeInstance: 0, profile: '3g.40gb' };
  check('busy', { graphics_engine_active_ratio: 0.9 }, null, { mig, processes: [PROCESS] });
  check('unknown', { graphics_engine_active_ratio: 0.9 }, null, { processes: [PROCESS] });
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
  // The driver answers with errors only: it is not idle, and its load is not merely unknown.
  const mute = { memory_used_bytes: null, memory_total_bytes: null };
  check('errors', mute, null, { absent: { utilization_ratio: 'error', memory_used_bytes: 'not-supported' } });
  check('free', {}, null, { absent: { utilization_ratio: 'error' } });
  check('unknown', mute, null, { absent: { utilization_ratio: 'not-supported' } });
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
    judged(gpu({}), 'busy'),
    judged(holder('li'), 'held'),
    judged(holder(null), 'held'),
    judged(gpu({}), 'lost'),
  ]);
  expect(counts.map(({ condition, gpus }) => [condition, gpus])).toEqual([
    ['lost', 1],
    ['held', 2],
    ['busy', 1],
    ['free', 0],
  ]);
  expect(counts[1]).toMatchObject({ memoryBytes: 80 * GIB, users: ['li', 'zhang'] });
});

function judged(gpu: ApiGpu, condition: Condition, instances: readonly Judged[] = []): Judged {
  return { gpu, condition, instances };
}

test('a card is as its worst instance is, unless it is in trouble itself', () => {
  const check = (own: Condition, instances: readonly Condition[], want: Condition) =>
    expect(cardCondition(own, instances), `${own} ${instances}`).toBe(want);
  check('unknown', [], 'unknown');
  check('free', ['busy', 'free'], 'busy');
  check('unknown', ['free', 'free'], 'free');
  check('unknown', ['busy', 'held', 'free'], 'held');
  check('full', ['free'], 'free');
  check('throttled', ['free'], 'throttled');
  check('lost', ['lost', 'lost'], 'lost');
});

test('verdict counts a card with instances once, with what is held on those that are held', () => {
  const part = (used: number, user: string) =>
    gpu({ memory_used_bytes: used * GIB }, { processes: [{ ...PROCESS, user }] });
  const card = judged(gpu({ memory_used_bytes: 60 * GIB }), 'held', [
    judged(part(20, 'li'), 'held'),
    judged(part(40, 'zhang'), 'busy'),
  ]);
  const [held, ...others] = verdict([card]);
  expect(held).toEqual({ condition: 'held', gpus: 1, memoryBytes: 20 * GIB, users: ['li'] });
  expect(others.map(({ gpus }) => gpus)).toEqual([0, 0]);
});

test('temperatureMargin prefers what the device reports', () => {
  const check = (readings: Record<string, number | null>, want: number | null) =>
    expect(temperatureMargin(gpu(readings))).toBe(want);
  check({ temperature_margin_celsius: 12, temperature_celsius: 70, temperature_slowdown_celsius: 90 }, 12);
  check({ temperature_margin_celsius: null, temperature_celsius: 70, temperature_slowdown_celsius: 90 }, 20);
  check({ temperature_celsius: 70, temperature_slowdown_celsius: null }, null);
  check({ temperature_margin_celsius: 0, temperature_celsius: 70 }, 0);
});
