import { afterEach, describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../model/catalogue.ts';
import type { DeviceSample, Tick } from '../../model/tick.ts';
import { HAS_FAKE_DRIVER } from './fake-driver.ts';
import { startMachine, stopMachines } from './fake-machine.ts';

afterEach(stopMachines);

/** `0 ok, 1 lost`. */
function states({ devices }: Tick): string {
  return devices.map(({ device, state }) => `${device.index} ${state}`).join(', ');
}

function reasons({ readings }: DeviceSample): string[] {
  const found = CATALOGUE.map(({ id }) => {
    const reading = readings.get(id);
    return typeof reading === 'number' ? 'present' : reading.absent;
  });
  return [...new Set(found)];
}

describe.skipIf(!HAS_FAKE_DRIVER)('a GPU that is lost', () => {
  test('stays listed, wholly absent; the others go on', async () => {
    const machine = await startMachine({ script: 'gpus 3' });
    machine.driver.script('gpus 3\ngpu 1 fail * 15');
    const tick = await machine.tick();
    expect(states(tick)).toBe('0 ok, 1 lost, 2 ok');
    expect(reasons(tick.devices[1]!)).toEqual(['gpu-lost']);
    expect(tick.devices[1]?.processes).toEqual({ absent: 'gpu-lost' });
    expect(tick.devices[2]?.readings.get('power_watts')).toBe(235.4);
    expect(machine.source.devices()).toHaveLength(3);
  });

  test('in the middle of its readings does not show half of them', async () => {
    const machine = await startMachine({ script: 'gpus 2' });
    // What is asked last, and the two questions that make sure, give 15; what is read before them does not.
    const failing = [
      'nvmlDeviceGetComputeRunningProcesses_v3',
      'nvmlDeviceGetTemperature',
      'nvmlDeviceGetTemperatureV',
      'nvmlDeviceGetPowerUsage',
    ];
    machine.driver.script(['gpus 2', ...failing.map((name) => `gpu 0 fail ${name} 15`)].join('\n'));
    const tick = await machine.tick();
    expect(states(tick)).toBe('0 lost, 1 ok');
    expect(reasons(tick.devices[0]!)).toEqual(['gpu-lost']);
  });

  test.each([
    ['nvmlDeviceGetPowerUsage', 'power_watts'],
    ['nvmlDeviceGetUtilizationRates', 'utilization_ratio'],
    ['nvmlDeviceGetMemoryInfo_v2', 'memory_used_bytes'],
  ] as const)('is not one of which %s alone says so', async (name, metric) => {
    const machine = await startMachine({ script: 'gpus 2' });
    machine.driver.script(`gpus 2\ngpu 1 fail ${name} 15`);
    for (let second = 0; second < 3; second++) {
      const tick = await machine.tick();
      expect(states(tick)).toBe('0 ok, 1 ok');
      expect(tick.devices[1]?.readings.get(metric)).toEqual({ absent: 'error' });
      expect(tick.devices[1]?.readings.get('temperature_celsius')).toBe(41);
    }
  });

  test('is not one that has to be reset: that is there, cannot be read, and is back when it answers', async () => {
    const machine = await startMachine({ script: 'gpus 3' });
    machine.driver.script('gpus 3\ngpu 1 fail * 16');
    const tick = await machine.tick();
    expect(states(tick)).toBe('0 ok, 1 stale, 2 ok');
    expect(reasons(tick.devices[1]!)).toEqual(['error']);
    expect(machine.source.notices()).toEqual([{ key: 'notice.gpu-closed', params: { index: 1, code: 16 } }]);
    machine.driver.script('gpus 3');
    expect(states(await machine.tick(10_000))).toBe('0 ok, 1 ok, 2 ok');
    expect(machine.source.notices()).toEqual([]);
  });

  test('is asked nothing but one cheap question every ten seconds', async () => {
    const machine = await startMachine({ script: 'gpus 2' });
    machine.driver.script('gpus 2\ngpu 1 lost on');
    await machine.tick();
    const before = machine.driver.calls(null, 1);
    for (let second = 0; second < 9; second++) await machine.tick();
    expect(machine.driver.calls(null, 1) - before).toBe(0);
    await machine.tick();
    expect(machine.driver.calls(null, 1) - before).toBe(1);
  });

  test('is back, with everything, when that question is answered', async () => {
    const machine = await startMachine({ script: 'gpus 2' });
    machine.driver.script('gpus 2\ngpu 1 lost on');
    await machine.tick();
    machine.driver.script('gpus 2\ngpu 1 power-limit 450000');
    expect(states(await machine.tick(5000))).toBe('0 ok, 1 lost');
    const tick = await machine.tick(5000);
    expect(states(tick)).toBe('0 ok, 1 ok');
    expect(tick.devices[1]?.readings.get('temperature_celsius')).toBe(41);
    expect(tick.devices[1]?.readings.get('power_limit_watts')).toBe(450);
  });
});

describe.skipIf(!HAS_FAKE_DRIVER)('a GPU that is counted and cannot be opened', () => {
  test.each([
    [15, 'lost', 'gpu-lost'],
    [999, 'lost', 'gpu-lost'],
    [3, 'stale', 'not-supported'],
    [4, 'stale', 'no-permission'],
    [8, 'stale', 'error'],
    [11, 'stale', 'error'],
    [16, 'stale', 'error'],
  ])('with code %i is %s, its readings %s, and the others are there', async (code, state, reason) => {
    const machine = await startMachine({ script: `gpus 3\ngpu 1 handle ${code}` });
    const tick = await machine.tick();
    expect(states(tick)).toBe(`0 ok, 1 ${state}, 2 ok`);
    expect(reasons(tick.devices[1]!)).toEqual([reason]);
    expect(tick.devices[1]?.device).toMatchObject({ uuid: 'GPU-index-1', uuidIsDerived: true, index: 1 });
    expect(tick.devices[2]?.readings.get('temperature_celsius')).toBe(41);
    const told = state === 'lost' ? [] : [{ key: 'notice.gpu-closed', params: { index: 1, code } }];
    expect(machine.source.notices()).toEqual(told);
  });

  test('has the name and UUID that the kernel tells', async () => {
    const machine = await startMachine({ script: 'gpus 2\ngpu 1 handle 15\ngpu 0 bus-id 00000000:18:00.0' });
    await machine.source.close();
    const { driver, clock } = machine;
    driver.writeKernelGpu('0000:18:00.0', { model: 'NVIDIA A', uuid: 'GPU-aaaa', minor: 0 });
    driver.writeKernelGpu('0000:3b:00.0', { model: 'NVIDIA B', uuid: 'GPU-bbbb-1', minor: 7 });
    const { openNvml } = await import('./nvml-source.ts');
    const probe = await openNvml({ clock, library: driver.library, root: driver.root });
    expect(probe.ok && probe.source.devices()[1]).toMatchObject({
      uuid: 'GPU-bbbb-1',
      name: 'NVIDIA B',
      index: 1,
      pciBusId: '00000000:3B:00.0',
      minor: 7,
    });
    if (probe.ok) await probe.source.close();
  });

  test('is opened when it can be, under its true UUID', async () => {
    const machine = await startMachine({ script: 'gpus 2\ngpu 1 handle 15' });
    await machine.tick();
    machine.driver.script('gpus 2');
    const tick = await machine.tick(10_000);
    expect(states(tick)).toBe('0 ok, 1 ok');
    expect(tick.devices[1]?.device.uuid).toBe('GPU-fa4e0000-0000-4000-8000-000000000001');
    expect(machine.source.devices().map(({ uuid }) => uuid)).not.toContain('GPU-index-1');
  });

  test('that answers nothing, not even who it is, is lost', async () => {
    const machine = await startMachine({ script: 'gpus 2\ngpu 1 lost on' });
    expect(states(await machine.tick())).toBe('0 ok, 1 lost');
  });

  test('that does not tell who it is and can be read is read, and gets its name when it tells it', async () => {
    const failing = ['nvmlDeviceGetUUID', 'nvmlDeviceGetPciInfo_v3', 'nvmlDeviceGetPciInfo_v2', 'nvmlDeviceGetPciInfo'];
    const machine = await startMachine({
      script: ['gpus 2', ...failing.map((name) => `gpu 1 fail ${name} 999`)].join('\n'),
    });
    const tick = await machine.tick();
    expect(states(tick)).toBe('0 ok, 1 ok');
    expect(tick.devices[1]?.device).toMatchObject({ uuid: 'GPU-index-1', uuidIsDerived: true });
    expect(tick.devices[1]?.readings.get('temperature_celsius')).toBe(41);
    machine.driver.script('gpus 2');
    for (let second = 0; second < 11; second++) await machine.tick();
    const later = await machine.tick();
    expect(later.devices.map(({ device }) => device.uuid.slice(-4))).toEqual(['0000', '0001']);
  });

  test('whose UUID cannot be read after a reload is still the same card', async () => {
    const machine = await startMachine({ script: 'gpus 2' });
    machine.driver.script('gpus 2\ngeneration 1\ngpu 1 fail nvmlDeviceGetUUID 999');
    for (let second = 0; second < 3; second++) await machine.tick();
    expect(machine.source.devices().map(({ uuid }) => uuid.slice(-1))).toEqual(['0', '1']);
  });

  test('when it is the only one, is still there to be seen', async () => {
    const machine = await startMachine({ script: 'gpus 1\ngpu 0 handle 15' });
    expect(states(await machine.tick())).toBe('0 lost');
  });
});

describe.skipIf(!HAS_FAKE_DRIVER)('GPUs that come and go', () => {
  test('a new one is found within thirty seconds, by UUID although the indexes move', async () => {
    const machine = await startMachine({ script: 'gpus 3\ngpu 1 removed on' });
    expect(states(await machine.tick())).toBe('0 ok, 1 ok');
    machine.driver.script('gpus 3\ngpu 1 temperature 66');
    expect(states(await machine.tick(29_000))).toBe('0 ok, 1 ok');
    const tick = await machine.tick();
    expect(states(tick)).toBe('0 ok, 1 ok, 2 ok');
    expect(tick.devices.map(({ device }) => device.uuid.slice(-1))).toEqual(['0', '1', '2']);
    expect(tick.devices.map(({ readings }) => readings.get('temperature_celsius'))).toEqual([41, 66, 41]);
  });

  test('one that is pulled out stays listed as lost and is not asked; the others keep their places', async () => {
    const machine = await startMachine({ script: 'gpus 3\ngpu 2 temperature 50' });
    machine.driver.script('gpus 3\ngpu 1 removed on\ngpu 2 temperature 50');
    await machine.tick();
    const tick = await machine.tick(30_000);
    const found = tick.devices.map(({ device, state, readings }) => {
      const temperature = readings.get('temperature_celsius');
      return [device.uuid.slice(-1), state, typeof temperature === 'number' ? temperature : temperature.absent];
    });
    expect(found.sort()).toEqual([
      ['0', 'ok', 41],
      ['1', 'lost', 'gpu-lost'],
      ['2', 'ok', 50],
    ]);
    // Its number belongs to the card that moved up.
    const indexes = tick.devices.map(({ device }) => `${device.uuid.slice(-1)}:${device.index}`);
    expect(indexes.sort()).toEqual(['0:0', '1:2', '2:1']);
  });
});
