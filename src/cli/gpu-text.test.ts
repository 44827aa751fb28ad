import { expect, test } from 'vitest';
import { type MetricId, slotOf } from '../model/catalogue.ts';
import type { DeviceState } from '../model/device.ts';
import { translator } from '../model/i18n/messages.ts';
import type { Lang } from '../model/i18n/text.ts';
import { ManualClock } from '../model/manual-clock.ts';
import type { GpuProcess } from '../model/process.ts';
import { absent } from '../model/reading.ts';
import { ReadingSet } from '../model/reading-set.ts';
import { testDevice } from '../model/scripted-source.ts';
import type { DeviceSample } from '../model/tick.ts';
import type { Context } from './context.ts';
import { statLine, timeOfDay, watchLine } from './gpu-text.ts';

function context(lang: Lang = 'en'): Context {
  return { lang, t: translator(lang), clock: new ManualClock(), print: () => {}, warn: () => {}, color: false };
}

function sample(
  readings: Partial<Record<MetricId, number>>,
  facts: { state?: DeviceState; processes?: readonly GpuProcess[] } = {},
): DeviceSample {
  const set = new ReadingSet();
  for (const [id, value] of Object.entries(readings)) set.setValue(slotOf(id as MetricId), value);
  return {
    device: testDevice(0, { name: 'NVIDIA H100' }),
    state: facts.state ?? 'ok',
    readings: set,
    processes: facts.processes ?? [],
  };
}

const BUSY = {
  utilization_ratio: 0.87,
  memory_used_bytes: 10_240 * 2 ** 20,
  memory_total_bytes: 24_576 * 2 ** 20,
  temperature_celsius: 72,
  power_watts: 235.4,
  power_limit_watts: 450,
} as const;

test('the watch line is the one people already grep for', () => {
  expect(watchLine(sample(BUSY), '14:23:05', context())).toBe(
    '[14:23:05] GPU0: 87% | Mem: 10240/24576 MB | Temp: 72°C | Power: 235.4W',
  );
});

test('an absent value is marked, never printed as 0', () => {
  expect(watchLine(sample({}), '14:23:05', context())).toBe(
    '[14:23:05] GPU0: ??% | Mem: ??/?? MB | Temp: ??°C | Power: ??W',
  );
});

test('a lost GPU has its line', () => {
  expect(watchLine(sample({}, { state: 'lost' }), '14:23:05', context('zh'))).toBe('[14:23:05] GPU0: 掉卡');
  expect(statLine(sample({}, { state: 'lost' }), 11, context())).toBe('[0] NVIDIA H100 | lost');
});

test('the stat line names who uses the GPU', () => {
  const processes: readonly GpuProcess[] = [
    { pid: 42, kind: 'compute', name: 'python3', user: 'zhang', memoryBytes: 7484 * 2 ** 20 },
    { pid: 43, kind: 'compute', name: null, user: null, memoryBytes: absent('not-supported') },
  ];
  expect(statLine(sample(BUSY, { processes }), 14, context())).toBe(
    '[0] NVIDIA H100    |  72°C,  87 % |  235 /  450 W |  10240 /  24576 MB | zhang:python3(7484M) ?:43(?M)',
  );
});

test('the stat line says why a GPU is slowed', () => {
  const line = statLine(sample({ ...BUSY, clock_event_reasons: 0x45 }), 11, context());
  expect(line).toContain('| hw thermal');
  expect(line).not.toContain('power cap');
});

test('times of day are UTC where asked for', () => {
  expect(timeOfDay(Date.UTC(2026, 0, 1, 14, 23, 5), true)).toBe('14:23:05Z');
});
