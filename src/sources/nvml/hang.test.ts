import { spawn } from 'node:child_process';
import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../model/clock.ts';
import type { DeviceSample } from '../../model/tick.ts';
import { stuckThreads } from './exit.ts';
import { FakeDriver, HAS_FAKE_DRIVER } from './fake-driver.ts';
import { type FakeMachine, startMachine, stopMachines } from './fake-machine.ts';

/** Long enough for a busy machine not to be taken for a hung driver. */
const HANG_MS = 1000;

const OPTIONS = {
  clock: systemClock,
  probeMs: 8000,
  patience: { hangMs: HANG_MS, openHangMs: HANG_MS, muteMs: 2500, calmMs: 300 },
};

afterEach(async () => {
  await stopMachines();
  await until(() => stuckThreads() === 0);
});

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 20));
}

async function states({ source }: FakeMachine): Promise<string> {
  const tick = await source.sample(systemClock.now());
  return (tick?.devices ?? []).map(({ device, state }) => `${device.index} ${state}`).join(', ');
}

/** Samples until the tick is as wanted; the test’s own timeout ends it otherwise. */
async function becomes(machine: FakeMachine, wanted: string): Promise<void> {
  while ((await states(machine)) !== wanted) await new Promise((resolve) => setTimeout(resolve, 50));
}

describe.skipIf(!HAS_FAKE_DRIVER)('a driver call that hangs', () => {
  test('on one GPU: the others are in the same tick, the GPU stays listed and comes back', async () => {
    const machine = await startMachine({ script: 'gpus 3' }, OPTIONS);
    expect(await states(machine)).toBe('0 ok, 1 ok, 2 ok');
    machine.driver.script('gpus 3\ngpu 1 hang nvmlDeviceGetPowerUsage');
    const started = performance.now();
    expect(await states(machine)).toBe('0 ok, 2 ok');
    expect(performance.now() - started).toBeLessThan(4 * HANG_MS);
    expect(machine.source.devices().map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(machine.source.notices()).toEqual([
      { key: 'notice.gpu-hangs', params: { index: 1, call: 'nvmlDeviceGetPowerUsage', seconds: expect.any(Number) } },
    ]);
    // Not asked again while the call has not returned, however long that takes, and nobody waits for it.
    const asked = machine.driver.calls(null, 1);
    const again = performance.now();
    expect(await states(machine)).toBe('0 ok, 2 ok');
    expect(await states(machine)).toBe('0 ok, 2 ok');
    expect(performance.now() - again).toBeLessThan(HANG_MS / 2);
    expect(machine.driver.calls(null, 1)).toBe(asked);

    machine.driver.script('gpus 3\ngpu 1 power 111000');
    await until(() => stuckThreads() === 0);
    await becomes(machine, '0 ok, 2 ok, 1 ok');
    expect(machine.source.notices()).toEqual([]);
    // Quick for a while, it is read by one thread with the others again.
    await becomes(machine, '0 ok, 1 ok, 2 ok');
    const tick = await machine.source.sample(1);
    expect(tick?.devices.map(({ readings }) => readings.get('power_watts'))).toEqual([235.4, 111, 235.4]);
  });

  test('for a while: what was read before the hang and after it are not shown as one sample', async () => {
    const machine = await startMachine({ script: 'gpus 2' }, OPTIONS);
    await states(machine);
    machine.driver.script('gpus 2\ngpu 1 utilization 11\ngpu 1 hang nvmlDeviceGetPowerUsage');
    expect(await states(machine)).toBe('0 ok');
    machine.driver.script('gpus 2\ngpu 1 utilization 99');
    await until(() => stuckThreads() === 0);
    let sample: DeviceSample | undefined;
    while (sample === undefined) {
      const tick = await machine.source.sample(1);
      sample = tick?.devices.find(({ device }) => device.index === 1);
    }
    expect(sample.readings.get('utilization_ratio')).toBe(0.99);
  });

  test('while a GPU is opened: it is left out from the start, with what the kernel knows of it', async () => {
    const machine = await startMachine({ script: 'gpus 2\ngpu 0 hang nvmlDeviceGetHandleByIndex_v2' }, OPTIONS);
    expect(machine.source.devices()).toEqual([
      expect.objectContaining({ uuid: 'GPU-index-0', uuidIsDerived: true, index: 0 }),
      expect.objectContaining({ uuid: 'GPU-fa4e0000-0000-4000-8000-000000000001', index: 1 }),
    ]);
    expect(await states(machine)).toBe('1 ok');
    machine.driver.script('gpus 2');
    await becomes(machine, '0 ok, 1 ok');
    expect(machine.source.devices().map(({ uuid }) => uuid.slice(-1))).toEqual(['0', '1']);
  });

  test('on two GPUs, one after the other: both are left out', async () => {
    const machine = await startMachine({ script: 'gpus 3' }, OPTIONS);
    await states(machine);
    machine.driver.script('gpus 3\ngpu 0 hang nvmlDeviceGetPowerUsage\ngpu 2 hang nvmlDeviceGetUtilizationRates');
    expect(await states(machine)).toBe('1 ok');
    expect(machine.source.devices()).toHaveLength(3);
    expect(machine.source.notices()).toHaveLength(2);
  });

  test('on the only GPU: it is listed, and sampling fails with the call’s name until it returns', async () => {
    const machine = await startMachine({ script: 'gpus 1\ngpu 0 hang nvmlDeviceGetName' }, OPTIONS);
    expect(machine.source.devices()).toHaveLength(1);
    await expect(machine.source.sample(1)).rejects.toMatchObject({
      code: 'NVML_TIMEOUT',
      params: { call: 'nvmlDeviceGetName' },
    });
    machine.driver.script('gpus 1');
    await until(() => stuckThreads() === 0);
    await becomes(machine, '0 ok');
  });

  test('in init: sampling fails with the call’s name and for how long, and goes on when init returns', async () => {
    const machine = await startMachine({ script: 'gpus 2\nhang nvmlInit_v2' }, { ...OPTIONS, probeMs: 100 });
    expect(machine.source.devices()).toEqual([]);
    await expect(machine.source.sample(1)).rejects.toMatchObject({
      code: 'NVML_STARTING',
      params: { call: 'nvmlInit_v2' },
    });
    expect(machine.source.notices()).toEqual([
      { key: 'notice.driver-starts', params: { call: 'nvmlInit_v2', seconds: expect.any(Number) } },
    ]);
    // It is waited for, not begun again; another source does not add a thread to a driver that hangs as a whole.
    await expect(machine.source.sample(2)).rejects.toMatchObject({ code: 'NVML_STARTING' });
    expect(machine.driver.calls('nvmlInit_v2')).toBe(1);
    await expect(startMachine({}, OPTIONS)).rejects.toMatchObject({ code: 'NVML_TIMEOUT' });
    expect(stuckThreads()).toBe(1);
    machine.driver.script('gpus 2');
    expect(await states(machine)).toBe('0 ok, 1 ok');
    expect(machine.source.notices()).toEqual([]);
  });

  test('on a GPU after a slow init: the others do not wait for it', async () => {
    const script = 'gpus 2\ngpu 1 hang nvmlDeviceGetName';
    const machine = await startMachine({ script: `${script}\nhang nvmlInit_v2` }, { ...OPTIONS, probeMs: 2 * HANG_MS });
    await expect(machine.source.sample(1)).rejects.toMatchObject({ code: 'NVML_STARTING' });
    machine.driver.script(script);
    await until(() => machine.driver.calls('nvmlDeviceGetName', 1) > 0);
    while ((await states(machine).catch(() => '')) !== '0 ok') await new Promise((resolve) => setTimeout(resolve, 50));
    expect(machine.source.devices().map(({ index }) => index)).toEqual([0, 1]);
  });

  test('in init for less than the probe waits is nothing but a slow start', async () => {
    const machine = await startMachine({ script: 'gpus 1\ndelay nvmlInit_v2 1500' }, OPTIONS);
    expect(machine.source.devices()).toHaveLength(1);
    expect(stuckThreads()).toBe(0);
  });

  test('on no GPU in particular: sampling fails with the call’s name, and goes on when it returns', async () => {
    const machine = await startMachine({ script: 'gpus 1' }, OPTIONS);
    machine.driver.script('gpus 1\nhang nvmlShutdown\ngeneration 1');
    await machine.source.sample(1);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await expect(machine.source.sample(2)).rejects.toMatchObject({
      code: 'NVML_TIMEOUT',
      params: { call: 'nvmlShutdown' },
    });
    machine.driver.script('gpus 1\ngeneration 1');
    await becomes(machine, '0 ok');
    expect(stuckThreads()).toBe(0);
  });

  test('does not keep close() from resolving, nor a call that is under way from settling', async () => {
    const machine = await startMachine({ script: 'gpus 1' }, OPTIONS);
    machine.driver.script('gpus 1\nhang nvmlDeviceGetUtilizationRates');
    const pending = machine.source.sample(1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await machine.source.close();
    expect(await pending).toBeNull();
    expect(stuckThreads()).toBe(1);
  });
});

/** A program that samples a GPU on which a call hangs for ever, closes the source after a while, and wants to end. */
const PROGRAM = `
  const { systemClock } = await import('../../model/clock.ts');
  const { openNvml } = await import('./nvml-source.ts');
  const [library, root, ending] = process.argv.slice(1);
  const probe = await openNvml({ clock: systemClock, library, root, probeMs: 500 });
  if (probe.ok) {
    void probe.source.sample(1);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await probe.source.close();
  }
  console.log(probe.ok ? 'sampled' : probe.reason.code);
  process.exitCode = 5;
  if (ending === 'exit') process.exit(6);
  if (ending === 'throw') throw new Error('thrown');
`;

describe.skipIf(!HAS_FAKE_DRIVER)('a process with a thread that hangs', () => {
  test.each([
    ['hang nvmlDeviceGetUtilizationRates', 'by running out of work', 5, 'sampled'],
    ['hang nvmlDeviceGetUtilizationRates', 'exit', 6, 'sampled'],
    ['hang nvmlDeviceGetUtilizationRates', 'throw', 1, 'sampled'],
    ['hang nvmlInit_v2', 'by running out of work', 5, 'sampled'],
  ])('%s, %s: ends with code %i and all of its output', async (script, ending, code, output) => {
    const driver = new FakeDriver({ script });
    const child = spawn(
      process.execPath,
      ['--input-type=module', '--eval', PROGRAM, '--', driver.library, driver.root, ending],
      { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'ignore'] },
    );
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
    const ended = await new Promise((resolve) => child.on('close', resolve));
    expect([ended, printed.trim()]).toEqual([code, output]);
    driver.dispose();
  });
});
