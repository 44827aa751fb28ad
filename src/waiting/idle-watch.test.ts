import { describe, expect, test } from 'vitest';
import { slotOf } from '../model/catalogue.ts';
import type { GpuProcess } from '../model/process.ts';
import { absent } from '../model/reading.ts';
import { ReadingSet } from '../model/reading-set.ts';
import { testDevice, testSample } from '../model/scripted-source.ts';
import type { DeviceSample, Tick } from '../model/tick.ts';
import { IdleWatch } from './idle-watch.ts';
import type { GpuRequest } from './request.ts';

const DEVICE = testDevice(0);
const REQUEST: GpuRequest = {
  gpus: 1,
  freeMemory: { ratio: 0.9 },
  idleMs: 3000,
  idleRatio: 0.05,
  isShared: false,
  wanted: () => true,
};
const NOBODY: ReadonlySet<string> = new Set();
const PROCESS: GpuProcess = { pid: 7, kind: 'compute', name: 'python', user: 'lin', memoryBytes: 1 };

function sample(use: number | null, more: Partial<DeviceSample> = {}, used = 1): DeviceSample {
  const readings = new ReadingSet();
  if (use !== null) readings.setValue(slotOf('utilization_ratio'), use);
  readings.setValue(slotOf('memory_total_bytes'), 80);
  readings.setValue(slotOf('memory_used_bytes'), used);
  return testSample(DEVICE, { readings, processes: [], ...more });
}

function tick(second: number, ...devices: readonly DeviceSample[]): Tick {
  return { at: 0, monotonic: second * 1000, devices, events: [] };
}

/** How the GPU stands after samples one second apart. */
function standingAfter(samples: readonly (DeviceSample | null)[], request = REQUEST, claimed = NOBODY) {
  const watch = new IdleWatch(request);
  for (const [second, one] of samples.entries()) watch.observe(tick(second, ...(one === null ? [] : [one])), claimed);
  return watch.standings((samples.length - 1) * 1000)[0];
}

describe('idle', () => {
  test('for as long as is asked for is free', () => {
    const idle = [0, 1, 2, 3].map(() => sample(0));
    expect(standingAfter(idle.slice(0, 3))).toMatchObject({ isFree: false, obstacle: null, idleMs: 2000 });
    expect(standingAfter(idle)).toMatchObject({ isFree: true, idleMs: 3000 });
  });

  test('a step in between begins it anew', () => {
    expect(standingAfter([sample(0), sample(0), sample(0.8), sample(0), sample(0)])).toMatchObject({
      isFree: false,
      idleMs: 1000,
    });
  });

  test('what nobody has seen for a while is not known to have been idle', () => {
    const watch = new IdleWatch(REQUEST);
    watch.observe(tick(0, sample(0)), NOBODY);
    watch.observe(tick(60, sample(0)), NOBODY);
    expect(watch.standings(60_000)[0]).toMatchObject({ isFree: false, idleMs: 0 });
    expect(watch.standings(90_000)[0]).toMatchObject({ isFree: false, obstacle: 'unwell' });
  });
});

describe('in the way is', () => {
  const now = { ...REQUEST, idleMs: 0 };
  test.each([
    ['nothing', sample(0.05), null],
    ['work', sample(0.06), 'busy'],
    ['somebody who computes, however idle', sample(0, { processes: [PROCESS] }), 'processes'],
    ['nobody who only draws', sample(0, { processes: [{ ...PROCESS, kind: 'graphics' }] }), null],
    ['memory, whoever has it', sample(0, {}, 30), 'memory'],
    ['a card that is lost', sample(0, { state: 'lost' }), 'unwell'],
    ['a card that gives no data', sample(0, { state: 'stale' }), 'unwell'],
    ['nothing where it sleeps', testSample(DEVICE, { state: 'asleep', processes: absent('asleep') }), null],
    ['that nobody knows', testSample(DEVICE, { processes: [] }), 'unknown'],
  ])('%s', (_, one, obstacle) => {
    expect(standingAfter([one], now)?.obstacle).toBe(obstacle);
  });

  test('a claim of somebody else', () => {
    expect(standingAfter([sample(0)], now, new Set([DEVICE.uuid]))?.obstacle).toBe('claimed');
  });

  test('no process where GPUs are shared, but its work and its memory', () => {
    const shared = { ...now, isShared: true };
    expect(standingAfter([sample(0, { processes: [PROCESS] })], shared)?.obstacle).toBeNull();
    expect(standingAfter([sample(0.5, { processes: [PROCESS] })], shared)?.obstacle).toBe('busy');
    expect(standingAfter([sample(0, { processes: [PROCESS] }, 30)], shared)?.obstacle).toBe('memory');
  });
});
