import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../model/clock.ts';
import type { DeviceSample } from '../../model/tick.ts';
import { HAS_FAKE_DRIVER } from './fake-driver.ts';
import { startMachine, stopMachines } from './fake-machine.ts';

afterEach(stopMachines);

const LEAKED = 'leaked GPM samples';

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

describe.skipIf(!HAS_FAKE_DRIVER)('what says more of a GPU than the reading of one moment', () => {
  test('is in the tick, and given back when the driver is closed', async () => {
    const machine = await startMachine({ script: 'gpus 2\ngpu 1 gpm off' });
    const first = await machine.tick();
    expect(first.devices.map(({ readings }) => readings.get('power_peak_watts'))).toEqual([235.4, 235.4]);
    await pause(120);
    const { devices } = await machine.tick();
    expect(devices.map(({ readings }) => readings.get('sm_active_ratio'))).toEqual([0.1, { absent: 'not-supported' }]);
    await machine.source.close();
    expect(machine.driver.calls('nvmlGpmSampleFree')).toBe(2);
    expect(machine.driver.calls(LEAKED)).toBe(0);
  });

  test('is given back when the driver is opened anew', async () => {
    const machine = await startMachine({ script: 'gpus 1' });
    await machine.tick();
    machine.driver.script('gpus 1\ngeneration 2');
    for (let tick = 0; tick < 5; tick++) await machine.tick();
    expect(machine.driver.calls('nvmlShutdown')).toBe(1);
    expect(machine.driver.calls('nvmlGpmSampleAlloc')).toBe(4);
    expect(machine.driver.calls(LEAKED)).toBe(0);
  });

  test('is never asked for by two threads at once: while a call hangs, the other GPUs do without it', async () => {
    const options = { clock: systemClock, patience: { hangMs: 500, openHangMs: 500, muteMs: 2500, calmMs: 300 } };
    const { driver, source } = await startMachine({ script: 'gpus 3' }, options);
    const sample = async (): Promise<readonly DeviceSample[]> => {
      await pause(120);
      return (await source.sample(systemClock.now()))?.devices ?? [];
    };
    for (let tick = 0; tick < 3; tick++) await sample();
    driver.script('gpus 3\ngpu 1 hang nvmlGpmSampleGet');
    await sample();
    const before = driver.calls('nvmlGpmSampleGet');
    const others = await sample();
    expect(others.map(({ device, state }) => `${device.index} ${state}`)).toEqual(['0 ok', '2 ok']);
    expect(others.map(({ readings }) => readings.get('temperature_celsius'))).toEqual([41, 41]);
    expect(driver.calls('nvmlGpmSampleGet')).toBe(before);
    driver.script('gpus 3\ngpm * 2 value 33');
    for (let tick = 0, isThere = false; !isThere; tick++) {
      const devices = await sample();
      isThere = devices.length === 3 && devices.every(({ readings }) => readings.get('sm_active_ratio') === 0.33);
      expect(tick).toBeLessThan(40);
    }
  });
});
