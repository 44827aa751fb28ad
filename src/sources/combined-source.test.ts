import { describe, expect, test } from 'vitest';
import { AppError } from '../model/errors.ts';
import { ManualClock } from '../model/manual-clock.ts';
import type { Probe, Source } from '../model/ports.ts';
import type { Millis } from '../model/reading.ts';
import { ScriptedSource, testDevice, testSample } from '../model/scripted-source.ts';
import type { Tick } from '../model/tick.ts';
import { CombinedSource } from './combined-source.ts';
import { sourceContract } from './source.contract.ts';

const GONE = new AppError('NVML_DRIVER_NOT_LOADED', { library: 'x' });

function devicesOf(vendor: 'nvidia' | 'amd' | 'intel', ...indexes: number[]) {
  return indexes.map((index) => testDevice(index, { uuid: `${vendor}-${index}`, vendor }));
}

type Answer = 'tick' | 'fail' | 'hang';

/** A source whose n-th answer is the n-th of the list; the last one repeats. A hang ends with `release`. */
class Scripted extends ScriptedSource {
  readonly pending: (() => void)[] = [];

  constructor(vendor: 'nvidia' | 'amd' | 'intel', indexes: number[], answers: Answer[]) {
    const known = devicesOf(vendor, ...indexes);
    const tick = (at: Millis): Tick => ({
      at,
      monotonic: 0,
      devices: this.known.map((d) => testSample(d)),
      events: [],
    });
    super('live', known, (at, call) => {
      const answer = answers[Math.min(call, answers.length - 1)];
      if (answer === 'tick') return Promise.resolve(tick(at));
      if (answer === 'fail') return Promise.reject(GONE);
      return new Promise((resolve) => this.pending.push(() => resolve(tick(at))));
    });
  }
}

function seen(tick: Tick | null): string[] {
  return (tick?.devices ?? []).map(({ device }) => `${device.index} ${device.uuid}`);
}

sourceContract('combined', () =>
  Promise.resolve(
    new CombinedSource({
      sources: [new Scripted('nvidia', [0, 1], ['tick']), new Scripted('amd', [0], ['tick'])],
      clock: new ManualClock(),
    }),
  ),
);

describe('indexes', () => {
  test('the first source keeps its own, the others follow without a gap or a collision', async () => {
    const sources = [
      new Scripted('nvidia', [0, 2], ['tick']),
      new Scripted('amd', [0, 1], ['tick']),
      new Scripted('intel', [0], ['tick']),
    ];
    const source = new CombinedSource({ sources, clock: new ManualClock() });
    const want = ['0 nvidia-0', '2 nvidia-2', '3 amd-0', '4 amd-1', '5 intel-0'];
    expect(seen(await source.sample(1))).toEqual(want);
    expect(source.devices().map(({ index, uuid }) => `${index} ${uuid}`)).toEqual(want);
  });

  test('a device that is added to the first source pushes the others back', async () => {
    const nvidia = new Scripted('nvidia', [0], ['tick']);
    const source = new CombinedSource({
      sources: [nvidia, new Scripted('amd', [0], ['tick'])],
      clock: new ManualClock(),
    });
    expect(seen(await source.sample(1))).toEqual(['0 nvidia-0', '1 amd-0']);
    nvidia.known.push(...devicesOf('nvidia', 1));
    expect(seen(await source.sample(2))).toEqual(['0 nvidia-0', '1 nvidia-1', '2 amd-0']);
  });

  test('instances go on sharing the index of their card', async () => {
    const shared = new Scripted('amd', [], ['tick']);
    shared.known.push(
      testDevice(1, { uuid: 'card' }),
      testDevice(1, { uuid: 'part' }),
      testDevice(4, { uuid: 'next' }),
    );
    const source = new CombinedSource({
      sources: [new Scripted('nvidia', [0], ['tick']), shared],
      clock: new ManualClock(),
    });
    expect(seen(await source.sample(1))).toEqual(['0 nvidia-0', '1 card', '1 part', '2 next']);
  });

  test('events and notices name a device by the same index as the tick', async () => {
    const amd = new Scripted('amd', [0], ['tick']);
    const event = {
      at: 1,
      kind: 'gpu-back',
      severity: 'info',
      uuid: 'amd-0',
      params: { index: 0, name: 'x' },
    } as const;
    const noisy: Source = {
      ...base(amd),
      sample: async (at) => ({ ...(await amd.sample(at))!, events: [event] }),
      notices: () => [{ key: 'notice.gpu-hangs', params: { index: 0, call: 'x', seconds: 2 } }],
    };
    const source = new CombinedSource({
      sources: [new Scripted('nvidia', [0, 1], ['tick']), noisy],
      clock: new ManualClock(),
    });
    const tick = await source.sample(1);
    expect(tick?.events).toEqual([{ ...event, params: { index: 2, name: 'x' } }]);
    expect(source.notices()).toEqual([{ key: 'notice.gpu-hangs', params: { index: 2, call: 'x', seconds: 2 } }]);
  });
});

function base(source: ScriptedSource) {
  return {
    name: source.name,
    origin: 'live' as const,
    devices: () => source.devices(),
    close: () => source.close(),
  };
}

describe('one source never holds up the others', () => {
  test('a source that hangs is left out after a short time, and not waited for again', async () => {
    const clock = new ManualClock();
    const slow = new Scripted('nvidia', [0], ['tick', 'hang', 'tick']);
    const quick = new Scripted('amd', [0], ['tick']);
    const source = new CombinedSource({ sources: [slow, quick], clock, patienceMs: 250 });
    expect(seen(await source.sample(1))).toEqual(['0 nvidia-0', '1 amd-0']);
    const second = source.sample(2);
    await clock.advance(249);
    expect(await settledNow(second)).toBe(false);
    await clock.advance(1);
    expect(seen(await second)).toEqual(['1 amd-0']);
    // The next tick asks only the other, and is not held up at all.
    expect(seen(await source.sample(3))).toEqual(['1 amd-0']);
    expect([slow.calls, quick.calls]).toEqual([2, 3]);
    await clock.advance(4000);
    expect(source.notices()).toEqual([{ key: 'notice.source-late', params: { name: 'scripted', seconds: 4 } }]);
    // What comes late rides on the next tick, with its own devices once.
    slow.pending[0]?.();
    await clock.advance(0);
    expect(seen(await source.sample(4))).toEqual(['0 nvidia-0', '1 amd-0']);
    expect(slow.calls).toBe(3);
    expect(source.notices()).toEqual([]);
  });

  test('a source that never answers does not keep the first tick from coming', async () => {
    const clock = new ManualClock();
    const source = new CombinedSource({
      sources: [new Scripted('nvidia', [0], ['hang']), new Scripted('intel', [0], ['tick'])],
      clock,
    });
    const first = source.sample(1);
    await clock.advance(2000);
    expect(seen(await first)).toEqual(['1 intel-0']);
    expect(source.devices().length).toBe(2);
  });

  test('a source that fails is a notice while others answer, and an error when none does', async () => {
    const clock = new ManualClock();
    const amd = new Scripted('amd', [0], ['tick', 'tick', 'fail']);
    const source = new CombinedSource({ sources: [new Scripted('nvidia', [0], ['tick', 'fail']), amd], clock });
    await source.sample(1);
    expect(seen(await source.sample(2))).toEqual(['1 amd-0']);
    expect(source.notices()).toEqual([
      { key: 'notice.source-failed', params: { name: 'scripted', code: 'NVML_DRIVER_NOT_LOADED' } },
    ]);
    await expect(source.sample(3)).rejects.toBe(GONE);
  });

  test('a failure does not end a tick for which a slow source could still answer', async () => {
    const clock = new ManualClock();
    const slow = new Scripted('amd', [0], ['hang']);
    const source = new CombinedSource({ sources: [new Scripted('nvidia', [0], ['fail']), slow], clock });
    const tick = source.sample(1);
    await clock.advance(10_000);
    expect(await settledNow(tick)).toBe(false);
    slow.pending[0]?.();
    expect(seen(await tick)).toEqual(['1 amd-0']);
  });

  test('closing ends a tick that is waited for, and closes every source', async () => {
    const sources = [new Scripted('nvidia', [0], ['hang']), new Scripted('amd', [0], ['hang'])];
    const source = new CombinedSource({ sources, clock: new ManualClock() });
    const tick = source.sample(1);
    await source.close();
    expect(await tick).toBeNull();
    expect(sources.map(({ closed }) => closed)).toEqual([true, true]);
  });
});

describe('a source that is missing', () => {
  const missing = (open: () => Promise<Probe>) => ({
    name: 'nvml',
    reason: GONE,
    isFirst: true,
    isRemark: false,
    open,
  });

  test('is told, tried again, and takes its place in front', async () => {
    const clock = new ManualClock();
    const probes: Probe[] = [
      { ok: false, reason: GONE },
      { ok: true, source: new Scripted('nvidia', [0, 1], ['tick']) },
    ];
    const source = new CombinedSource({
      sources: [new Scripted('amd', [0], ['tick'])],
      missing: [missing(() => Promise.resolve(probes.shift()!))],
      clock,
    });
    expect(seen(await source.sample(1))).toEqual(['0 amd-0']);
    expect(source.notices()).toEqual([
      { key: 'notice.source-missing', params: { name: 'nvml', code: 'NVML_DRIVER_NOT_LOADED' } },
    ]);
    await clock.advance(60_000);
    expect(seen(await source.sample(2))).toEqual(['0 amd-0']);
    await clock.advance(60_000);
    expect(seen(await source.sample(3))).toEqual(['0 nvidia-0', '1 nvidia-1', '2 amd-0']);
    expect(source.notices()).toEqual([]);
    await clock.advance(600_000);
    expect(probes).toEqual([]);
  });

  test('that turns up while everything is closed is closed as well', async () => {
    const clock = new ManualClock();
    const late = new Scripted('nvidia', [0], ['tick']);
    const opened = Promise.withResolvers<Probe>();
    const source = new CombinedSource({
      sources: [new Scripted('amd', [0], ['tick'])],
      missing: [missing(() => opened.promise)],
      clock,
    });
    await clock.advance(60_000);
    await source.close();
    opened.resolve({ ok: true, source: late });
    await clock.advance(0);
    expect(late.closed).toBe(true);
  });
});

async function settledNow(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending;
}
