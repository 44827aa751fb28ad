import { afterEach, describe, expect, test } from 'vitest';
import type { MetricId } from '../../model/catalogue.ts';
import type { AbsenceReason, Reading } from '../../model/reading.ts';
import { HAS_FAKE_DRIVER } from './fake-driver.ts';
import { startMachine, stopMachines } from './fake-machine.ts';

afterEach(stopMachines);

const ALL_ONES_64 = '18446744073709551615';

describe.skipIf(!HAS_FAKE_DRIVER)('what a value means', () => {
  // All of one driver state at once: a machine takes longer to start than to sample.
  async function check(script: string, want: Partial<Record<MetricId, number | AbsenceReason>>): Promise<void> {
    const machine = await startMachine({ script: `gpus 1\n${script}` });
    const { readings } = await machine.sample();
    const found = Object.fromEntries(Object.keys(want).map((id) => [id, short(readings.get(id as MetricId))]));
    expect(found).toEqual(want);
  }

  test('sentinels and values out of any range are an error, never a number', () =>
    check(
      [
        'gpu 0 utilization 4294967295',
        'gpu 0 memory-utilization 101',
        'gpu 0 encoder 255',
        'gpu 0 temperature -2147483648',
        'gpu 0 margin 100000',
        'gpu 0 memory-temperature -1',
        'gpu 0 power 4294967295',
        'gpu 0 energy 9223372036854775794',
        'gpu 0 sm-clock 4294967295',
        'gpu 0 pstate 77',
        `gpu 0 reasons ${ALL_ONES_64}`,
        'gpu 0 link-generation 0',
        'gpu 0 link-width 4294967295',
        `gpu 0 ecc-corrected ${ALL_ONES_64}`,
        'gpu 0 fan 100000',
        `gpu 0 memory-used ${ALL_ONES_64}`,
      ].join('\n'),
      {
        utilization_ratio: 'error',
        memory_utilization_ratio: 'error',
        encoder_utilization_ratio: 'error',
        decoder_utilization_ratio: 0,
        temperature_celsius: 'error',
        temperature_margin_celsius: 'error',
        memory_temperature_celsius: 'error',
        power_watts: 'error',
        energy_joules_total: 'error',
        sm_clock_hertz: 'error',
        graphics_clock_hertz: 1.98e9,
        performance_state: 'error',
        clock_event_reasons: 'error',
        pcie_link_generation: 'error',
        pcie_link_width: 'error',
        ecc_corrected_volatile_total: 'error',
        ecc_uncorrected_volatile_total: 0,
        fan_speed_ratio: 'error',
        memory_used_bytes: 'error',
        memory_total_bytes: 85899345920,
      },
    ));

  test('all ones of 32 bits are an error where a number has 64', () =>
    check(
      [
        'gpu 0 energy 4294967295',
        'gpu 0 memory-used 4294967295',
        'gpu 0 ecc-dram 4294967295',
        'gpu 0 nvlink-crc-flit 4294967295',
        'gpu 0 sram-status 4294967295',
      ].join('\n'),
      {
        energy_joules_total: 'error',
        memory_used_bytes: 'error',
        ecc_dram_corrected_volatile_total: 'error',
        // The next counter of the script is one more.
        ecc_dram_uncorrected_volatile_total: 4_294_967_296,
        memory_total_bytes: 85899345920,
      },
    ));

  test('what NVIDIA’s driver has no word for is not supported, rather than still to come', () =>
    check('', {
      gtt_used_bytes: 'not-supported',
      hotspot_temperature_celsius: 'not-supported',
      core_voltage_volts: 'not-supported',
      pcie_tx_bytes_per_second: 'not-collected',
    }));

  test('values at the edge of the ranges are kept', () =>
    check(
      [
        'gpu 0 utilization 100',
        'gpu 0 temperature -7',
        'gpu 0 margin -3',
        'gpu 0 fan 115',
        'gpu 0 energy 9007199254740993',
        'gpu 0 pstate 15',
        'gpu 0 reasons 0x1000000004',
        'gpu 0 power 0',
      ].join('\n'),
      {
        utilization_ratio: 1,
        temperature_celsius: -7,
        temperature_margin_celsius: -3,
        fan_speed_ratio: 1.15,
        energy_joules_total: 9007199254740.992,
        performance_state: 15,
        clock_event_reasons: 4,
        power_watts: 0,
      },
    ));

  test('the documented word for an unknown performance state, and memory that is the host’s, are not supported', () =>
    check('gpu 0 pstate 32\ngpu 0 memory-total 0', {
      performance_state: 'not-supported',
      memory_total_bytes: 'not-supported',
      memory_used_bytes: 'not-supported',
    }));

  test('a board without memory info, fans, ECC or video clock says so, and keeps the rest', () =>
    check(
      ['memory-total', 'ecc-corrected', 'video-clock', 'slowdown'].map((key) => `gpu 0 ${key} unsupported`).join('\n') +
        '\ngpu 0 fans 0',
      {
        memory_total_bytes: 'not-supported',
        memory_reserved_bytes: 'not-supported',
        ecc_corrected_volatile_total: 'not-supported',
        // The other three counters are read by the older call.
        ecc_uncorrected_volatile_total: 0,
        video_clock_hertz: 'not-supported',
        sm_clock_hertz: 1.98e9,
        temperature_slowdown_celsius: 'not-supported',
        fan_speed_ratio: 'not-supported',
        power_watts: 235.4,
      },
    ));

  test('the fastest fan counts, and one that fails does not hide the others', async () => {
    await check('gpu 0 fans 3\ngpu 0 fan 20\ngpu 0 fan1 70\ngpu 0 fan2 50', { fan_speed_ratio: 0.7 });
    await check('gpu 0 fans 3\ngpu 0 fan 20\ngpu 0 fan1 unsupported\ngpu 0 fan2 50', { fan_speed_ratio: 0.5 });
    await check('gpu 0 fans 2\ngpu 0 fan 4294967295\ngpu 0 fan1 44', { fan_speed_ratio: 0.44 });
  });

  test('one field that fails leaves the others of its call alone', () =>
    check('gpu 0 field 82 999\ngpu 0 field 4 4', {
      memory_temperature_celsius: 'error',
      ecc_corrected_volatile_total: 0,
      // The older call may still know it.
      ecc_uncorrected_volatile_total: 0,
    }));
});

describe.skipIf(!HAS_FAKE_DRIVER)('what a code means', () => {
  const CASES: readonly [code: number, reason: AbsenceReason, asksAgain: boolean][] = [
    [3, 'not-supported', false],
    [13, 'not-supported', false],
    [25, 'not-supported', false],
    [4, 'no-permission', false],
    [6, 'not-found', true],
    [2, 'error', true],
    [10, 'error', true],
    [17, 'error', true],
    [999, 'error', true],
    [12345, 'error', true],
  ];

  test.each(CASES)('code %i is %s; asked again in the next tick: %s', async (code, reason, asksAgain) => {
    const machine = await startMachine({ script: `gpus 2\ngpu 1 fail nvmlDeviceGetPowerUsage ${code}` });
    const { devices } = await machine.tick();
    expect(devices[1]?.readings.get('power_watts')).toEqual({ absent: reason });
    expect(devices[1]?.state).toBe('ok');
    expect(devices[1]?.readings.get('temperature_celsius')).toBe(41);
    expect(devices[0]?.readings.get('power_watts')).toBe(235.4);
    const before = machine.driver.calls('nvmlDeviceGetPowerUsage', 1);
    await machine.tick();
    expect(machine.driver.calls('nvmlDeviceGetPowerUsage', 1) - before).toBe(asksAgain ? 1 : 0);
  });

  test('a failure that passes is over in the next tick', async () => {
    const machine = await startMachine({ script: 'fail nvmlDeviceGetTemperatureV 999' });
    expect(await machine.read('temperature_celsius')).toEqual({ absent: 'error' });
    machine.driver.script('');
    expect(await machine.read('temperature_celsius')).toBe(41);
  });

  test('permission may be given later: it is looked for on the rota', async () => {
    const machine = await startMachine({ script: 'gpus 1\nfail nvmlDeviceGetPowerUsage 4' });
    expect(await machine.read('power_watts')).toEqual({ absent: 'no-permission' });
    machine.driver.script('gpus 1');
    for (let second = 0; second < 11; second++) await machine.tick();
    expect(await machine.read('power_watts')).toBe(235.4);
  });

  test('utilisation is absent for MIG while MIG is on, and back when it is off', async () => {
    const machine = await startMachine({ script: 'gpus 1\ngpu 0 mig on' });
    const { readings } = await machine.sample();
    expect(readings.get('utilization_ratio')).toEqual({ absent: 'mig' });
    expect(readings.get('encoder_utilization_ratio')).toEqual({ absent: 'mig' });
    expect(readings.get('memory_used_bytes')).toBe(10737418240);
    machine.driver.script('gpus 1');
    for (let second = 0; second < 11; second++) await machine.tick();
    expect(await machine.read('utilization_ratio')).toBe(0.35);
  });

  test('MIG that is switched on later is noticed', async () => {
    const machine = await startMachine({ script: 'gpus 1' });
    await machine.tick();
    machine.driver.script('gpus 1\ngpu 0 mig on');
    for (let second = 0; second < 22; second++) await machine.tick();
    expect(await machine.read('utilization_ratio')).toEqual({ absent: 'mig' });
  });
});

describe.skipIf(!HAS_FAKE_DRIVER)('where a call is missing', () => {
  const FALLBACKS: readonly [missing: string[], metric: MetricId, want: number][] = [
    [['nvmlDeviceGetMemoryInfo_v2'], 'memory_used_bytes', 10737418240 + 629145600],
    [['nvmlDeviceGetTemperatureV'], 'temperature_celsius', 41],
    [['nvmlDeviceGetCurrentClocksEventReasons'], 'clock_event_reasons', 0],
    [['nvmlDeviceGetNumFans'], 'fan_speed_ratio', 0.3],
    [['nvmlDeviceGetFanSpeed_v2'], 'fan_speed_ratio', 0.3],
    [['nvmlDeviceGetFieldValues'], 'ecc_corrected_volatile_total', 0],
    [['nvmlInit_v2', 'nvmlDeviceGetCount_v2', 'nvmlDeviceGetHandleByIndex_v2'], 'power_watts', 235.4],
  ];

  test.each(FALLBACKS)('%s: an older one stands in', async (without, metric, want) => {
    const machine = await startMachine({ without });
    expect(await machine.read(metric)).toBe(want);
  });

  test('and where there is no older one, its metrics are not supported and the rest is there', async () => {
    const without = ['nvmlDeviceGetPowerUsage', 'nvmlDeviceGetFieldValues', 'nvmlDeviceGetMigMode'];
    const machine = await startMachine({ without });
    const { readings } = await machine.sample();
    expect(readings.get('power_watts')).toEqual({ absent: 'not-supported' });
    expect(readings.get('memory_temperature_celsius')).toEqual({ absent: 'not-supported' });
    expect(readings.get('power_limit_watts')).toBe(700);
  });

  test('a newer call that the device refuses falls back too, once', async () => {
    const machine = await startMachine({ script: 'gpus 1\nfail nvmlDeviceGetTemperatureV 3' });
    expect(await machine.read('temperature_celsius')).toBe(41);
    expect(await machine.read('temperature_celsius')).toBe(41);
    expect(machine.driver.calls('nvmlDeviceGetTemperatureV')).toBe(1);
  });

  test('the two ways to count memory are never mixed on one device', async () => {
    const machine = await startMachine({ script: 'gpus 1' });
    expect(await machine.read('memory_used_bytes')).toBe(10737418240);
    machine.driver.script('gpus 1\nfail nvmlDeviceGetMemoryInfo_v2 3');
    expect(await machine.read('memory_used_bytes')).toEqual({ absent: 'not-supported' });
    expect(machine.driver.calls('nvmlDeviceGetMemoryInfo')).toBe(0);
  });
});

function short(reading: Reading): number | AbsenceReason {
  return typeof reading === 'number' ? reading : reading.absent;
}
