import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../model/clock.ts';
import { HAS_FAKE_DRIVER } from './fake-driver.ts';
import { type FakeMachine, startMachine, stopMachines } from './fake-machine.ts';

afterEach(stopMachines);

const UUID = 'GPU-fa4e0000-0000-4000-8000-00000000000';

/** `GPU xid` of what was reported in one more tick. */
async function reported(machine: FakeMachine, afterMs = 1000): Promise<string[]> {
  await machine.tick(afterMs);
  const reports = machine.source.takeXids();
  return reports.map(({ uuid, xid, gpuInstance }) => `${uuid?.slice(-1)} ${xid} ${gpuInstance ?? ''}`.trim());
}

describe.skipIf(!HAS_FAKE_DRIVER)('Xids', () => {
  test('that the driver reports are taken once, with their GPU, instance and time', async () => {
    const machine = await startMachine({ script: 'gpus 2\nxid 1 0 31' });
    // What happened before anybody had registered is lost.
    expect(await reported(machine)).toEqual([]);
    machine.driver.script('gpus 2\nxid 2 1 79\nxid 3 0 94 5');
    expect(await reported(machine)).toEqual(['1 79', '0 94 5']);
    expect(await reported(machine)).toEqual([]);
    machine.driver.script('gpus 2\nxid 4 1 79');
    await machine.tick();
    expect(machine.source.takeXids()).toEqual([
      { at: machine.clock.now(), uuid: `${UUID}1`, xid: 79, gpuInstance: null },
    ]);
  });

  test('with a number that no Xid has are left out', async () => {
    const machine = await startMachine({ script: 'gpus 1' });
    await machine.tick();
    machine.driver.script('gpus 1\nxid 1 0 4294967295\nxid 2 0 79');
    expect(await reported(machine)).toEqual(['0 79']);
  });

  test('cost one call in a tick, however many GPUs there are', async () => {
    const machine = await startMachine({ script: 'gpus 8' });
    await machine.tick();
    const before = machine.driver.calls('nvmlEventSetWait_v2');
    for (let second = 0; second < 5; second++) await machine.tick();
    expect(machine.driver.calls('nvmlEventSetWait_v2') - before).toBe(5);
    expect(machine.driver.calls('nvmlDeviceRegisterEvents')).toBe(8);
  });

  test('of the other GPUs go on when one is lost, after a pause instead of an error in every tick', async () => {
    const machine = await startMachine({ script: 'gpus 2' });
    await machine.tick();
    machine.driver.script('gpus 2\ngpu 0 lost on');
    for (let second = 0; second < 12; second++) await machine.tick();
    expect(machine.driver.calls('nvmlEventSetCreate')).toBeLessThanOrEqual(3);
    machine.driver.script('gpus 2\ngpu 0 lost on\nxid 1 1 13');
    expect(await reported(machine)).toEqual(['1 13']);
  });

  test.each([
    ['without the functions', { without: ['nvmlEventSetCreate', 'nvmlEventSetWait_v2'] as const }, 'gpus 2'],
    ['where no GPU supports them', {}, 'gpus 2\ngpu * event-types 0x1'],
    ['where registering is refused', {}, 'gpus 2\nfail nvmlDeviceRegisterEvents 4'],
  ])('%s are not asked for in every tick', async (_, options, script) => {
    const machine = await startMachine({ script, ...options });
    for (let second = 0; second < 5; second++) expect(await reported(machine)).toEqual([]);
    expect(machine.driver.calls('nvmlEventSetWait_v2')).toBe(0);
    expect(machine.driver.calls('nvmlEventSetCreate')).toBeLessThanOrEqual(1);
  });

  test('are registered for anew when the driver was reloaded', async () => {
    const machine = await startMachine({ script: 'gpus 1' });
    await machine.tick();
    machine.driver.script('gpus 1\ngeneration 1');
    for (let second = 0; second < 4; second++) await machine.tick();
    machine.driver.script('gpus 1\ngeneration 1\nxid 7 0 48');
    expect(await reported(machine)).toEqual(['0 48']);
  });

  test('are given up where asking does not return, and the GPUs are read all the same', async () => {
    const options = { clock: systemClock, patience: { hangMs: 800 } };
    const machine = await startMachine({ script: 'gpus 2\nhang nvmlEventSetWait_v2' }, options);
    const tick = await machine.source.sample(systemClock.now());
    expect(tick?.devices.map(({ state }) => state)).toEqual(['ok', 'ok']);
    const started = performance.now();
    await machine.source.sample(systemClock.now());
    expect(performance.now() - started).toBeLessThan(500);
    machine.driver.script('gpus 2');
  });
});
