import { afterEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../../model/manual-clock.ts';
import type { Tick } from '../../model/tick.ts';
import { FakeDriver, HAS_FAKE_DRIVER } from './fake-driver.ts';
import { FakeMachine, startMachine, stopMachines } from './fake-machine.ts';
import { openNvml } from './nvml-source.ts';

const BUS = '0000:10:00.0';
const UUID = 'GPU-fa4e0000-0000-4000-8000-000000000000';

let sleeping: FakeMachine | null = null;

afterEach(async () => {
  await sleeping?.source.close();
  sleeping?.driver.dispose();
  sleeping = null;
  await stopMachines();
});

/** A laptop whose GPU is in the given state before anything is opened. */
async function laptop(status: string, power: { control?: string; d3?: string } = {}): Promise<FakeMachine> {
  const driver = new FakeDriver({ script: 'gpus 1\ngpu 0 utilization 0' });
  driver.writeKernelGpu(BUS, { model: 'NVIDIA RTX 4060 Laptop', uuid: UUID, minor: 0 });
  driver.writePower(BUS, { status, ...power });
  const clock = new ManualClock();
  const probe = await openNvml({ clock, library: driver.library, root: driver.root });
  if (!probe.ok) throw probe.reason;
  sleeping = new FakeMachine(driver, clock, probe.source);
  return sleeping;
}

function states({ devices }: Tick): string[] {
  return devices.map(({ state }) => state);
}

describe.skipIf(!HAS_FAKE_DRIVER)('a GPU that may sleep', () => {
  test('is not woken: it is shown asleep, with what the kernel knows of it, until somebody else wakes it', async () => {
    const machine = await laptop('suspended');
    const tick = await machine.tick();
    expect(states(tick)).toEqual(['asleep']);
    expect(tick.devices[0]?.device).toMatchObject({ uuid: UUID, name: 'NVIDIA RTX 4060 Laptop', index: 0 });
    expect(tick.devices[0]?.readings.get('power_watts')).toEqual({ absent: 'asleep' });
    expect(tick.devices[0]?.processes).toEqual({ absent: 'asleep' });
    for (let second = 0; second < 60; second++) await machine.tick();
    expect(machine.driver.calls()).toBe(0);
    machine.driver.writePower(BUS, { status: 'active' });
    expect(states(await machine.tick())).toEqual(['ok']);
    expect(machine.source.devices().map(({ uuid }) => uuid)).toEqual([UUID]);
  });

  test('is let go of when it has done nothing for half a minute, and taken up when it is used', async () => {
    const machine = await laptop('active');
    for (let second = 0; second < 29; second++) expect(states(await machine.tick())).toEqual(['ok']);
    for (let second = 0; second < 3; second++) await machine.tick();
    const calls = machine.driver.calls();
    expect(machine.driver.calls('nvmlShutdown')).toBe(1);
    for (let second = 0; second < 20; second++) expect(states(await machine.tick())).toEqual(['asleep']);
    machine.driver.writePower(BUS, { status: 'suspended' });
    for (let second = 0; second < 100; second++) expect(states(await machine.tick())).toEqual(['asleep']);
    expect(machine.driver.calls()).toBe(calls);
    machine.driver.script('gpus 1\ngpu 0 utilization 80\nprocess 0 pid 7 memory 1000 kind compute');
    machine.driver.writePower(BUS, { status: 'active' });
    for (let second = 0; second < 60; second++) expect(states(await machine.tick())).toEqual(['ok']);
  });

  test('that does not fall asleep though it was let go of is read again, and not let go of for a while', async () => {
    const machine = await laptop('active');
    const seen: string[] = [];
    for (let second = 0; second < 300; second++) seen.push(...states(await machine.tick()));
    expect(seen.filter((state) => state === 'asleep').length).toBeLessThan(50);
    expect(seen.at(-1)).toBe('ok');
    expect(machine.driver.calls('nvmlInit_v2')).toBe(2);
  });

  test.each([
    ['with a process on it', 'gpus 1\ngpu 0 utilization 0\nprocess 0 pid 7 memory 1000 kind graphics'],
    ['that computes', 'gpus 1\ngpu 0 utilization 3'],
  ])('%s is not let go of', async (_, script) => {
    const machine = await laptop('active');
    machine.driver.script(script);
    for (let second = 0; second < 60; second++) expect(states(await machine.tick())).toEqual(['ok']);
    expect(machine.driver.calls('nvmlInit_v2')).toBe(1);
  });

  test.each([
    ['the kernel keeps on', { control: 'on' }],
    ['the driver keeps on', { d3: 'Disabled by default' }],
    ['has no such feature', { d3: 'Not supported' }],
  ])('but that %s is sampled without a pause', async (_, power) => {
    const machine = await laptop('active', power);
    for (let second = 0; second < 60; second++) expect(states(await machine.tick())).toEqual(['ok']);
    expect(machine.driver.calls('nvmlInit_v2')).toBe(1);
  });

  test('is nothing to think about where sysfs cannot be read', async () => {
    const machine = await startMachine({ script: 'gpus 1\ngpu 0 utilization 0' });
    for (let second = 0; second < 60; second++) await machine.tick();
    expect(machine.driver.calls('nvmlInit_v2')).toBe(1);
  });
});
