import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyTick } from '../../client/live-state.ts';
import { type ApiGpus, type ApiTickMessage, gpusSchema, tickMessageSchema } from '../../model/api.ts';
import { CATALOGUE, slotOf } from '../../model/catalogue.ts';
import type { DeviceView } from '../../model/reader.ts';
import { ABSENCE_REASONS, absent } from '../../model/reading.ts';
import { ReadingSet } from '../../model/reading-set.ts';
import { testDevice } from '../../model/scripted-source.ts';
import { fullView } from '../memory-reader.ts';
import { changesBetween, isNothing, type Sourced } from './api-changes.ts';
import { apiGpus } from './api-gpu.ts';

const reason = fc.constantFrom(...ABSENCE_REASONS);
const present = fc.oneof(fc.constantFrom(0, 1, 0.5, Number.NaN), fc.double({ noNaN: true, noDefaultInfinity: true }));

/** Readings most of which are like those of the tick before: a few slots from a small choice. */
const readings = fc
  .array(fc.tuple(fc.nat(CATALOGUE.length - 1), fc.oneof(present, reason)), { maxLength: 8 })
  .map((changes) => {
    const set = new ReadingSet();
    for (const [slot, reading] of changes) {
      set.set(slot, typeof reading === 'string' ? absent(reading) : 0);
      if (typeof reading === 'number') set.values[slot] = reading;
    }
    return set;
  });

const processes = fc.oneof(
  fc.array(
    fc.record({
      pid: fc.integer({ min: 1, max: 3 }),
      kind: fc.constantFrom('compute' as const, 'graphics' as const),
      memoryBytes: fc.oneof(fc.constantFrom(0, 1), reason.map(absent)),
      name: fc.constantFrom('python', null),
      user: fc.constantFrom('li', null),
    }),
    { maxLength: 3 },
  ),
  reason.map(absent),
);

const view: fc.Arbitrary<DeviceView> = fc.record({
  device: fc
    .record({ which: fc.nat(4), index: fc.nat(2), driverVersion: fc.constantFrom('580', null) })
    .map(({ which, index, driverVersion }) => testDevice(index, { uuid: `GPU-${which}`, driverVersion })),
  state: fc.constantFrom('ok', 'lost', 'asleep', 'stale'),
  readings,
  processes,
  at: fc.constantFrom(1000, 2000),
});

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

test('a device that appears comes with everything, and the order is given', () => {
  const [first, second] = [fullView(0, 1000), fullView(1, 1000)];
  const changes = changesBetween(sourced(second), sourced(first, second));
  expect(changes.order).toEqual(['GPU-0', 'GPU-1']);
  expect(changes.gpus).toHaveLength(1);
  expect(changes.gpus[0]).toMatchObject({ uuid: 'GPU-0', facts: { index: 0 }, processes: [{ pid: 4000 }] });
  expect(Object.keys(changes.gpus[0]?.readings ?? {})).toHaveLength(CATALOGUE.length);
});
