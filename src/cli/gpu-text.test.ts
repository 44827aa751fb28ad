import { describe, expect, test } from 'vitest';
import { type MetricId, slotOf } from '../model/catalogue.ts';
import { translator } from '../model/i18n/messages.ts';
import type { Lang } from '../model/i18n/text.ts';
import { ManualClock } from '../model/manual-clock.ts';
import type { GpuProcess } from '../model/process.ts';
import { type AbsenceReason, absent } from '../model/reading.ts';
import { ReadingSet } from '../model/reading-set.ts';
import { testDevice } from '../model/scripted-source.ts';
import type { DeviceSample } from '../model/tick.ts';
import type { Context } from './context.ts';
import { statHead, statLine, watchLine, watchTime } from './gpu-text.ts';

function context(lang: Lang = 'en'): Context {
  return { lang, t: translator(lang), clock: new ManualClock(), print: () => {}, warn: () => {}, color: false };
}

function sample(
  readings: Partial<Record<MetricId, number>>,
  facts: Partial<DeviceSample> & { absent?: Partial<Record<MetricId, AbsenceReason>> } = {},
): DeviceSample {
  const set = new ReadingSet();
  const { absent: missing = {}, ...rest } = facts;
  for (const [id, reason] of Object.entries(missing)) set.setAbsent(slotOf(id as MetricId), reason);
  for (const [id, value] of Object.entries(readings)) set.setValue(slotOf(id as MetricId), value);
  return {
    device: testDevice(0, { name: 'NVIDIA H100' }),
    state: 'ok',
    readings: set,
    processes: [],
    ...rest,
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
  expect(statLine(sample(BUSY, { processes }), 18, context())).toBe(
    '[0] NVIDIA H100    |  72°C,  87 % |  235 /  450 W |  10240 /  24576 MB | zhang:python3(7484M) ?:43(?M)',
  );
});

test('the stat line says why a GPU is slowed', () => {
  const line = statLine(sample({ ...BUSY, clock_event_reasons: 0x45 }), 11, context());
  expect(line).toContain('| hw thermal');
  expect(line).not.toContain('power cap');
});

test('the stat line says whom a process works for, and to whom an idle GPU is allotted', () => {
  const owner = { container: null, pod: null, job: null, unit: 'jupyter.service' };
  const pod = { uid: 'u', namespace: 'ml', name: 'train-0', container: 'main' };
  const job = { scheduler: 'slurm', id: '4711', step: null, user: 'li' } as const;
  const work = (facts: Partial<GpuProcess>): GpuProcess => {
    return { pid: 42, kind: 'compute', name: 'python', user: 'root', memoryBytes: 2 ** 30, ...facts };
  };
  const end = (facts: Partial<DeviceSample>, lang: Lang = 'en') =>
    statLine(sample(BUSY, facts), 0, context(lang)).split(' | ').slice(4).join(' | ');
  expect(end({ processes: [work({ owner: { ...owner, pod } })] })).toBe('root@ml/train-0:python(1024M)');
  expect(end({ processes: [work({ user: 'li', owner: { ...owner, job } })] })).toBe('li@job-4711:python(1024M)');
  expect(end({ processes: [work({ owner })] })).toBe('root:python(1024M)');
  expect(end({ allotted: [pod, pod] })).toBe('(allotted to ml/train-0)');
  expect(end({ allotted: [pod], processes: [work({})] })).toBe('root:python(1024M)');
  expect(end({ processesPartial: 'no-permission' }, 'zh')).toBe('（部分进程未列出：无权限）');
});

describe('a MIG instance', () => {
  const mig = { parent: 'GPU-0', gpuInstance: 5, computeInstance: 0, profile: '3g.40gb' };
  const device = testDevice(0, { uuid: 'MIG-5', name: 'NVIDIA H100 MIG 3g.40gb', mig });
  const ofTheCard = { temperature_celsius: 'mig', power_watts: 'mig', power_limit_watts: 'mig' } as const;
  const memory = { memory_used_bytes: 7168 * 2 ** 20, memory_total_bytes: 40_960 * 2 ** 20 };

  test('stands below its card, with what only the card has left blank', () => {
    const bare = sample(memory, { device, absent: { ...ofTheCard, utilization_ratio: 'mig' } });
    const card = statLine(sample(BUSY), 17, context());
    const line = statLine(bare, 17, context());
    expect(line).toBe('  [0:5] MIG 3g.40gb |              |               |   7168 /  40960 MB');
    expect(line.indexOf(' MB')).toBe(card.indexOf(' MB') + 2);
    const known = sample({ ...memory, graphics_engine_active_ratio: 0.87 }, { device, absent: ofTheCard });
    expect(statLine(known, 17, context())).toContain(' |         87 % |               | ');
  });

  test('has a line of its own for logs', () => {
    const bare = sample(memory, { device, absent: { ...ofTheCard, utilization_ratio: 'mig' } });
    const line = (each: DeviceSample) => watchLine(each, '14:23:05', context());
    expect(line(bare)).toBe('[14:23:05] GPU0 MIG 3g.40gb GI5: Mem: 7168/40960 MB');
    const known = sample({ ...memory, graphics_engine_active_ratio: 0.87 }, { device, absent: ofTheCard });
    expect(line(known)).toBe('[14:23:05] GPU0 MIG 3g.40gb GI5: 87% | Mem: 7168/40960 MB');
    expect(line({ ...bare, state: 'lost' })).toBe('[14:23:05] GPU0 MIG 3g.40gb GI5: lost');
  });

  test('is named as far as it is known', () => {
    const head = (change: Partial<typeof mig> | { profile: null; gpuInstance: null }) =>
      statHead(testDevice(3, { mig: { ...mig, ...change } }));
    expect(head({})).toBe('  [3:5] MIG 3g.40gb');
    expect(head({ profile: null, gpuInstance: null })).toBe('  [3] MIG');
  });
});

test('a card that is cut into instances says why it has no utilisation', () => {
  const { utilization_ratio: _, ...others } = BUSY;
  const cut = sample(others, { absent: { utilization_ratio: 'mig' } });
  expect(statLine(cut, 0, context())).toMatch(/\| not reported with MIG: Utilisation$/);
  expect(statLine(cut, 0, context('zh'))).toMatch(/\| MIG 模式下不上报：利用率$/);
});

test('times of day are UTC where asked for', () => {
  expect(watchTime(Date.UTC(2026, 0, 1, 14, 23, 5), true)).toBe('2026-01-01T14:23:05Z');
});
