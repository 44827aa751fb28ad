import { afterEach, describe, expect, test } from 'vitest';
import { AppError } from '../../model/errors.ts';
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

/** The ticks of so many seconds; those that fail are left out, their errors are in `errors`. */
async function seconds(machine: FakeMachine, count: number, errors: string[]): Promise<Tick[]> {
  const out: Tick[] = [];
  for (let second = 0; second < count; second++) {
    try {
      out.push(await machine.tick());
    } catch (error) {
      errors.push(error instanceof AppError ? error.code : String(error));
    }
  }
  return out;
}

describe.skipIf(!HAS_FAKE_DRIVER)('a driver that is reloaded', () => {
  test('is opened again in process; devices are matched by UUID; one event says so', async () => {
    const machine = await startMachine({ script: 'gpus 2' });
    await machine.tick();
    const before = machine.source.devices().map(({ uuid }) => uuid);
    machine.driver.script('gpus 2\ngeneration 1\ngpu 0 temperature 55');
    const [gone, ...after] = await ticks(machine, 5);
    expect(gone?.devices).toEqual([]);
    expect(kinds([gone!])).toEqual(['driver-gone']);
    expect(kinds(after)).toEqual(['driver-reloaded']);
    expect(states(after[3]!)).toEqual(['ok']);
    expect(after[3]?.devices[0]?.readings.get('temperature_celsius')).toBe(55);
    expect(after[3]?.devices[0]?.readings.get('power_limit_watts')).toBe(700);
    expect(machine.source.devices().map(({ uuid }) => uuid)).toEqual(before);
  });

  test.each([
    [1, 'NVML_DRIVER_GONE'],
    [9, 'NVML_DRIVER_NOT_LOADED'],
    [18, 'NVML_VERSION_MISMATCH'],
    [999, 'NVML_DRIVER_GONE'],
  ])('that gives %i for a while is %s, and is waited for with a growing pause', async (code, reason) => {
    const machine = await startMachine({ script: 'gpus 2' });
    machine.driver.script(`gpus 2\ndown ${code}`);
    const errors: string[] = [];
    // No sample claims to be of this moment, so that what was read before grows old.
    const meanwhile = await seconds(machine, 30, errors);
    expect(meanwhile.flatMap(({ devices }) => devices)).toEqual([]);
    expect(kinds(meanwhile)).toEqual(['driver-gone']);
    expect(errors).toEqual(Array.from({ length: 29 }, () => reason));
    expect(machine.source.devices()).toHaveLength(2);
    // After 1, 2, 4, 8 and 16 seconds.
    expect(machine.driver.calls('nvmlInit_v2')).toBeLessThanOrEqual(6);
    machine.driver.script('gpus 2');
    const after = await seconds(machine, 31, errors);
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
