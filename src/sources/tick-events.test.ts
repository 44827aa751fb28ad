import { describe, expect, test } from 'vitest';
import { type MetricId, slotOf } from '../model/catalogue.ts';
import type { Device, DeviceState } from '../model/device.ts';
import type { GpuEvent } from '../model/event.ts';
import type { GpuProcess } from '../model/process.ts';
import { absent } from '../model/reading.ts';
import { ReadingSet } from '../model/reading-set.ts';
import type { DeviceSample, Tick } from '../model/tick.ts';
import { TickEvents } from './tick-events.ts';

const START = Date.UTC(2026, 0, 1);

function device(index: number): Device {
  return {
    uuid: `GPU-${index}`,
    vendor: 'nvidia',
    name: 'H100',
    index,
    pciBusId: null,
    minor: null,
    serial: null,
    driverVersion: null,
  };
}

interface Facts {
  index?: number;
  state?: DeviceState;
  readings?: Partial<Record<MetricId, number>>;
  processes?: readonly number[] | null;
}

function sample({ index = 0, state = 'ok', readings = {}, processes = null }: Facts): DeviceSample {
  const set = state === 'lost' ? ReadingSet.allAbsent('gpu-lost') : new ReadingSet();
  for (const [id, value] of Object.entries(readings)) set.setValue(slotOf(id as MetricId), value);
  return { device: device(index), state, readings: set, processes: processes?.map(process) ?? absent('not-collected') };
}

function process(pid: number): GpuProcess {
  return { pid, kind: 'compute', memoryBytes: 1, name: 'python3', user: null };
}

/** Feeds one tick per entry, so many seconds apart, and returns the events of each as `kind`. */
function run(ticks: readonly (readonly Facts[])[], seconds = 1): string[][] {
  const events = new TickEvents({ watchClock: false });
  return ticks.map((devices, number) =>
    events
      .next({
        at: START + number * seconds * 1000,
        monotonic: number * seconds * 1000,
        devices: devices.map(sample),
        events: [],
      })
      .map(({ kind }) => kind),
  );
}

describe('devices', () => {
  test('the first tick is the baseline', () => {
    expect(run([[{ index: 0 }, { index: 1 }]])).toEqual([[]]);
  });

  test('a GPU that is lost at the start is reported', () => {
    expect(run([[{ state: 'lost' }]])).toEqual([['gpu-lost']]);
  });

  test('lost and back are reported once each', () => {
    const lost = { state: 'lost' } as const;
    expect(run([[{}], [lost], [lost], [{}]])).toEqual([[], ['gpu-lost'], [], ['gpu-back']]);
  });

  test('a GPU that appears later is news', () => {
    expect(run([[{ index: 0 }], [{ index: 0 }, { index: 1 }]])).toEqual([[], ['gpu-found']]);
  });

  test('a GPU that misses two ticks is nothing to talk about', () => {
    const [both, one] = [[{ index: 0 }, { index: 1 }], [{ index: 0 }]];
    expect(run([both, one, one, both]).flat()).toEqual([]);
  });

  test('a GPU that is there every eight seconds only is not silent', () => {
    const [both, one] = [[{ index: 0 }, { index: 1 }], [{ index: 0 }]];
    expect(run([both, one, one, one, one, one, one, one, both]).flat()).toEqual([]);
  });

  test('a GPU that misses three ticks and ten seconds is silent, once, until it is back', () => {
    const [both, one] = [[{ index: 0 }, { index: 1 }], [{ index: 0 }]];
    expect(run([both, one, one, one, one, one, both, both], 4)).toEqual([
      [],
      [],
      [],
      ['gpu-silent'],
      [],
      [],
      ['gpu-back'],
      [],
    ]);
  });

  test('stale samples count as missing ones, and a lost GPU is not silent as well', () => {
    const [stale, lost] = [[{ state: 'stale' }], [{ state: 'lost' }]] as const;
    expect(run([[{}], stale, stale, stale, stale, [{}]], 4).flat()).toEqual(['gpu-silent', 'gpu-back']);
    expect(run([[{}], lost, lost, lost, lost], 4).flat()).toEqual(['gpu-lost']);
  });

  test('a card that was known by its place only is not a second one when it tells its name', () => {
    const events = new TickEvents({ watchClock: false });
    const next = (second: number, device: Device): GpuEvent[] =>
      events.next({
        at: START + second * 1000,
        monotonic: second * 1000,
        devices: [{ ...sample({}), device }],
        events: [],
      });
    const named = device(0);
    next(0, { ...named, uuid: 'GPU-index-0', uuidIsDerived: true });
    expect(Array.from({ length: 20 }, (_, second) => next(second + 1, named)).flat()).toEqual([]);
  });

  test('a card that was lost before it could tell its name is back when it tells it', () => {
    const nameless = { ...device(0), uuid: 'GPU-index-0', uuidIsDerived: true };
    const told = (states: readonly DeviceState[]): string[][] => {
      const events = new TickEvents({ watchClock: false });
      return states.map((state, second) =>
        events
          .next({
            at: START + second * 1000,
            monotonic: second * 1000,
            devices: [{ ...sample({ state }), device: second === 0 ? nameless : device(0) }],
            events: [],
          })
          .map(({ kind, uuid }) => `${kind} ${uuid}`),
      );
    };
    const [lost, back] = [['gpu-lost GPU-index-0'], ['gpu-back GPU-0']];
    expect(told(['lost', 'ok', 'ok'])).toEqual([lost, back, []]);
    expect(told(['lost', 'lost', 'ok'])).toEqual([lost, [], back]);
    expect(told(['lost', 'stale', 'ok'])).toEqual([lost, [], back]);
    expect(told(['stale', 'lost', 'ok'])).toEqual([[], ['gpu-lost GPU-0'], back]);
    expect(told(['ok', 'stale', 'ok'])).toEqual([[], [], []]);
  });
});

describe('throttling', () => {
  const mask = (bits: number) => [{ readings: { clock_event_reasons: bits } }];

  test('normal reasons are no throttling', () => {
    expect(run([mask(0), mask(0x1), mask(0x4), mask(0x107)]).flat()).toEqual([]);
  });

  test('begins at once, and ends after five clear seconds', () => {
    const clear = Array.from({ length: 6 }, () => mask(0));
    expect(run([mask(0), mask(0x40), ...clear])).toEqual([
      [],
      ['throttle-began'],
      [],
      [],
      [],
      [],
      [],
      ['throttle-ended'],
    ]);
  });

  test('on and off within the hold time is one episode', () => {
    expect(run([mask(0), mask(0x20), mask(0), mask(0x20), mask(0), mask(0x20)]).flat()).toEqual(['throttle-began']);
  });

  test('an absent mask changes nothing', () => {
    expect(run([mask(0x40), [{}], mask(0x40)]).flat()).toEqual([]);
  });
});

describe('ECC', () => {
  const count = (value: number) => [{ readings: { ecc_uncorrected_volatile_total: value } }];

  test('reports what was added, and takes a reset as a new baseline', () => {
    const events = new TickEvents({ watchClock: false });
    const added = [2, 2, 5, 0, 1].map((value, second) => {
      const devices = count(value).map(sample);
      return events.next({ at: START + second, monotonic: second, devices, events: [] })[0]?.params['count'];
    });
    expect(added).toEqual([undefined, undefined, 3, undefined, 1]);
  });
});

test('processes that come and go are reported, an unknown list is not an empty one', () => {
  const seen = run([[{ processes: [1] }], [{ processes: [1, 2] }], [{ processes: null }], [{ processes: [2] }]]);
  expect(seen).toEqual([[], ['process-started'], [], ['process-ended']]);
});

test('who is missing from a list that could be read in part only has not ended', () => {
  const events = new TickEvents({ watchClock: false });
  const next = (second: number, processes: number[], partial: boolean): string[] => {
    const devices = [{ ...sample({ processes }), ...(partial && { processesPartial: 'error' as const }) }];
    const found = events.next({ at: START + second * 1000, monotonic: second * 1000, devices, events: [] });
    return found.map(({ kind, params }) => `${kind} ${params['pid']}`);
  };
  next(0, [1, 2], false);
  expect(next(1, [1, 3], true)).toEqual(['process-started 3']);
  expect(next(2, [1, 3], false)).toEqual(['process-ended 2']);
});

describe('the clock', () => {
  function step(ms: number, watchClock: boolean): string[] {
    const events = new TickEvents({ watchClock });
    const tick = (at: number, monotonic: number): Tick => ({ at, monotonic, devices: [], events: [] });
    events.next(tick(START, 0));
    return events.next(tick(START + 1000 + ms, 1000)).map(({ kind, params }) => `${kind} ${params['seconds']}`);
  }

  test.each([
    [0, []],
    [1500, []],
    [-3_600_000, ['clock-stepped -3600']],
    [5000, ['clock-stepped 5']],
  ])('a step of %d ms gives %j', (ms, want) => expect(step(ms, true)).toEqual(want));

  test('is not watched in a recording', () => expect(step(60_000, false)).toEqual([]));
});

describe('memory that is set aside', () => {
  const ticks = (id: MetricId, values: readonly (number | null)[]) =>
    run(values.map((value) => [{ readings: value === null ? {} : { [id]: value } }]));

  test('an increase is news, the first value is not, and a value that is not read changes nothing', () => {
    const check = (id: MetricId, want: string) =>
      expect(ticks(id, [null, 2, null, 2, 3, 0, 1])).toEqual([[], [], [], [], [want], [], [want]]);
    check('remapped_rows_correctable_total', 'rows-remapped');
    check('remapped_rows_uncorrectable_total', 'rows-remapped');
    check('retired_pages_corrected_total', 'pages-retired');
    check('retired_pages_uncorrected_total', 'pages-retired');
  });

  test('a pending change is news when it comes, a failure also when it is found', () => {
    expect(ticks('remapped_rows_pending', [1, 1, 0, 1])).toEqual([[], [], [], ['remapping-pending']]);
    expect(ticks('retired_pages_pending', [0, null, 1])).toEqual([[], [], ['retirement-pending']]);
    expect(ticks('remapped_rows_failure', [null, 1, 1])).toEqual([[], ['remapping-failed'], []]);
    expect(ticks('remapped_rows_failure', [1, 1, 0, 1])).toEqual([['remapping-failed'], [], [], ['remapping-failed']]);
  });
});

describe('MIG', () => {
  const card = device(0);
  const slice = (instance: number, pids: readonly number[]): DeviceSample => ({
    ...sample({ processes: pids }),
    device: {
      ...card,
      uuid: `MIG-${instance}`,
      mig: { parent: card.uuid, gpuInstance: instance, computeInstance: 0, profile: null },
    },
  });

  function kinds(...ticks: readonly (readonly DeviceSample[])[]): string[] {
    const events = new TickEvents({ watchClock: false });
    return ticks.flatMap((devices, second) =>
      events
        .next({ at: START + second * 1000, monotonic: second * 1000, devices, events: [] })
        .map(({ kind, uuid, params }) => `${kind} ${uuid} ${params['pid'] ?? ''}`.trim()),
    );
  }

  test('a process that is listed with another part of its card has neither started nor left', () => {
    const whole = (pids: readonly number[]): DeviceSample => sample({ processes: pids });
    expect(kinds([whole([1, 2])], [whole([1]), slice(1, [2])])).toEqual(['gpu-found MIG-1']);
    expect(kinds([whole([1]), slice(1, [2])], [whole([1, 2])])).toEqual([]);
    expect(kinds([whole([]), slice(1, [2]), slice(2, [])], [whole([]), slice(1, []), slice(2, [2])])).toEqual([]);
    expect(kinds([whole([2]), slice(1, [])], [whole([]), slice(1, [3])])).toEqual([
      'process-ended GPU-0 2',
      'process-started MIG-1 3',
    ]);
  });

  test('the same pid on another card is another matter', () => {
    const other = (pids: readonly number[]): DeviceSample => sample({ index: 1, processes: pids });
    expect(kinds([other([7]), slice(1, [])], [other([]), slice(1, [7])])).toEqual([
      'process-ended GPU-1 7',
      'process-started MIG-1 7',
    ]);
  });
});
