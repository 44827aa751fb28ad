import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Device } from '../../model/device.ts';
import type { GpuEvent } from '../../model/event.ts';
import { ManualClock } from '../../model/manual-clock.ts';
import type { XidSighting } from './xid-group.ts';
import { XidMerger } from './xid-merger.ts';

const T0 = Date.UTC(2026, 0, 1);

function device(index: number, pciBusId: string, more: Partial<Device> = {}): Device {
  const known = { vendor: 'nvidia', name: 'H100', minor: index, serial: null, driverVersion: '570' } as const;
  return { ...known, uuid: `GPU-${index}`, index, pciBusId, ...more };
}

const DEVICES = [device(0, '00000000:0A:00.0'), device(1, '00000000:3B:00.0')];

let clock: ManualClock;
let kernelLog = true;
let devices: readonly Device[] = DEVICES;

function create(): XidMerger {
  return new XidMerger({ clock, bootId: 'boot', devices: () => devices, hasKernelLog: () => kernelLog });
}

function kernel(xid: number, seconds: number, more: Partial<XidSighting> = {}): XidSighting {
  const busId = '00000000:0A:00.0';
  return { source: 'kernel', at: T0 + seconds * 1000, micros: seconds * 1e6, uuid: null, busId, xid, ...more };
}

function nvml(xid: number, seconds: number, uuid: string | null = 'GPU-0'): XidSighting {
  return { source: 'nvml', at: T0 + seconds * 1000, uuid, busId: null, xid };
}

/** The newest state of every event, as whoever keeps events by their key has them. */
function kept(events: readonly (GpuEvent | null)[]): GpuEvent[] {
  return [...new Map(events.flatMap((event) => (event === null ? [] : [[event.key, event] as const]))).values()];
}

beforeEach(() => {
  clock = new ManualClock(T0);
  kernelLog = true;
  devices = DEVICES;
});

test('repeats on one GPU are one event that keeps its time and key', () => {
  const merger = create();
  const states = [0, 1, 45, 90].map((seconds) =>
    merger.add(kernel(119, seconds, { pid: 7, name: 'smi', raw: 'timeout' })),
  );
  expect(new Set(states.map((state) => state?.key)).size).toBe(1);
  expect(states.at(-1)).toEqual({
    at: T0,
    kind: 'xid',
    severity: 'critical',
    uuid: 'GPU-0',
    params: {
      index: 0,
      bus: '00000000:0A:00.0',
      xid: 119,
      count: 4,
      first: T0,
      last: T0 + 90_000,
      pid: 7,
      name: 'smi',
      raw: 'timeout',
    },
    key: 'xid:boot:0:0a:00:119:0',
  });
});

test('another number, another GPU, a long pause and half an hour each begin a new event', () => {
  const merger = create();
  const check = (sightings: readonly XidSighting[], want: number) =>
    expect(kept(sightings.map((sighting) => merger.add(sighting)))).toHaveLength(want);
  check([kernel(31, 0), kernel(45, 0), kernel(31, 0, { busId: '0000:3b:00' })], 3);
  check([kernel(13, 1000), kernel(13, 1119), kernel(13, 1240)], 2);
  check(
    Array.from({ length: 61 }, (_, minute) => kernel(8, 5000 + minute * 60)),
    2,
  );
});

test('what the reports do not agree on is left out, and the worse message stays', () => {
  const merger = create();
  const fatal = '149, NETIR Fatal XC0';
  merger.add(kernel(149, 0, { pid: 1, name: 'a', causedBy: 145, gpuInstance: 1, raw: fatal }));
  const event = merger.add(kernel(149, 1, { pid: 2, name: 'b', causedBy: 145, gpuInstance: 2, raw: '149, Nonfatal' }));
  expect(event).toMatchObject({ severity: 'critical', params: { raw: fatal, causedBy: 145, count: 2 } });
  expect(Object.keys(event?.params ?? {})).not.toEqual(expect.arrayContaining(['pid']));
  expect(event?.params).not.toHaveProperty('name');
  expect(event?.params).not.toHaveProperty('gpuInstance');
});

describe('what the driver and the kernel log both report is one event', () => {
  test('when the driver is first', async () => {
    const merger = create();
    expect(merger.add(nvml(79, 10))).toBeNull();
    expect(merger.add(kernel(79, 10.4))).toMatchObject({ uuid: 'GPU-0', params: { count: 1 } });
    await clock.advance(10_000);
    expect(merger.due()).toEqual([]);
  });

  test('when the kernel log is first', async () => {
    const merger = create();
    expect(merger.add(kernel(79, 10))).not.toBeNull();
    expect(merger.add(nvml(79, 10.4))).toBeNull();
    await clock.advance(10_000);
    expect(merger.due()).toEqual([]);
  });

  test('unless the line never comes: then the driver is believed after a moment', async () => {
    const merger = create();
    merger.add(nvml(79, 10));
    expect(merger.due()).toEqual([]);
    await clock.advance(3000);
    const [event] = merger.due();
    expect(event).toMatchObject({ at: T0 + 10_000, uuid: 'GPU-0', params: { index: 0, xid: 79, count: 1 } });
    expect(merger.add(kernel(79, 14))).toMatchObject({ key: event?.key, params: { count: 2 } });
    expect(merger.due()).toEqual([]);
  });

  test('without a kernel log every report of the driver counts at once', () => {
    kernelLog = false;
    const merger = create();
    expect(merger.add(nvml(31, 0))).toMatchObject({ params: { count: 1 } });
    expect(merger.add(nvml(31, 1))).toMatchObject({ params: { count: 2 } });
    expect(merger.add(nvml(31, 1, null))).toMatchObject({ uuid: null, params: { xid: 31, count: 1 } });
  });
});

test('what is only said in words adds nothing to the numbered line, before or after it', () => {
  const merger = create();
  const words = { isNumbered: false, raw: 'fallen off the bus' };
  const numbered = kernel(79, 1, { raw: 'Xid 79' });
  const states = [kernel(79, 1, words), numbered, kernel(79, 1, words), kernel(79, 1, { ...words, busId: null })];
  const events = states.map((sighting) => merger.add(sighting));
  expect(kept(events)).toHaveLength(1);
  expect(events.map((event) => event?.params['count'])).toEqual([1, 1, undefined, undefined]);
  expect(create().add(kernel(79, 1, { ...words, busId: null }))).toMatchObject({ uuid: null, severity: 'critical' });
});

test('each recovery action is an event of its own: a later "None" does not hide that a reset was asked for', () => {
  const merger = create();
  const raw = (action: string) => ({ raw: `recovery action changed from 0x0 (None) to 0x1 (${action})` });
  const events = kept([merger.add(kernel(154, 0, raw('GPU Reset Required'))), merger.add(kernel(154, 0, raw('None')))]);
  expect(events.map(({ severity }) => severity)).toEqual(['critical', 'info']);
});

describe('the device of a place', () => {
  const check = (list: readonly Device[], sighting: XidSighting, want: string | null) => {
    devices = list;
    expect(create().add(sighting)?.uuid).toBe(want);
  };
  const slice = (uuid: string, gpuInstance: number): Device =>
    device(0, '00000000:0A:00.0', { uuid, mig: { parent: 'GPU-0', gpuInstance, computeInstance: 0, profile: null } });
  const slices = [slice('MIG-1', 1), slice('MIG-2', 2)];

  test('is found in every spelling', () => {
    for (const busId of ['0000:0a:00', '0:0a:00.0', '00000000:0A:00.0', '0a:00.0'])
      check(DEVICES, kernel(13, 0, { busId }), 'GPU-0');
    check(DEVICES, kernel(13, 0, { busId: '0001:0a:00' }), null);
    check(DEVICES, kernel(13, 0, { busId: null }), null);
  });

  test('is the card where it is listed, else the instance, but never a guess', () => {
    check([...slices, ...DEVICES], kernel(13, 0, { gpuInstance: 2 }), 'GPU-0');
    check(slices, kernel(13, 0, { gpuInstance: 2 }), 'MIG-2');
    check(slices, kernel(13, 0), null);
    check(slices, kernel(13, 0, { gpuInstance: 9 }), null);
  });

  test('is known by what the kernel log said of it when no driver lists it', () => {
    devices = [];
    const merger = create();
    merger.learn('0000:0a:00', 'GPU-gone');
    expect(merger.add(kernel(79, 0))).toMatchObject({ uuid: 'GPU-gone', params: { bus: '00000000:0A:00.0' } });
  });

  test('is none for a switch', () => {
    const event = create().add(kernel(12_028, 0, { kind: 'sxid', raw: 'SXid: 12028, Fatal, Link 32' }));
    expect(event).toMatchObject({ kind: 'sxid', uuid: null, severity: 'critical', params: { xid: 12_028 } });
    const other = create().add(kernel(12_028, 0, { kind: 'sxid', raw: 'SXid: 12028, Non-fatal, Link 32' }));
    expect(other?.severity).toBe('warning');
  });
});

test('reading the same log again gives the same events, wherever the wall clock stands', () => {
  const log = fc.array(fc.tuple(fc.constantFrom(13, 31, 79, 154), fc.integer({ min: 0, max: 300 }), fc.boolean()));
  fc.assert(
    fc.property(log, fc.integer({ min: -1000, max: 1000 }), (entries, shift) => {
      let seconds = 0;
      const sightings = entries.map(([xid, pause, isSecond]) => {
        seconds += pause;
        return kernel(xid, seconds, isSecond ? { busId: '0000:3b:00.0' } : {});
      });
      const read = (shiftMs: number) => {
        const merger = create();
        return kept(sightings.map((sighting) => merger.add({ ...sighting, at: sighting.at + shiftMs })));
      };
      const [first, again] = [read(0), read(shift)];
      expect(again.map(({ key, params }) => [key, params['count']])).toEqual(
        first.map(({ key, params }) => [key, params['count']]),
      );
      expect(first.reduce((sum, { params }) => sum + Number(params['count']), 0)).toBe(entries.length);
    }),
  );
});
