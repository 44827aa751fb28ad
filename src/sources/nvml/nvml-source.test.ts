import { afterEach, describe, expect, test } from 'vitest';
import { CATALOGUE, type MetricId } from '../../model/catalogue.ts';
import type { Reading } from '../../model/reading.ts';
import type { DeviceSample } from '../../model/tick.ts';
import { sourceContract } from '../source.contract.ts';
import { HAS_FAKE_DRIVER } from './fake-driver.ts';
import { startMachine, stopMachines } from './fake-machine.ts';

const BUSY = 'gpus 3\nprocess 0 pid 42 memory 1048576 kind both\ngpu 2 fail nvmlDeviceGetPowerUsage 999';

afterEach(stopMachines);

function readings({ readings }: DeviceSample): Partial<Record<MetricId, Reading>> {
  return Object.fromEntries(CATALOGUE.map(({ id }) => [id, readings.get(id)]));
}

describe.skipIf(!HAS_FAKE_DRIVER)('nvml source', () => {
  sourceContract('nvml with a new driver', async () => (await startMachine({ script: BUSY })).source);
  sourceContract('nvml with an old driver', async () => (await startMachine({ variant: 'old', script: BUSY })).source);

  test('a new driver gives the everyday metrics in base units', async () => {
    const machine = await startMachine({ script: 'gpus 1\ngpu 0 ecc-corrected 7\ngpu 0 reasons 0x44' });
    const first = readings(await machine.sample());
    expect(first).toMatchObject({
      utilization_ratio: 0.35,
      memory_utilization_ratio: 0.12,
      encoder_utilization_ratio: 0,
      decoder_utilization_ratio: 0,
      memory_total_bytes: 85899345920,
      memory_used_bytes: 10737418240,
      memory_free_bytes: 74532782080,
      memory_reserved_bytes: 629145600,
      temperature_celsius: 41,
      temperature_slowdown_celsius: 87,
      temperature_margin_celsius: 46,
      memory_temperature_celsius: 52,
      fan_speed_ratio: 0.3,
      power_watts: 235.4,
      power_limit_watts: 700,
      energy_joules_total: 5_000_000,
      sm_clock_hertz: 1_980_000_000,
      memory_clock_hertz: 2_619_000_000,
      graphics_clock_hertz: 1_980_000_000,
      video_clock_hertz: 1_545_000_000,
      sm_clock_max_hertz: 1_980_000_000,
      memory_clock_max_hertz: 2_619_000_000,
      performance_state: 0,
      clock_event_reasons: 0x44,
      // A rate needs two readings of the counter.
      pcie_tx_bytes_per_second: { absent: 'not-collected' },
      pcie_rx_bytes_per_second: { absent: 'not-collected' },
      pcie_link_generation: 5,
      pcie_link_generation_max: 5,
      pcie_link_width: 16,
      pcie_link_width_max: 16,
      ecc_corrected_volatile_total: 7,
      ecc_uncorrected_volatile_total: 0,
      ecc_corrected_aggregate_total: 0,
      ecc_uncorrected_aggregate_total: 0,
    });
  });

  test('an old driver gives what it has by the older calls; the rest is not supported', async () => {
    const machine = await startMachine({ variant: 'old', script: 'gpus 1' });
    const sample = readings(await machine.sample());
    expect(sample).toMatchObject({
      temperature_celsius: 41,
      memory_temperature_celsius: 52,
      fan_speed_ratio: 0.3,
      clock_event_reasons: 0,
      ecc_corrected_volatile_total: 0,
      // The older call counts the reserve as used.
      memory_used_bytes: 10737418240 + 629145600,
      memory_reserved_bytes: { absent: 'not-supported' },
      temperature_margin_celsius: { absent: 'not-supported' },
      pcie_tx_bytes_per_second: 1_000_000_000,
    });
  });

  test('tells who the devices are', async () => {
    const machine = await startMachine({
      script: 'gpus 2\ngpu 1 name NVIDIA A100-SXM4-80GB\ngpu 1 minor 5\ngpu 1 bus-id 00000001:C1:00.0',
    });
    expect(machine.source.devices()).toEqual([
      expect.objectContaining({ uuid: 'GPU-fa4e0000-0000-4000-8000-000000000000', index: 0 }),
      {
        uuid: 'GPU-fa4e0000-0000-4000-8000-000000000001',
        vendor: 'nvidia',
        name: 'NVIDIA A100-SXM4-80GB',
        index: 1,
        pciBusId: '00000001:C1:00.0',
        minor: 5,
        serial: '1650000000001',
        driverVersion: '570.86.10',
        facts: expect.objectContaining({ architecture: 'Hopper', vbios: '96.00.A5.00.01' }),
      },
    ]);
  });

  test('a device without UUID gets one from its PCI bus, and says so; without serial it has none', async () => {
    const script = 'gpus 1\ngpu 0 fail nvmlDeviceGetUUID 3\ngpu 0 fail nvmlDeviceGetSerial 3';
    const machine = await startMachine({ script });
    expect(machine.source.devices()).toEqual([
      expect.objectContaining({ uuid: 'GPU-pci-00000000:10:00.0', uuidIsDerived: true, serial: null }),
    ]);
  });

  test('the older call for the PCI bus gives the same id', async () => {
    const machine = await startMachine({ without: ['nvmlDeviceGetPciInfo_v3'] });
    expect(machine.source.devices()[1]?.pciBusId).toBe('00000000:11:00.0');
  });

  test('two cards with one UUID stay two, each with its own values', async () => {
    const uuid = 'GPU-11111111-2222-3333-4444-555555555555';
    const script = `gpus 3\ngpu 1 uuid ${uuid}\ngpu 2 uuid ${uuid}\ngpu 1 temperature 51\ngpu 2 temperature 52`;
    const tick = (await (await startMachine({ script })).tick()).devices;
    expect(tick.map(({ device, readings: set }) => [device.index, set.get('temperature_celsius')]).slice(1)).toEqual([
      [1, 51],
      [2, 52],
    ]);
    expect(new Set(tick.map(({ device }) => device.uuid)).size).toBe(3);
  });

  test('a fan count that is a sentinel is an error, not a thousand calls', async () => {
    const machine = await startMachine({ script: 'gpus 1\ngpu 0 fans 4294967295' });
    expect((await machine.sample()).readings.get('fan_speed_ratio')).toEqual({ absent: 'error' });
  });

  test('64 GPUs are sampled in one tick, each with its own values', async () => {
    const lines = Array.from({ length: 64 }, (_, i) => `gpu ${i} temperature ${20 + i}\nprocesses ${i} 3`);
    const machine = await startMachine({ script: `gpus 64\n${lines.join('\n')}` });
    const { devices } = await machine.tick();
    expect(devices.map(({ readings: set }) => set.get('temperature_celsius'))).toEqual(lines.map((_, i) => 20 + i));
    expect(devices.every(({ processes }) => 'length' in processes && processes.length === 3)).toBe(true);
  });

  test('a closed source gives nothing more', async () => {
    const { source } = await startMachine();
    await source.close();
    expect(await source.sample(1)).toBeNull();
  });
});

describe.skipIf(!HAS_FAKE_DRIVER)('what does not fit into a number per metric', () => {
  test('fans and links are in the samples, and the topology is told', async () => {
    const machine = await startMachine({ script: 'gpus 3\ngpu 1 fans 2\ngpu 1 fan 40' });
    for (let second = 0; second < 3; second++) await machine.tick();
    const { devices } = await machine.tick();
    expect(devices[1]?.details?.fans).toHaveLength(2);
    expect(devices[0]?.details?.fans).toHaveLength(1);
    const topology = machine.source.topology();
    expect(topology).toHaveLength(3);
    const known = devices.map(({ device }) => device.uuid);
    for (const { from, to } of topology) expect(known).toEqual(expect.arrayContaining([from, to]));
  });

  test('a lost GPU has none, and the others keep theirs', async () => {
    const machine = await startMachine({ script: 'gpus 2' });
    await machine.tick();
    machine.driver.script('gpus 2\ngpu 0 lost on');
    const { devices } = await machine.tick();
    expect(devices.map(({ details }) => details === undefined)).toEqual([true, false]);
  });
});
