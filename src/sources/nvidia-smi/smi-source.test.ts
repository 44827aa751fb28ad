import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { MetricId } from '../../model/catalogue.ts';
import { systemClock } from '../../model/clock.ts';
import { AppError } from '../../model/errors.ts';
import type { Source } from '../../model/ports.ts';
import type { DeviceSample } from '../../model/tick.ts';
import { sourceContract } from '../source.contract.ts';
import { FakeSmi, type FakeState, fakeGpu } from './fake-smi.ts';
import { openSmi } from './smi-source.ts';

const INTERVAL_MS = 100;
const opened: Source[] = [];
let fake: FakeSmi;

beforeEach(() => {
  fake = new FakeSmi();
});

afterEach(async () => {
  for (const source of opened.splice(0)) await source.close();
  fake.remove();
});

function probe(state: Partial<FakeState> = {}, probeMs = 10_000) {
  fake.set(state);
  return openSmi({ clock: systemClock, remote: null, intervalMs: INTERVAL_MS, tool: fake.tool, probeMs });
}

async function open(state: Partial<FakeState> = {}): Promise<Source> {
  const found = await probe(state);
  if (!found.ok) throw found.reason;
  opened.push(found.source);
  return found.source;
}

async function reasonOf(state: Partial<FakeState>, probeMs?: number): Promise<string> {
  const found = await probe(state, probeMs);
  if (found.ok) opened.push(found.source);
  return found.ok ? 'ok' : found.reason.code;
}

/** Ticks until one has what is waited for. */
async function until(
  source: Source,
  isIt: (samples: readonly DeviceSample[]) => boolean,
): Promise<readonly DeviceSample[]> {
  return vi.waitFor(
    async () => {
      const { devices = [] } = (await source.sample(Date.now())) ?? {};
      if (!isIt(devices)) throw new Error(`not yet: ${devices.map(({ state }) => state).join()}`);
      return devices;
    },
    { timeout: 10_000, interval: 20 },
  );
}

function readings({ readings: set }: DeviceSample, ...ids: MetricId[]): (number | string)[] {
  return ids.map((id) => {
    const reading = set.get(id);
    return typeof reading === 'number' ? reading : reading.absent;
  });
}

sourceContract('nvidia-smi', async () => {
  const tool = new FakeSmi();
  const found = await openSmi({ clock: systemClock, remote: null, intervalMs: INTERVAL_MS, tool: tool.tool });
  if (!found.ok) throw found.reason;
  const { source } = found;
  return Object.assign(Object.create(source), {
    devices: () => source.devices(),
    sample: (at: number) => source.sample(at),
    close: () => source.close().then(() => tool.remove()),
    origin: source.origin,
  });
});

test('reads what the tool prints, in base units, with the reason for what is not there', async () => {
  const source = await open();
  const [first, second] = await until(source, ({ length }) => length === 2);
  expect(source.name).toBe('nvidia-smi');
  expect(first?.device).toMatchObject({
    uuid: 'GPU-00000000-0000-4000-8000-000000000000',
    index: 0,
    name: 'NVIDIA H100 80GB HBM3',
    pciBusId: '00000000:01:00.0',
    driverVersion: '570.124.06',
  });
  expect(second?.device.index).toBe(1);
  const ids = ['utilization_ratio', 'memory_used_bytes', 'power_watts', 'fan_speed_ratio'] as const;
  expect(readings(first!, ...ids)).toEqual([0.87, 1024 * 2 ** 20, 350.12, 'not-supported']);
});

test('what changes seldom comes from a query of its own and is put to the rest', async () => {
  const source = await open({
    gpus: [fakeGpu(0, { 'pcie.link.width.current': '16', 'ecc.errors.corrected.volatile.total': '3' })],
  });
  const [sample] = await until(source, ([first]) => first?.readings.get('pcie_link_width') === 16);
  expect(readings(sample!, 'utilization_ratio', 'ecc_corrected_volatile_total')).toEqual([0.87, 3]);
  const queries = fake.calls().filter((call) => call.includes('--query-gpu'));
  expect(queries).toHaveLength(2);
  expect(queries.every((call) => !call.includes('histogram'))).toBe(true);
});

describe('a version of the tool that does not know a field', () => {
  const known = ['index', 'uuid', 'pci.bus_id', 'name', 'utilization.gpu', 'clocks_throttle_reasons.active'];
  const gpus = [fakeGpu(0, { 'clocks_throttle_reasons.active': '0x0000000000000004' })];
  const WANTED = ['utilization_ratio', 'clock_event_reasons', 'power_watts'] as const;

  test('is asked for what it lists, by the names it has', async () => {
    const source = await open({ known, hasHelp: true, gpus });
    const [sample] = await until(source, ({ length }) => length === 1);
    expect(readings(sample!, ...WANTED)).toEqual([0.87, 4, 'not-collected']);
    expect(fake.calls().filter((call) => call.includes('power.draw'))).toEqual([]);
  });

  test('is asked again without it, where it lists nothing', async () => {
    const fields = [
      ...known,
      'power.draw',
      'temperature.gpu',
      'memory.used',
      'memory.total',
      'pstate',
      'gpu_uuid',
      'pid',
      'gpu_bus_id',
    ];
    const source = await open({ known: fields, gpus });
    const [sample] = await until(source, ({ length }) => length === 1);
    expect(readings(sample!, ...WANTED)).toEqual([0.87, 4, 350.12]);
  }, 60_000);
});

describe('processes', () => {
  const row = (pid: string) => ({
    gpu_uuid: fakeGpu(0)['uuid'] ?? '',
    gpu_bus_id: fakeGpu(0)['pci.bus_id'] ?? '',
    pid,
    process_name: '/usr/bin/python3',
    used_gpu_memory: '512',
  });

  test('are listed with their device', async () => {
    const source = await open({ processes: [row('42'), row('43')] });
    const [first, second] = await until(source, ([sample]) => sample !== undefined && !('absent' in sample.processes));
    expect(first?.processes).toMatchObject([
      { pid: 42, name: 'python3', memoryBytes: 512 * 2 ** 20, user: null },
      { pid: 43 },
    ]);
    expect(second?.processes).toEqual([]);
  });
});

describe('a GPU that is lost', () => {
  test('in its row is listed as lost, beside those that work', async () => {
    const source = await open();
    await until(source, ({ length }) => length === 2);
    const lost = '[GPU is lost]';
    fake.set({
      gpus: [
        fakeGpu(0),
        fakeGpu(1, { 'utilization.gpu': lost, 'memory.used': lost, 'power.draw': lost, 'temperature.gpu': lost }),
      ],
    });
    const samples = await until(source, (all) => all.some(({ state }) => state === 'lost'));
    expect(samples.map(({ device, state }) => [device.index, state])).toContainEqual([1, 'lost']);
    fake.set({ gpus: [fakeGpu(0), fakeGpu(1)] });
    await until(source, (all) => all.some(({ device, state }) => device.index === 1 && state === 'ok'));
  });

  test('because of which the tool gives nothing is left out of the question', async () => {
    const source = await open({ samples: 3 });
    await until(source, ({ length }) => length === 2);
    fake.set({ unreachable: '00000000:02:00.0', samples: null });
    const samples = await until(source, (all) => all.length === 2 && all.some(({ state }) => state === 'lost'));
    expect(samples.map(({ device, state }) => [device.index, state])).toEqual([
      [0, 'ok'],
      [1, 'lost'],
    ]);
    expect(fake.calls().some((call) => call.startsWith('-i 00000000:01:00.0 '))).toBe(true);
  });
});

test('a tool that ends is started again, and says meanwhile why there is no data', async () => {
  const source = await open({ samples: 2 });
  await until(source, ({ length }) => length === 2);
  fake.set({ failure: { text: 'No devices were found', code: 6 } });
  const failure = await vi.waitFor(async () => {
    const error = await source.sample(Date.now()).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(AppError);
    return error as AppError;
  }, 10_000);
  expect(['SMI_NO_DEVICES', 'SMI_FAILED']).toContain(failure.code);
  expect(source.devices()).toHaveLength(2);
  fake.set({ failure: null, samples: null });
  await vi.waitFor(async () => expect((await source.sample(Date.now()))?.devices).toHaveLength(2), 10_000);
});

describe('why there is no data', () => {
  test.each([
    [
      'Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 570.124',
      18,
      'SMI_VERSION_MISMATCH',
    ],
    [
      "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.\n",
      9,
      'SMI_DRIVER_NOT_LOADED',
    ],
    ['No devices were found', 6, 'SMI_NO_DEVICES'],
    ['Failed to initialize NVML: Insufficient Permissions', 4, 'SMI_NO_PERMISSION'],
    ["NVIDIA-SMI couldn't find libnvidia-ml.so library in your system.", 12, 'SMI_LIBRARY_NOT_FOUND'],
    ['Unable to determine the device handle for GPU0000:0B:00.0: Unknown Error', 15, 'SMI_GPU_UNREACHABLE'],
    ['something new', 255, 'SMI_FAILED'],
    ['', 9, 'SMI_DRIVER_NOT_LOADED'],
  ])('%j', async (text, code, want) => {
    expect(await reasonOf({ failure: { text, code } })).toBe(want);
  });

  test('the tool is not there, or may not be run, or says nothing', async () => {
    const missing = await openSmi({ clock: systemClock, remote: null, tool: '/nonexistent/nvidia-smi' });
    expect(missing).toMatchObject({ ok: false, reason: { code: 'SMI_NOT_FOUND' } });
    expect(await reasonOf({ hangs: true }, 500)).toBe('SMI_TIMEOUT');
  });
});

test('close ends every run of the tool', async () => {
  const source = await open();
  await until(source, ({ length }) => length === 2);
  await source.close();
  const calls = fake.calls().length;
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(fake.calls()).toHaveLength(calls);
  await source.close();
});
