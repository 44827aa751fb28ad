import { afterEach, describe, expect, test } from 'vitest';
import type { Tick } from '../../model/tick.ts';
import { HAS_FAKE_DRIVER } from './fake-driver.ts';
import { type FakeMachine, startMachine, stopMachines } from './fake-machine.ts';

afterEach(stopMachines);

function states({ devices }: Tick): string[] {
  return [...new Set(devices.map(({ state }) => state))];
}

function kinds(ticks: readonly Tick[]): string[] {
  return ticks.flatMap(({ events }) => events.map(({ kind }) => kind));
}

async function ticks(machine: FakeMachine, count: number): Promise<Tick[]> {
  const out: Tick[] = [];
  while (out.length < count) out.push(await machine.tick());
  return out;
}

describe.skipIf(!HAS_FAKE_DRIVER)('a driver that is reloaded', () => {
  test('is opened again in process; devices are matched by UUID; one event says so', async () => {
    const machine = await startMachine({ script: 'gpus 2' });
    await machine.tick();
    const before = machine.source.devices().map(({ uuid }) => uuid);
    machine.driver.script('gpus 2\ngeneration 1\ngpu 0 temperature 55');
    const after = await ticks(machine, 5);
    expect(states(after[0]!)).toEqual(['stale']);
    expect(after[0]?.devices[0]?.readings.get('temperature_celsius')).toEqual({ absent: 'error' });
    expect(kinds(after)).toEqual(['driver-reloaded']);
    expect(states(after[4]!)).toEqual(['ok']);
    expect(after[4]?.devices[0]?.readings.get('temperature_celsius')).toBe(55);
    expect(after[4]?.devices[0]?.readings.get('power_limit_watts')).toBe(700);
    expect(machine.source.devices().map(({ uuid }) => uuid)).toEqual(before);
  });

  test.each([1, 9, 18, 999])('that gives %i for a while is waited for, with a growing pause', async (code) => {
    const machine = await startMachine({ script: 'gpus 2' });
    machine.driver.script(`gpus 2\ndown ${code}`);
    const meanwhile = await ticks(machine, 30);
    expect(meanwhile.every((tick) => states(tick).join() === 'stale' && tick.devices.length === 2)).toBe(true);
    expect(machine.source.notices()).toEqual([{ key: 'notice.nvml-driver-gone', params: { code } }]);
    // After 1, 2, 4, 8 and 16 seconds.
    expect(machine.driver.calls('nvmlInit_v2')).toBeLessThanOrEqual(6);
    machine.driver.script('gpus 2');
    const after = await ticks(machine, 31);
    expect(kinds(after)).toEqual(['driver-reloaded']);
    expect(states(after.at(-1)!)).toEqual(['ok']);
    expect(machine.source.notices()).toEqual([]);
  });

  test('with every GPU lost and the device nodes gone counts as unloaded', async () => {
    const machine = await startMachine({ script: 'gpus 2' });
    machine.driver.script('gpus 2\ngpu * fail * 15');
    expect(states(await machine.tick())).toEqual(['lost']);
    machine.driver.removeDeviceNodes();
    await machine.tick();
    machine.driver.script('gpus 2');
    expect(kinds(await ticks(machine, 3))).toEqual(['driver-reloaded']);
  });

  test('behind GPUs that are all lost for long is opened anew, though the nodes are there', async () => {
    const machine = await startMachine({ script: 'gpus 2' });
    machine.driver.script('gpus 2\ngpu * lost on');
    await machine.tick();
    const inits = machine.driver.calls('nvmlInit_v2');
    await ticks(machine, 33);
    expect(machine.driver.calls('nvmlInit_v2')).toBeGreaterThan(inits);
    machine.driver.script('gpus 2\ngeneration 3');
    const after = await ticks(machine, 40);
    expect(states(after.at(-1)!)).toEqual(['ok']);
    expect(kinds(after)).toEqual(['driver-reloaded']);
  });

  test('one function that fails on every GPU is no reload', async () => {
    const machine = await startMachine({ script: 'gpus 2' });
    machine.driver.script('gpus 2\nfail nvmlDeviceGetPowerUsage 999');
    const after = await ticks(machine, 3);
    expect(states(after[2]!)).toEqual(['ok']);
    expect(machine.driver.calls('nvmlInit_v2')).toBe(1);
  });

  test('one GPU on which everything fails is no reload', async () => {
    const machine = await startMachine({ script: 'gpus 2' });
    machine.driver.script('gpus 2\ngpu 1 fail * 999');
    const [, , tick] = await ticks(machine, 3);
    expect(tick?.devices.map(({ state }) => state)).toEqual(['ok', 'ok']);
    expect(tick?.devices[1]?.readings.get('power_watts')).toEqual({ absent: 'error' });
    expect(machine.driver.calls('nvmlInit_v2')).toBe(1);
  });

  test('that comes back with a card less keeps it listed as lost', async () => {
    const machine = await startMachine({ script: 'gpus 3' });
    machine.driver.script('gpus 3\ngpu 1 removed on\ngeneration 1');
    const [, , tick] = await ticks(machine, 3);
    const found = tick?.devices.map(({ device, state }) => `${device.uuid.slice(-1)} ${state}`).sort();
    expect(found).toEqual(['0 ok', '1 lost', '2 ok']);
  });
});
