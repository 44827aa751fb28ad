import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CATALOGUE, DEVICE_METRICS, MACHINE_METRICS, slotOf } from '../../../model/catalogue.ts';
import type { GpuEvent } from '../../../model/event.ts';
import type { GpuProcess } from '../../../model/process.ts';
import { ABSENCE_REASONS, absent, type Reading } from '../../../model/reading.ts';
import { ReadingSet } from '../../../model/reading-set.ts';
import { testDevice, testSample } from '../../../model/scripted-source.ts';
import type { DeviceSample, Tick } from '../../../model/tick.ts';
import { LogDecoder } from '../log-decoder.ts';
import { ZoneClock } from '../time-zone.ts';
import { RecordingEncoder } from './encoder.ts';

const FACTS = {
  version: '1.0.0',
  host: 'node-7',
  source: 'nvml',
  origin: 'live',
  intervalMs: 1000,
  hasCommands: true,
};
const START = Date.UTC(2026, 10, 30, 12);
const USE = slotOf('utilization_ratio');

function decode(text: string, chunk = 4096) {
  const ticks: Tick[] = [];
  const decoder = new LogDecoder({
    anchor: START,
    zone: new ZoneClock('UTC'),
    columns: null,
    publish: (tick) => void ticks.push(tick),
  });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunk) decoder.push(bytes.subarray(at, at + chunk));
  decoder.end();
  return { ticks, report: decoder.report, format: decoder.formatId, seesXids: decoder.seesXids };
}

/** What is in a tick, in a form that can be compared. */
function plain({ at, monotonic, devices, host, events }: Tick): object {
  return {
    at,
    monotonic,
    devices: devices.map(({ readings, ...sample }) => ({ ...sample, readings: readingsOf(readings, DEVICE_METRICS) })),
    host:
      host === undefined ? null : { cpus: [...host.cpuRatios], readings: readingsOf(host.readings, MACHINE_METRICS) },
    events,
  };
}

function readingsOf(readings: ReadingSet, metrics: typeof DEVICE_METRICS): object {
  return Object.fromEntries(metrics.map(({ id, slot }) => [id, readings.at(slot)]));
}

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 }),
  fc.nat(),
  fc.constantFrom(0, 1, 85899345920),
);
const reading = fc.oneof(
  { weight: 4, arbitrary: number },
  { weight: 1, arbitrary: fc.constantFrom(...ABSENCE_REASONS).map((reason): Reading => absent(reason)) },
);
const readings = (metrics: typeof DEVICE_METRICS) =>
  fc.dictionary(fc.constantFrom(...metrics.map(({ id }) => id)), reading, { maxKeys: 8 }).map((values) => {
    const set = new ReadingSet();
    for (const [id, value] of Object.entries(values)) set.set(slotOf(id as (typeof CATALOGUE)[number]['id']), value);
    return set;
  });
const process = fc.record<GpuProcess>(
  {
    pid: fc.integer({ min: 1, max: 5 }),
    kind: fc.constantFrom('compute', 'graphics', 'compute+graphics'),
    name: fc.option(fc.string()),
    user: fc.option(fc.string()),
    startedAt: fc.option(fc.nat()),
    command: fc.option(fc.string()),
    owner: fc.constantFrom(null, {
      container: { id: 'c0ffee', name: 'train', runtime: 'docker' } as never,
      pod: null,
      job: null,
      unit: 'ssh.service',
    }),
    memoryBytes: reading,
    smRatio: reading,
    cpuRatio: reading,
  },
  { requiredKeys: ['pid', 'kind', 'name', 'user', 'memoryBytes'] },
);
const sample = (index: number) =>
  fc.record<DeviceSample>(
    {
      device: fc.constantFrom(
        testDevice(index),
        testDevice(index, { driverVersion: '570.86.10', pciBusId: '00000000:07:00.0' }),
        testDevice(index, { mig: { parent: 'GPU-test-9', gpuInstance: 1, computeInstance: null, profile: '1g.10gb' } }),
      ),
      state: fc.constantFrom('ok', 'lost', 'asleep', 'stale'),
      readings: readings(DEVICE_METRICS),
      processes: fc.oneof(
        fc.constantFrom(absent('no-permission'), absent('not-collected')),
        fc.uniqueArray(process, { selector: ({ pid }) => pid, maxLength: 3 }),
      ),
      processesPartial: fc.constant('mig'),
      allotted: fc.constant([{ pod: 'p', namespace: 'n', container: 'c' }] as never),
    },
    { requiredKeys: ['device', 'state', 'readings', 'processes'] },
  );
const event = fc.record<GpuEvent>({
  at: fc.nat(),
  kind: fc.constantFrom('xid', 'marker', 'throttle-began'),
  severity: fc.constantFrom('info', 'warning', 'critical'),
  uuid: fc.option(fc.constant('GPU-test-0')),
  params: fc.dictionary(fc.constantFrom('step', 'text', 'xid'), fc.oneof(fc.nat(), fc.string())),
});
const ticks = fc
  .array(
    fc.record({
      devices: fc.tuple(sample(0), fc.option(sample(1), { nil: null })),
      host: fc.option(
        fc.record({ readings: readings(MACHINE_METRICS), cpus: fc.array(fc.double({ min: 0, max: 1, noNaN: true })) }),
      ),
      events: fc.array(event, { maxLength: 2 }),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((list) =>
    list.map(
      ({ devices, host, events }, i): Tick => ({
        at: START + 1000 * i,
        monotonic: 5000 + 1000 * i,
        devices: devices.filter((one) => one !== null),
        ...(host === null ? {} : { host: { readings: host.readings, cpuRatios: Float64Array.from(host.cpus) } }),
        events,
      }),
    ),
  );

function textOf(list: readonly Tick[], facts = FACTS): string {
  const encoder = new RecordingEncoder(facts);
  return encoder.header(START, false) + list.map((tick) => encoder.tick(tick)).join('');
}

/** A tick with one GPU that is used so much. */
function tick(i: number, use: number, more: Partial<DeviceSample> = {}): Tick {
  const set = new ReadingSet();
  set.setValue(USE, use);
  set.setValue(slotOf('power_limit_default_watts'), 80);
  return {
    at: START + 1000 * i,
    monotonic: 1000 * i,
    devices: [testSample(testDevice(0), { readings: set, processes: [], ...more })],
    events: [],
  };
}

describe('a recording', () => {
  test('gives back every tick as it was, wherever its bytes are cut', () => {
    fc.assert(
      fc.property(ticks, fc.integer({ min: 1, max: 5000 }), (list, chunk) => {
        const read = decode(textOf(list), chunk);
        expect(read.format).toBe('gpulse');
        expect(read.report.skippedRows()).toEqual({});
        expect(read.ticks.map(plain)).toEqual(list.map(plain));
      }),
      { numRuns: 60 },
    );
  });

  test('a line says what has changed, and everything again after a minute', () => {
    const lines = textOf(Array.from({ length: 62 }, (_, i) => tick(i, 0.5)))
      .split('\n')
      .slice(1, -1);
    const isFull = lines.map((line) => JSON.parse(line).gpus[0].full === true);
    expect(isFull.flatMap((full, i) => (full ? [i] : []))).toEqual([0, 60]);
    expect(JSON.parse(lines[1]!).gpus[0].readings).toEqual({ utilization_ratio: 0.5 });
    expect(JSON.parse(lines[0]!).gpus[0].readings).toMatchObject({ power_limit_default_watts: 80 });
  });

  test('a damaged line costs its tick, and never brings an old value back', () => {
    fc.assert(
      fc.property(ticks, fc.nat(), fc.nat(), (list, which, place) => {
        const lines = textOf(list).split('\n');
        const number = 1 + (which % list.length);
        const line = lines[number]!;
        lines[number] = line.slice(0, 1 + (place % (line.length - 1)));
        const read = decode(lines.join('\n'));
        const byTime = new Map(list.map((one) => [one.at, one]));
        for (const { at, devices } of read.ticks) {
          for (const { device, readings } of devices) {
            const original = byTime.get(at)!.devices.find((one) => one.device.uuid === device.uuid)!;
            for (const { slot } of DEVICE_METRICS) {
              const value = readings.at(slot);
              if (typeof value === 'number') expect(value).toBe(original.readings.at(slot));
            }
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test('the last line may be torn', () => {
    const text = textOf([tick(0, 0.1), tick(1, 0.2)]);
    const { ticks: read, report } = decode(text.slice(0, -20));
    expect(read.map(({ at }) => at)).toEqual([START]);
    expect(report.skippedRows()).toEqual({ truncated: 1 });
  });

  test('several in one file: a new start is an event, a file that was only full goes on', () => {
    const encoder = new RecordingEncoder(FACTS);
    const head = encoder.header(START, false) + encoder.tick(tick(0, 0.1));
    const further = (continues: boolean): string => encoder.header(START, continues) + encoder.tick(tick(1, 0.2));
    const kinds = (text: string): string[] =>
      decode(text).ticks.flatMap(({ events }) => events.map(({ kind }) => kind));
    expect(kinds(head + further(false))).toEqual(['recording-restarted']);
    expect(kinds(head + further(true))).toEqual([]);
  });

  test('one whose beginning was cut off is read from the first full entries on', () => {
    const lines = textOf(Array.from({ length: 70 }, (_, i) => tick(i, 0.5))).split('\n');
    const { ticks: read, report } = decode(lines.slice(3).join('\n'));
    expect(read.filter(({ devices }) => devices.length > 0).map(({ at }) => (at - START) / 1000)).toEqual(
      Array.from({ length: 10 }, (_, i) => 60 + i),
    );
    expect(report.skippedRows()).toEqual({ 'unknown-device': 58 });
  });

  test('a newer version is read as far as it is known, and said', () => {
    const text = textOf([tick(0, 0.5)])
      .replace('"version":1', '"version":2')
      .replace('"utilization_ratio":0.5', '"utilization_ratio":0.5,"soul_ratio":1');
    const { ticks: read, report } = decode(text);
    expect(read[0]?.devices[0]?.readings.number(USE)).toBe(0.5);
    expect(report.notices().map(({ key }) => key)).toEqual(['notice.recording-newer', 'notice.columns-without-metric']);
  });

  test.each([
    ['nvml', 'live', true],
    ['nvml + amdgpu', 'live', true],
    ['simulate:demo', 'simulated', true],
    ['nvidia-smi', 'live', false],
    ['replay:gpu.csv', 'recorded', false],
  ])('what was sampled from %s, %s: whether an Xid would be in it is %s', (source, origin, seesXids) => {
    const facts = { ...FACTS, source, origin: origin as typeof FACTS.origin };
    expect(decode(textOf([tick(0, 0.5)], facts)).seesXids).toBe(seesXids);
  });

  test('command lines are left out where that is asked for', () => {
    const secret: GpuProcess = {
      pid: 7,
      kind: 'compute',
      name: 'python',
      user: 'lin',
      command: 'python train.py --token=SECRET',
      memoryBytes: 5,
    };
    const list = [tick(0, 0.5, { processes: [secret] })];
    expect(textOf(list)).toContain('SECRET');
    expect(textOf(list, { ...FACTS, hasCommands: false })).not.toContain('SECRET');
  });

  test.each([
    '{"format":"gpulse-recording"}',
    '{"time":"x","epoch_ms":1e400,"monotonic_ms":1,"gpus":[]}',
    '{"time":"x","epoch_ms":1,"monotonic_ms":1,"gpus":[1,null,{"uuid":5},{"uuid":"a","device":{"mig":{}},"readings":7,"processes":[3,{"pid":"x"}]}]}',
    '{"time":"x","epoch_ms":1,"monotonic_ms":1,"gpus":[],"events":[1,{"kind":"nonsense"},{"kind":"xid","severity":"info","at":"x"}],"host":3}',
    '[]',
  ])('%s does no harm', (line) => {
    expect(() => decode(`${textOf([tick(0, 0.5)])}${line}\n${line}`)).not.toThrow();
  });
});

test('the example in the documentation is a recording', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../../../docs/recording-format.md'), 'utf8');
  const { ticks: read, report } = decode(/```json\n([\s\S]*?)```/.exec(page)![1]!);
  expect(report.notices()).toEqual([]);
  const limits = read.map(({ devices }) => devices[0]!.readings.number(slotOf('power_limit_watts')));
  expect(limits).toEqual([700, 700]);
  expect(read[1]!.devices[0]!.processes).toMatchObject([{ name: 'python3', smRatio: 0.9 }]);
  expect(read[1]!.events.map(({ params }) => params['step'])).toEqual([100]);
});
