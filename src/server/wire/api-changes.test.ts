import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyTick, expanded } from '../../client/live-state.ts';
import {
  type ApiGpus,
  type ApiTickMessage,
  compactGpusSchema,
  gpusSchema,
  tickMessageSchema,
} from '../../model/api.ts';
import { DEVICE_METRICS, MACHINE_METRICS, slotOf } from '../../model/catalogue.ts';
import type { GpuProcess } from '../../model/process.ts';
import type { DeviceView } from '../../model/reader.ts';
import { ABSENCE_REASONS, absent } from '../../model/reading.ts';
import { ReadingSet } from '../../model/reading-set.ts';
import { testDevice } from '../../model/scripted-source.ts';
import { fullView } from '../memory-reader.ts';
import { changesBetween, isNothing, type Sourced } from './api-changes.ts';
import { apiGpus } from './api-gpu.ts';
import { compactGpusJson, gpusJson } from './gpus-json.ts';

const reason = fc.constantFrom(...ABSENCE_REASONS);
const present = fc.oneof(fc.constantFrom(0, 1, 0.5, Number.NaN), fc.double({ noNaN: true, noDefaultInfinity: true }));

/** Readings most of which are like those of the tick before: a few slots from a small choice. */
const readings = fc
  .array(fc.tuple(fc.nat(DEVICE_METRICS.length - 1), fc.oneof(present, reason)), { maxLength: 8 })
  .map((changes) => {
    const set = new ReadingSet();
    for (const [slot, reading] of changes) {
      set.set(slot, typeof reading === 'string' ? absent(reading) : 0);
      if (typeof reading === 'number') set.values[slot] = reading;
    }
    return set;
  });

const pod = fc.record({
  uid: fc.constantFrom('u', null),
  namespace: fc.constant('ml'),
  name: fc.constantFrom('a', 'b', null),
  container: fc.constant(null),
});

const owner = fc.record({
  container: fc.constantFrom(null, { id: 'c', runtime: 'docker' as const, name: 'x', image: null, labels: { a: 'b' } }),
  pod: fc.option(pod),
  job: fc.constantFrom(null, { scheduler: 'slurm' as const, id: '7', step: '0', user: 'li' }),
  unit: fc.constantFrom('a.service', null),
});

const figure = fc.oneof(fc.constantFrom(0, 1, 0.12345), reason.map(absent));

const processes = fc.oneof(
  fc.array(
    fc.record(
      {
        pid: fc.integer({ min: 1, max: 2 }),
        kind: fc.constantFrom('compute' as const),
        memoryBytes: figure,
        name: fc.constantFrom('python', null),
        user: fc.constant('li'),
        smRatio: figure,
        cpuRatio: figure,
        startedAt: fc.constantFrom(5, null),
        command: fc.constantFrom('python a.py', null),
        owner: fc.option(owner),
      },
      { requiredKeys: ['pid', 'kind', 'memoryBytes', 'name', 'user'] },
    ),
    { maxLength: 2 },
  ),
  reason.map(absent),
);

const details = fc.record(
  {
    fans: fc.array(figure, { maxLength: 2 }),
    links: fc.array(
      fc.record({
        link: fc.nat(1),
        isActive: fc.boolean(),
        peerBusId: fc.constantFrom('x', null),
        crcErrors: figure,
        replayErrors: figure,
        recoveryErrors: figure,
      }),
      { maxLength: 2 },
    ),
  },
  { requiredKeys: [] },
);

const device = fc
  .record({
    which: fc.nat(4),
    index: fc.nat(2),
    driverVersion: fc.constantFrom('580', null),
    facts: fc.constantFrom({}, { architecture: 'Hopper' }),
  })
  .map(({ which, ...values }) => testDevice(values.index, { uuid: `GPU-${which}`, ...values }));

const view: fc.Arbitrary<DeviceView> = fc.record(
  {
    device,
    state: fc.constantFrom('ok', 'lost', 'asleep', 'stale'),
    readings,
    processes,
    processesPartial: reason,
    details,
    allotted: fc.array(pod, { maxLength: 2 }),
    at: fc.constantFrom(1000, 2000),
  },
  { requiredKeys: ['device', 'state', 'readings', 'processes', 'at'] },
);

const known: fc.Arbitrary<Sourced> = fc.record({
  source: fc.constantFrom('nvml', 'replay'),
  snapshot: fc.record({
    sequence: fc.constant(1),
    at: fc.constantFrom(1000, 2000, null),
    devices: fc.uniqueArray(view, { maxLength: 4, selector: ({ device }) => device.uuid }),
  }),
});

function overTheWire<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function body({ snapshot, source }: Sourced): ApiGpus {
  return gpusSchema.parse(overTheWire(apiGpus(snapshot, 'node', source)));
}

test('whoever applies the changes ends where a new snapshot would begin', () => {
  fc.assert(
    fc.property(fc.array(known, { minLength: 2, maxLength: 6 }), (states) => {
      let client = body(states[0]!);
      for (let i = 1; i < states.length; i++) {
        const changes = changesBetween(states[i - 1]!, states[i]!);
        const message: ApiTickMessage = overTheWire({ ...changes, events: [] });
        expect(tickMessageSchema.parse(message)).toEqual(message);
        const { state, complete } = applyTick(client, message);
        expect(complete).toBe(true);
        expect(state).toEqual(body(states[i]!));
        client = state;
      }
    }),
    { numRuns: 200 },
  );
});

test('the text of a snapshot says the same, in full and compact', () => {
  fc.assert(
    fc.property(known, ({ snapshot, source }) => {
      const want = apiGpus(snapshot, 'node', source);
      expect(JSON.parse(gpusJson(snapshot, 'node', source))).toEqual(overTheWire(want));
      // What was made once is not made again.
      expect(JSON.parse(gpusJson(snapshot, 'node', source))).toEqual(overTheWire(want));
      const compact = compactGpusSchema.parse(JSON.parse(compactGpusJson(snapshot, 'node', source)));
      expect(expanded(compact)).toEqual(overTheWire(want));
    }),
  );
});

test('there is nothing to say exactly where a snapshot would be the same', () => {
  fc.assert(
    fc.property(known, known, (before, after) => {
      expect(isNothing(changesBetween(before, before), before)).toBe(true);
      const same = JSON.stringify(body(before)) === JSON.stringify(body(after));
      // A number that is not finite differs from itself, so it is said again.
      const unsaid = isNothing(changesBetween(before, after), before);
      if (unsaid) expect(same).toBe(true);
    }),
  );
});

function sourced(...devices: DeviceView[]): Sourced {
  return { source: 'nvml', snapshot: { sequence: 1, at: 1000, devices } };
}

test('only what changed is said', () => {
  const [first, second] = [fullView(0, 1000), fullView(1, 1000)];
  const readings = first.readings.clone();
  readings.setValue(slotOf('power_watts'), 5);
  readings.setAbsent(slotOf('fan_speed_ratio'), 'error');
  const changes = changesBetween(sourced(first, second), sourced({ ...first, readings }, second));
  expect(changes).toEqual({
    at: 1000,
    sequence: 1,
    gpus: [
      {
        uuid: 'GPU-0',
        state: 'ok',
        at: 1000,
        readings: { power_watts: 5, fan_speed_ratio: null },
        absent: { fan_speed_ratio: 'error' },
      },
    ],
  });
});

test('an equal process list is not said again, though it is another object', () => {
  const view = fullView(0, 1000);
  const copy = { ...view, at: 2000, processes: structuredClone(view.processes) };
  expect(changesBetween(sourced(view), sourced(copy)).gpus).toEqual([
    { uuid: 'GPU-0', state: 'ok', at: 2000, readings: {}, absent: {} },
  ]);
});

test('figures of processes are said alone, and not where they round to the same', () => {
  const view = fullView(0, 1000);
  const process = { pid: 1, kind: 'compute', memoryBytes: 9, name: 'python', user: 'li' } as const;
  const owner = { container: null, pod: null, job: null, unit: 'a.service' };
  const before = { ...view, processes: [process, { ...process, pid: 2, smRatio: 0.5, cpuRatio: 1.5001, owner }] };
  const said = (...processes: GpuProcess[]) =>
    changesBetween(sourced(before), sourced({ ...before, processes })).gpus[0];
  const second = before.processes[1]!;
  expect(said(process, { ...second, cpuRatio: 1.5004 })).toBeUndefined();
  expect(said(process, { ...second, smRatio: 0.25, cpuRatio: 2, owner: { ...owner } })).toEqual({
    uuid: 'GPU-0',
    state: 'ok',
    at: 1000,
    readings: {},
    absent: {},
    processChanges: [{ position: 1, smRatio: 0.25, cpuRatio: 2 }],
  });
  expect(said(process, { ...second, owner: { ...owner, unit: 'b.service' } })?.processes).toHaveLength(2);
  expect(said(process)).toMatchObject({ processes: [{ pid: 1 }], processesAbsent: null });
});

test('a device that appears comes with everything, and the order is given', () => {
  const [first, second] = [fullView(0, 1000), fullView(1, 1000)];
  const changes = changesBetween(sourced(second), sourced(first, second));
  expect(changes.order).toEqual(['GPU-0', 'GPU-1']);
  expect(changes.gpus).toHaveLength(1);
  expect(changes.gpus[0]).toMatchObject({ uuid: 'GPU-0', facts: { index: 0 }, processes: [{ pid: 4000 }] });
  expect(Object.keys(changes.gpus[0]?.readings ?? {})).toHaveLength(DEVICE_METRICS.length);
});

test('the host is sent with what changed, and only where it was read again', () => {
  const read = (at: number, busy: number) => {
    const readings = new ReadingSet();
    readings.setValue(slotOf('host_cpu_ratio'), busy);
    return { at, readings, cpuRatios: new Float64Array(2) };
  };
  const sourced = (machine?: ReturnType<typeof read>) => {
    const snapshot = { sequence: 1, at: 1000, devices: [], ...(machine !== undefined && { machine }) };
    return { snapshot, source: 'test' };
  };
  const before = sourced(read(1000, 0.5));
  expect(Object.keys(changesBetween(sourced(), before).machine?.readings ?? {})).toHaveLength(MACHINE_METRICS.length);
  expect(changesBetween(before, before).machine).toBeUndefined();
  const changes = changesBetween(before, sourced(read(2000, 0.25)));
  expect(changes.machine).toEqual({ at: 2000, readings: { host_cpu_ratio: 0.25 }, absent: {} });
  expect(isNothing(changes, before)).toBe(false);
});
