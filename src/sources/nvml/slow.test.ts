import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../model/clock.ts';
import { HAS_FAKE_DRIVER } from './fake-driver.ts';
import { type FakeMachine, startMachine, stopMachines } from './fake-machine.ts';

afterEach(stopMachines);

/** Samples for so many seconds, one tick per 200 ms or as fast as they come, and counts the samples of each GPU. */
async function watch({ source }: FakeMachine, seconds: number): Promise<{ counts: number[]; longestMs: number }> {
  const counts: number[] = [];
  const end = performance.now() + seconds * 1000;
  let longestMs = 0;
  while (performance.now() < end) {
    const started = performance.now();
    const tick = await source.sample(systemClock.now());
    const lastedMs = performance.now() - started;
    longestMs = Math.max(longestMs, lastedMs);
    for (const { device } of tick?.devices ?? []) counts[device.index] = (counts[device.index] ?? 0) + 1;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, 200 - lastedMs)));
  }
  return { counts, longestMs };
}

describe.skipIf(!HAS_FAKE_DRIVER)('calls that take long', () => {
  test('on one GPU do not slow the others down; its samples come as often as it can give them', async () => {
    const machine = await startMachine({ script: 'gpus 4' }, { clock: systemClock });
    machine.driver.script('gpus 4\ngpu 2 delay * 60');
    await watch(machine, 6);
    const { counts, longestMs } = await watch(machine, 5);
    for (const index of [0, 1, 3]) expect(counts[index]).toBeGreaterThan(15);
    expect(counts[2]).toBeGreaterThanOrEqual(1);
    expect(counts[2]).toBeLessThan(8);
    expect(longestMs).toBeLessThan(2000);
    expect(machine.source.devices()).toHaveLength(4);
  });

  test('on every GPU are shared out among threads; no GPU is left out, and no tick waits for all', async () => {
    const machine = await startMachine({ script: 'gpus 6' }, { clock: systemClock });
    machine.driver.script('gpus 6\ndelay * 15');
    await watch(machine, 8);
    const { counts, longestMs } = await watch(machine, 6);
    expect(counts).toHaveLength(6);
    for (const count of counts) expect(count).toBeGreaterThanOrEqual(2);
    expect(longestMs).toBeLessThan(3000);
    machine.driver.script('gpus 6');
    expect((await watch(machine, 4)).counts).toHaveLength(6);
  });
});
