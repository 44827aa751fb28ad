import { expect, test } from 'vitest';
import type { OwnerLookup } from '../model/owner-lookup.ts';
import type { Origin } from '../model/ports.ts';
import { ScriptedSource, testDevice, testSample } from '../model/scripted-source.ts';
import type { DeviceSample, Tick } from '../model/tick.ts';
import { TickFinisher } from './tick-finisher.ts';

const GPU = testDevice(0);
const PROCESS = { pid: 42, kind: 'compute', memoryBytes: 1, name: null, user: null } as const;

/** Calls every process `owned`. */
class Owners implements OwnerLookup {
  prepared = 0;

  prepare(): Promise<void> | null {
    return this.prepared++ === 0 ? Promise.resolve() : null;
  }

  complete(sample: DeviceSample): DeviceSample {
    const { processes } = sample;
    if ('absent' in processes || processes.length === 0) return sample;
    return { ...sample, processes: processes.map((process) => ({ ...process, name: 'owned' })) };
  }

  lacks(): readonly [] {
    return [];
  }

  settled(): Promise<void> {
    return Promise.resolve();
  }

  close(): void {}
}

function finisher(origin: Origin, owners: OwnerLookup | null = new Owners()): TickFinisher {
  return new TickFinisher(new ScriptedSource(origin, [GPU], () => Promise.resolve(null)), owners);
}

function tick(...devices: DeviceSample[]): Tick {
  return { at: 0, monotonic: 0, devices, events: [] };
}

function names({ devices }: Tick): (string | null)[] {
  return devices.flatMap(({ processes }) => ('absent' in processes ? [] : processes.map(({ name }) => name)));
}

const working = testSample(GPU, { processes: [PROCESS] });

test.each<[Origin, OwnerLookup | null, string | null]>([
  ['live', new Owners(), 'owned'],
  ['live', null, null],
  ['recorded', new Owners(), null],
  ['simulated', new Owners(), null],
])('processes of a %s source', (origin, owners, want) => {
  expect(names(finisher(origin, owners).finish(tick(working)))).toEqual([want]);
});

test('names of new processes are waited for, those of known ones are not', () => {
  const live = finisher('live');
  expect(live.prepare(tick(working))).toBeInstanceOf(Promise);
  expect(live.prepare(tick(working))).toBeNull();
});

test('nobody is asked about the processes of a recording', () => {
  const owners = new Owners();
  expect(finisher('recorded', owners).prepare(tick(working))).toBeNull();
  expect(owners.prepared).toBe(0);
});

test('a process has its name in the event of its start', () => {
  const live = finisher('live');
  live.finish(tick(testSample(GPU, { processes: [] })));
  const { events } = live.finish(tick(working));
  expect(events.map(({ kind, params }) => [kind, params['name']])).toEqual([['process-started', 'owned']]);
});

test('a device that has never answered is shown as stale', () => {
  const source = new ScriptedSource('live', [GPU, testDevice(1)], () => Promise.resolve(null));
  const { devices } = new TickFinisher(source, null).finish(tick(working));
  expect(devices.map(({ device, state }) => [device.index, state])).toEqual([
    [0, 'ok'],
    [1, 'stale'],
  ]);
});
