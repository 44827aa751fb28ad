import { describe, expect, test } from 'vitest';
import type { GpuEvent } from '../model/event.ts';
import type { History } from '../model/ports.ts';
import { rangeContract } from './history-ranges.contract.ts';
import { BITS, HistoryUnderTest, POWER, UTIL } from './history-under-test.ts';
import { START, sampleDevice, sampleEvent, sampleTick } from './sample-ticks.ts';

/**
 * What every history promises, wherever it keeps its data. `open` opens the history of that name, an empty one where the
 * name is new; data of the test comes from 2026, so it must keep data of any age.
 */
export function historyContract(name: string, open: (place: string) => Promise<History>): void {
  describe(`${name} keeps the history contract`, () => {
    const its = new HistoryUnderTest(open);

    describe('while empty', () => {
      test('knows no device, no event and no time span', async () => {
        expect(await its.history.devices()).toEqual([]);
        expect(await its.events()).toEqual([]);
        expect(await its.history.extent()).toBeNull();
      });

      test('answers a range with buckets that hold nothing', async () => {
        const grid = await its.range({ devices: ['GPU-0', 'unheard-of'], metrics: [UTIL, BITS] });
        expect(grid.at.length).toBeGreaterThan(0);
        expect(grid.series.map(({ device, metric }) => [device, metric])).toEqual([
          ['GPU-0', UTIL],
          ['GPU-0', BITS],
          ['unheard-of', UTIL],
          ['unheard-of', BITS],
        ]);
        for (const series of grid.series) {
          expect(series.count).toEqual(grid.at.map(() => 0));
          for (const column of [series.min, series.mean, series.max]) expect(column).toEqual(grid.at.map(() => null));
        }
      });

      test('is well and flushes at once', async () => {
        await its.history.flush();
        expect(its.history.status()).toMatchObject({ droppedTicks: 0, failure: null });
      });
    });

    rangeContract(its);

    describe('events', () => {
      test('come back as they were, oldest first', async () => {
        const xid: GpuEvent = {
          at: START + 2000,
          kind: 'xid',
          severity: 'critical',
          uuid: 'GPU-1',
          params: { index: 1, code: 79, name: '它' },
        };
        const marker = sampleEvent(START + 1000, null, { text: 'epoch 1' });
        await its.store(sampleTick(START + 2000, [], [xid]), sampleTick(START + 3000, [], [marker]));
        expect(await its.events()).toEqual([marker, xid]);
      });

      test('of equal time keep the order in which they came', async () => {
        const three = [1, 2, 3].map((step) => sampleEvent(START, null, { step }));
        await its.store(sampleTick(START, [], three));
        expect(await its.events()).toEqual(three);
      });

      test('one that goes on takes the place of its older state, and keeps the time at which it began', async () => {
        const state = (step: number, key: string): GpuEvent => ({
          ...sampleEvent(START + step, 'GPU-0', { step }),
          severity: step > 1 ? 'critical' : 'info',
          key,
        });
        await its.store(sampleTick(START, [], [state(0, 'a'), state(1, 'b')]), sampleTick(START, [], [state(2, 'a')]));
        const newer = { ...state(2, 'a'), at: START };
        expect(await its.events()).toEqual([newer, state(1, 'b')]);
        await its.reopen();
        await its.store(sampleTick(START, [], [state(3, 'b'), sampleEvent(START + 4, null)]));
        expect(await its.events()).toEqual([newer, { ...state(3, 'b'), at: START + 1 }, sampleEvent(START + 4, null)]);
      });

      test('the limit keeps the newest', async () => {
        const five = [1, 2, 3, 4, 5].map((step) => sampleEvent(START + step, null, { step }));
        await its.store(sampleTick(START, [], five));
        expect((await its.events({ limit: 2 })).map(({ params }) => params['step'])).toEqual([4, 5]);
      });

      test('from is inclusive, to is exclusive', async () => {
        await its.store(
          sampleTick(
            START,
            [],
            [0, 1, 2].map((step) => sampleEvent(START + step, null, { step })),
          ),
        );
        const found = await its.events({ from: START + 1, to: START + 2 });
        expect(found.map(({ params }) => params['step'])).toEqual([1]);
      });

      test('of one device come with those of the host', async () => {
        const all = ['GPU-0', null, 'GPU-1'].map((uuid, step) => sampleEvent(START + step, uuid));
        await its.store(sampleTick(START, [], all));
        expect(await its.events({ device: 'GPU-1' })).toEqual([all[1], all[2]]);
        expect(await its.events({ device: 'unheard-of' })).toEqual([all[1]]);
      });
    });

    describe('devices and time span', () => {
      test('every device with its newest facts, by index', async () => {
        const old = sampleTick(START, [{}, {}]);
        const swapped = old.devices.map((sample, i) => ({
          ...sample,
          device: sampleDevice(i, { index: 1 - i, driverVersion: '580.1', uuidIsDerived: true, serial: `${i}` }),
        }));
        await its.store(old);
        expect(await its.history.devices()).toEqual([sampleDevice(0), sampleDevice(1)]);
        await its.store({ ...old, at: START + 1000, devices: swapped });
        expect(await its.history.devices()).toEqual([swapped[1]?.device, swapped[0]?.device]);
      });

      test('what a device is cut out of, and what is known of it, comes back', async () => {
        const device = sampleDevice(0, {
          mig: { parent: 'GPU-9', gpuInstance: 1, computeInstance: 0, profile: '3g.40gb' },
          facts: { architecture: 'Hopper', vbios: '96.00' },
        });
        const tick = sampleTick(START, [{}]);
        await its.store({ ...tick, devices: tick.devices.map((sample) => ({ ...sample, device })) });
        expect(await its.history.devices()).toEqual([device]);
      });

      test('a device that appears, or changes, between two looks is seen', async () => {
        await its.store(sampleTick(START, [{}]));
        expect(await its.history.devices()).toHaveLength(1);
        expect(await its.history.devices()).toHaveLength(1);
        its.history.accept(sampleTick(START + 1000, [{}, {}]));
        expect(await its.history.devices()).toHaveLength(2);
        await its.history.flush();
        expect(await its.history.devices()).toHaveLength(2);
      });

      test('a device that is gone stays listed', async () => {
        await its.store(sampleTick(START, [{}, {}]), sampleTick(START + 1000, [{}]));
        expect((await its.history.devices()).map(({ uuid }) => uuid)).toEqual(['GPU-0', 'GPU-1']);
      });

      test('the span goes from the oldest sample to the newest, in whatever order they came', async () => {
        await its.store(...[5000, 1000, 3000].map((late) => sampleTick(START + late, [{ [UTIL]: 0.5 }])));
        expect(await its.history.extent()).toEqual({ from: START + 1000, to: START + 5000 });
      });
    });

    test('opened again it holds the same', async () => {
      await its.store(
        sampleTick(START, [{ [UTIL]: 0.1, [POWER]: 70 }, null], [sampleEvent(START, 'GPU-0', { text: 'a' })]),
        sampleTick(START + 1000, [{ [UTIL]: 0.2 }, { [UTIL]: 0.3 }]),
      );
      const look = async () => [
        await its.history.devices(),
        await its.history.extent(),
        await its.events(),
        await its.range({ devices: ['GPU-0', 'GPU-1'], metrics: [UTIL, POWER] }),
      ];
      const before = await look();
      await its.reopen();
      expect(await look()).toEqual(before);
      await its.store(sampleTick(START, [{ [UTIL]: 0.7 }]));
      expect((await its.range({ points: 1 })).series[0]).toMatchObject({ max: [0.7], count: [3] });
    });

    test('closes, and closes again without complaint', async () => {
      its.history.accept(sampleTick(START, [{ [UTIL]: 0.5 }]));
      await its.history.close();
      await its.history.close();
      its.history.accept(sampleTick(START, [{ [UTIL]: 0.5 }]));
      await expect(its.history.extent()).rejects.toMatchObject({ name: 'AppError' });
      await its.reopen();
      expect(await its.history.extent()).toEqual({ from: START, to: START });
    });
  });
}
