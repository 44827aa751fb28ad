import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ApiGpu, ApiTickMessage } from '../model/api.ts';
import { ABSENCE_REASONS, type AbsenceReason } from '../model/reading.ts';
import { applyTick, expanded, type LiveState } from './live-state.ts';
import { testGpu, testProcess } from './test-gpu.ts';

const IDS = ['utilization_ratio', 'power_watts', 'temperature_celsius'];

function gpu(index: number, values: Partial<ApiGpu> = {}): ApiGpu {
  return testGpu({
    index,
    at: 1000,
    readings: { utilization_ratio: 0.5, power_watts: 300, temperature_celsius: null },
    absent: { temperature_celsius: 'not-supported' },
    ...values,
  });
}

const FACTS = {
  index: 4,
  name: 'H200',
  vendor: 'nvidia',
  pciBusId: 'x',
  driverVersion: '590',
  minor: 4,
  serial: null,
  facts: { architecture: 'Hopper' },
  mig: null,
} as const;

function state(...gpus: ApiGpu[]): LiveState {
  return { at: 1000, host: 'node', source: 'test', sequence: 5, gpus, machine: null };
}

function message(sequence: number, ...gpus: ApiTickMessage['gpus']): ApiTickMessage {
  return { at: 2000, sequence, gpus, events: [] };
}

describe('applyTick', () => {
  test('puts in what changed and keeps the rest', () => {
    const change = { uuid: 'GPU-0', state: 'ok', at: 2000, readings: { power_watts: 310 }, absent: {} } as const;
    const { state: after, complete } = applyTick(state(gpu(0), gpu(1)), message(6, change));
    expect(complete).toBe(true);
    expect(after.gpus[0]).toEqual(gpu(0, { at: 2000, readings: { ...gpu(0).readings, power_watts: 310 } }));
    expect(after).toMatchObject({ at: 2000, sequence: 6 });
  });

  test('leaves a GPU that is not mentioned the same object', () => {
    const before = state(gpu(0), gpu(1));
    const change = { uuid: 'GPU-0', state: 'ok', at: 2000, readings: {}, absent: {} } as const;
    const { state: after } = applyTick(before, message(6, change));
    expect(after.gpus[1]).toBe(before.gpus[1]);
    expect(after.gpus[0]?.readings).toBe(before.gpus[0]?.readings);
  });

  test('an older message changes nothing, one of the same tick may still tell of a state', () => {
    const before = state(gpu(0));
    const change = { uuid: 'GPU-0', state: 'stale', at: 900, readings: {}, absent: {} } as const;
    expect(applyTick(before, message(4, change)).state).toBe(before);
    expect(applyTick(before, message(5, change)).state.gpus[0]?.state).toBe('stale');
  });

  test('takes a new GPU with its facts, a new order and another source', () => {
    const change = {
      uuid: 'GPU-9',
      facts: FACTS,
      state: 'ok',
      at: 2000,
      readings: { power_watts: 1 },
      absent: {},
    } as const;
    const tick = { ...message(6, change), order: ['GPU-9', 'GPU-1'], source: 'nvml' };
    const { state: after, complete } = applyTick(state(gpu(0), gpu(1)), tick);
    expect(complete).toBe(true);
    expect(after.source).toBe('nvml');
    expect(after.gpus.map(({ uuid }) => uuid)).toEqual(['GPU-9', 'GPU-1']);
    expect(after.gpus[0]).toEqual(testGpu({ uuid: 'GPU-9', ...FACTS, at: 2000, readings: { power_watts: 1 } }));
  });

  test('takes a fact that changed', () => {
    const change = { uuid: 'GPU-0', facts: FACTS, state: 'ok', at: 2000, readings: {}, absent: {} } as const;
    expect(applyTick(state(gpu(0)), message(6, change)).state.gpus[0]).toMatchObject({
      index: 4,
      driverVersion: '590',
      facts: { architecture: 'Hopper' },
    });
  });

  test('a value that comes back loses its reason, one that goes gets its own', () => {
    const change = {
      uuid: 'GPU-0',
      state: 'ok',
      at: 2000,
      readings: { temperature_celsius: 60, power_watts: null },
      absent: { power_watts: 'error' as const },
    } as const;
    const [after] = applyTick(state(gpu(0)), message(6, change)).state.gpus;
    expect(after?.absent).toEqual({ power_watts: 'error' });
    expect(after?.readings).toEqual({ utilization_ratio: 0.5, power_watts: null, temperature_celsius: 60 });
  });

  test('processes are replaced only where given, and null is a value', () => {
    const process = testProcess();
    const base = { uuid: 'GPU-0', state: 'ok', at: 2000, readings: {}, absent: {} } as const;
    const before = state(gpu(0, { processes: [process], processesAbsent: 'no-permission' }));
    expect(applyTick(before, message(6, base)).state.gpus[0]?.processes).toEqual([process]);
    const cleared = applyTick(before, message(6, { ...base, processes: [], processesAbsent: null })).state.gpus[0];
    expect(cleared).toMatchObject({ processes: [], processesAbsent: null });
  });

  test('figures of processes change in their place, and only where given', () => {
    const base = { uuid: 'GPU-0', state: 'ok', at: 2000, readings: {}, absent: {} } as const;
    const processes = [testProcess({ pid: 1, cpuRatio: 0.5 }), testProcess({ pid: 2, smRatio: 0.25, cpuRatio: 1 })];
    const processChanges = [{ position: 1, cpuRatio: 7.5, memoryBytes: 9 }];
    const [after] = applyTick(state(gpu(0, { processes })), message(6, { ...base, processChanges })).state.gpus;
    expect(after?.processes).toEqual([processes[0], { ...processes[1], cpuRatio: 7.5, memoryBytes: 9 }]);
    expect(after?.processes[0]).toBe(processes[0]);
    const beyond = [{ position: 9, cpuRatio: 1 }];
    const same = applyTick(state(gpu(0, { processes })), message(6, { ...base, processChanges: beyond }));
    expect(same.state.gpus[0]?.processes).toEqual(processes);
  });

  test('parts of a device change one by one', () => {
    const base = { uuid: 'GPU-0', state: 'ok', at: 2000, readings: {}, absent: {} } as const;
    const fans = [{ ratio: 0.5, absent: null }];
    const allotted = [{ uid: null, namespace: 'ml', name: 'train-0', container: 'main' }];
    const before = state(gpu(0, { details: { fans: null, links: [] }, allotted }));
    const [after] = applyTick(before, message(6, { ...base, details: { fans }, processesPartial: 'error' })).state.gpus;
    expect(after).toMatchObject({ details: { fans, links: [] }, allotted, processesPartial: 'error' });
    const [later] = applyTick(before, message(6, { ...base, details: { links: null }, allotted: null })).state.gpus;
    expect(later).toMatchObject({ details: { fans: null, links: null }, allotted: null, processesPartial: null });
  });

  test('says when it heard of a GPU it does not know', () => {
    const change = { uuid: 'GPU-9', state: 'ok', at: 2000, readings: {}, absent: {} } as const;
    expect(applyTick(state(gpu(0)), message(6, change)).complete).toBe(false);
  });
});

test('a compact snapshot is the same as a full one', () => {
  const full = state(
    gpu(0),
    gpu(1, { readings: { power_watts: null, utilization_ratio: 1 }, absent: { power_watts: 'error' } }),
    gpu(2),
    gpu(3, { readings: {}, absent: {} }),
  );
  const absences = [{ temperature_celsius: 'not-supported' }, { power_watts: 'error' }, {}] as const;
  const gpus = full.gpus.map(({ absent, readings, ...rest }, i) => ({
    ...rest,
    readings: Object.fromEntries(
      Object.entries(readings).flatMap(([id, value]) => (value === null ? [] : [[id, value]])),
    ),
    absences: [0, 1, 0, 2][i]!,
  }));
  expect(expanded({ ...full, gpus, absences: [...absences] })).toEqual(full);
});

const reading = fc.oneof(fc.double({ noNaN: true }), fc.constantFrom<AbsenceReason>(...ABSENCE_REASONS));
const fullReadings = fc.tuple(reading, reading, reading);

/** A device as the server holds it: each metric a number or a reason. */
function split(values: readonly (number | AbsenceReason)[]): Pick<ApiGpu, 'readings' | 'absent'> {
  const readings: Record<string, number | null> = {};
  const absent: Record<string, AbsenceReason> = {};
  for (const [i, id] of IDS.entries()) {
    const value = values[i]!;
    readings[id] = typeof value === 'number' ? value : null;
    if (typeof value !== 'number') absent[id] = value;
  }
  return { readings, absent };
}

test('following deltas ends where the server is, whatever changes', () => {
  fc.assert(
    fc.property(fullReadings, fc.array(fullReadings, { maxLength: 6 }), (first, later) => {
      let client = state(gpu(0, split(first)));
      let server = first as readonly (number | AbsenceReason)[];
      for (const [i, next] of later.entries()) {
        const { readings, absent } = split(next);
        const changed = IDS.filter((_, slot) => !Object.is(next[slot], server[slot]));
        const change = {
          uuid: 'GPU-0',
          state: 'ok',
          at: 2000,
          readings: Object.fromEntries(changed.map((id) => [id, readings[id]!])),
          absent: Object.fromEntries(changed.flatMap((id) => (absent[id] ? [[id, absent[id]]] : []))),
        } as const;
        client = applyTick(client, message(6 + i, change)).state;
        server = next;
      }
      expect(client.gpus[0]).toMatchObject(split(server));
      expect(Object.keys(client.gpus[0]!.absent).sort()).toEqual(Object.keys(split(server).absent).sort());
    }),
  );
});

test('applyTick keeps the host until it is read again, and then changes what changed', () => {
  const machine = { at: 1000, readings: { host_cpu_ratio: 0.5, host_load_1m: 2 }, absent: {} };
  const first = applyTick(state(gpu(0)), { ...message(5), machine }).state;
  expect(first.machine).toEqual(machine);
  const still = applyTick(first, message(6)).state;
  expect(still.machine).toBe(first.machine);
  const change = { at: 2000, readings: { host_cpu_ratio: null }, absent: { host_cpu_ratio: 'error' as const } };
  expect(applyTick(still, { ...message(6), machine: change }).state.machine).toEqual({
    at: 2000,
    readings: { host_cpu_ratio: null, host_load_1m: 2 },
    absent: { host_cpu_ratio: 'error' },
  });
});
