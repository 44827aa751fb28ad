import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { MetricId } from '../model/catalogue.ts';
import type { GpuEvent } from '../model/event.ts';
import type { EventQuery, Grid, History, RangeQuery } from '../model/ports.ts';
import type { Millis } from '../model/reading.ts';
import type { Tick } from '../model/tick.ts';
import { START, sampleDevice, sampleEvent, sampleTick, type Values } from './sample-ticks.ts';

const UTIL: MetricId = 'utilization_ratio';
const POWER: MetricId = 'power_watts';
const BITS: MetricId = 'clock_event_reasons';

/**
 * What every history promises, wherever it keeps its data. `open` opens the history of that name, an empty one where the
 * name is new; data of the test comes from 2026, so it must keep data of any age.
 */
export function historyContract(name: string, open: (place: string) => Promise<History>): void {
  describe(`${name} keeps the history contract`, () => {
    let places = 0;
    let history: History;

    beforeEach(async () => {
      places++;
      history = await open(`place-${places}`);
    });

    afterEach(() => history.close());

    async function reopen(): Promise<void> {
      await history.close();
      history = await open(`place-${places}`);
    }

    async function store(...ticks: Tick[]): Promise<void> {
      for (const tick of ticks) history.accept(tick);
      await history.flush();
    }

    /** One value of the first device per second from START on; a hole is no tick at all. */
    async function storeSeconds(metric: MetricId, ...values: (number | null | 'no tick')[]): Promise<void> {
      const ticks = values.flatMap((value, second) =>
        value === 'no tick' ? [] : [sampleTick(START + second * 1000, [{ [metric]: value }])],
      );
      await store(...ticks);
    }

    function range(query: Partial<RangeQuery>): Promise<Grid> {
      return history.range({
        metrics: [UTIL],
        devices: ['GPU-0'],
        from: START,
        to: START + 10_000,
        points: 10,
        ...query,
      });
    }

    function events(query: Partial<EventQuery> = {}): Promise<readonly GpuEvent[]> {
      return history.events({ from: START, to: START + 60_000, limit: 100, ...query });
    }

    describe('while empty', () => {
      test('knows no device, no event and no time span', async () => {
        expect(await history.devices()).toEqual([]);
        expect(await events()).toEqual([]);
        expect(await history.extent()).toBeNull();
      });

      test('answers a range with buckets that hold nothing', async () => {
        const grid = await range({ devices: ['GPU-0', 'unheard-of'], metrics: [UTIL, BITS] });
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
        await history.flush();
        expect(history.status()).toMatchObject({ droppedTicks: 0, failure: null });
      });
    });

    describe('ranges', () => {
      test('one value', async () => {
        await storeSeconds(UTIL, 0.5);
        const grid = await range({ to: START + 1000, points: 1 });
        expect(grid).toMatchObject({ from: START, to: START + 1000, bucketMs: 1000, at: [START] });
        expect(grid.series).toEqual([
          { device: 'GPU-0', metric: UTIL, min: [0.5], mean: [0.5], max: [0.5], count: [1] },
        ]);
      });

      test('minimum, mean, maximum and count per bucket', async () => {
        await storeSeconds(POWER, 100, 300, 200, 50, 50);
        const { series, bucketMs } = await range({ metrics: [POWER], points: 2 });
        expect(bucketMs).toBe(5000);
        expect(series).toEqual([
          { device: 'GPU-0', metric: POWER, min: [50, null], mean: [140, null], max: [300, null], count: [5, 0] },
        ]);
      });

      test('from is inclusive, to is exclusive', async () => {
        await storeSeconds(UTIL, 0.1, 0.2, 0.3, 0.4);
        const { series } = await range({ from: START + 1000, to: START + 3000, points: 2 });
        expect(series[0]?.mean).toEqual([0.2, 0.3]);
      });

      test('a bucket cut by the range counts only what lies in the range', async () => {
        await storeSeconds(UTIL, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1);
        const grid = await range({ from: START + 2000, to: START + 8000, points: 2 });
        expect([grid.bucketMs, grid.at]).toEqual([5000, [START, START + 5000]]);
        expect(grid.series[0]?.count).toEqual([3, 3]);
        expect(grid.series[0]?.max).toEqual([0.5, 0.8]);
      });

      test('a gap is a gap', async () => {
        await storeSeconds(UTIL, 0.5, 0.5, 'no tick', 'no tick', 'no tick', 0.7, 0.7);
        const { series, intervalMs } = await range({ to: START + 7000, points: 7 });
        expect(intervalMs).toBe(1000);
        expect(series[0]?.mean).toEqual([0.5, 0.5, null, null, null, 0.7, 0.7]);
        expect(series[0]?.count).toEqual([1, 1, 0, 0, 0, 1, 1]);
      });

      test('absent is not zero: it neither shows nor counts', async () => {
        await storeSeconds(UTIL, 0, null, 0, 0.6);
        const single = await range({ to: START + 4000, points: 4 });
        expect(single.series[0]?.mean).toEqual([0, null, 0, 0.6]);
        expect(single.series[0]?.count).toEqual([1, 0, 1, 1]);
        const { series } = await range({ points: 1 });
        expect(series[0]).toMatchObject({ min: [0], max: [0.6], count: [3] });
        expect(series[0]?.mean[0]).toBeCloseTo(0.2);
      });

      test('a lost device has no values, and the others go on', async () => {
        await store(
          sampleTick(START, [{ [UTIL]: 0.1 }, { [UTIL]: 0.2 }]),
          sampleTick(START + 1000, [{ [UTIL]: 0.1 }, null]),
        );
        const { series } = await range({ devices: ['GPU-0', 'GPU-1'], to: START + 2000, points: 2 });
        expect(series.map(({ mean }) => mean)).toEqual([
          [0.1, 0.1],
          [0.2, null],
        ]);
      });

      test.each([
        ['wide buckets', 1, { min: [0x4], max: [0x2c], count: [12] }],
        ['narrow buckets', 4, { min: [0x4, 0xc, 0x4], max: [0xc, 0xc, 0x24], count: [5, 5, 2] }],
      ])('bit sets are joined by OR and AND, and have no mean: %s', async (_, points, expected) => {
        await storeSeconds(BITS, 0xc, 0x4, 0xc, 0xc, 0xc, 0xc, 0xc, 0xc, 0xc, 0xc, 0x24, 0x4);
        const { series } = await range({ metrics: [BITS], to: START + 15_000, points });
        expect(series[0]).toMatchObject({ ...expected, mean: expected.count.map(() => null) });
      });

      test('the highest of 32 bits is no sign', async () => {
        await storeSeconds(BITS, 2 ** 31, 2 ** 31 + 1);
        const { series } = await range({ metrics: [BITS], points: 1 });
        expect(series[0]).toMatchObject({ min: [2 ** 31], max: [2 ** 31 + 1] });
      });

      test('a counter is what it was', async () => {
        await storeSeconds('energy_joules_total', 1e12 + 0.25, 5);
        const { series } = await range({ metrics: ['energy_joules_total'], to: START + 2000, points: 2 });
        expect(series[0]?.max).toEqual([1e12 + 0.25, 5]);
      });

      test('devices and metrics share one grid, device by device', async () => {
        const both = (util: number, power: number): Values => ({ [UTIL]: util, [POWER]: power });
        await store(
          sampleTick(START, [both(0.1, 100), both(0.2, 200)]),
          sampleTick(START + 1000, [both(0.3, 300), both(0.4, 400)]),
        );
        const grid = await range({
          devices: ['GPU-1', 'GPU-0'],
          metrics: [POWER, UTIL],
          to: START + 2000,
          points: 2,
        });
        expect(grid.at).toEqual([START, START + 1000]);
        expect(grid.series.map(({ device, metric, mean }) => [device, metric, mean])).toEqual([
          ['GPU-1', POWER, [200, 400]],
          ['GPU-1', UTIL, [0.2, 0.4]],
          ['GPU-0', POWER, [100, 300]],
          ['GPU-0', UTIL, [0.1, 0.3]],
        ]);
      });

      test.each([
        [1, 0, 10_000],
        [3, 123, 59_999],
        [500, 17, 3_600_000],
        [500, 1, 86_400_000],
        [7, 0, 30 * 86_400_000],
        [11_000, 0, 86_400_000],
      ])(
        '%i points from +%i to +%i ms: aligned, covered, and no more points than wanted but one',
        async (points, from, to) => {
          const grid = await range({ from: START + from, to: START + to, points });
          const [first, last] = [grid.at[0] as Millis, grid.at.at(-1) as Millis];
          expect(grid.at.every((at, i) => at === first + i * grid.bucketMs)).toBe(true);
          expect(first % grid.bucketMs).toBe(0);
          expect(first).toBeLessThanOrEqual(START + from);
          expect(first + grid.bucketMs).toBeGreaterThan(START + from);
          expect(last).toBeLessThan(START + to);
          expect(last + grid.bucketMs).toBeGreaterThanOrEqual(START + to);
          expect(grid.at.length).toBeLessThanOrEqual(points + 1);
          expect(grid.series[0]?.count.length).toBe(grid.at.length);
        },
      );

      test('buckets are never narrower than the data is sampled', async () => {
        await store(...[0, 1, 2, 3, 4, 5].map((i) => sampleTick(START + i * 5000, [{ [UTIL]: 0.5 }])));
        const { bucketMs, intervalMs, series } = await range({ to: START + 30_000, points: 30 });
        expect([bucketMs, intervalMs]).toEqual([5000, 5000]);
        expect(series[0]?.count).toEqual([1, 1, 1, 1, 1, 1]);
      });

      test('ticks that come a little late do not double the width', async () => {
        await store(...[0, 1003, 2005, 3009, 4011].map((late) => sampleTick(START + late, [{ [UTIL]: 0.5 }])));
        expect((await range({ to: START + 5000, points: 100 })).bucketMs).toBe(1000);
      });

      test('an empty range has no buckets', async () => {
        expect((await range({ to: START })).at).toEqual([]);
      });

      test('a clock that is set back neither overwrites nor hides data', async () => {
        await storeSeconds(UTIL, 0.1, 0.2, 0.3, 0.4);
        await store(sampleTick(START + 1000, [{ [UTIL]: 0.9 }]), sampleTick(START + 2000, [{ [UTIL]: 0.8 }]));
        const { series } = await range({ to: START + 4000, points: 4 });
        expect(series[0]?.count).toEqual([1, 2, 2, 1]);
        expect(series[0]?.min).toEqual([0.1, 0.2, 0.3, 0.4]);
        expect(series[0]?.max).toEqual([0.1, 0.9, 0.8, 0.4]);
      });

      test('ticks of equal time are all kept', async () => {
        await store(...[0.1, 0.2, 0.3].map((value) => sampleTick(START, [{ [UTIL]: value }])));
        const { series } = await range({ to: START + 1000, points: 1 });
        expect(series[0]).toMatchObject({ min: [0.1], max: [0.3], count: [3] });
        expect(series[0]?.mean[0]).toBeCloseTo(0.2);
      });

      test('a tick may be changed by others after it was accepted', async () => {
        const tick = sampleTick(START, [{ [UTIL]: 0.5 }]);
        history.accept(tick);
        tick.devices[0]?.readings.values.fill(0.9);
        await history.flush();
        expect((await range({ to: START + 1000, points: 1 })).series[0]?.max).toEqual([0.5]);
      });
    });

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
        await store(sampleTick(START + 2000, [], [xid]), sampleTick(START + 3000, [], [marker]));
        expect(await events()).toEqual([marker, xid]);
      });

      test('of equal time keep the order in which they came', async () => {
        const three = [1, 2, 3].map((step) => sampleEvent(START, null, { step }));
        await store(sampleTick(START, [], three));
        expect(await events()).toEqual(three);
      });

      test('the limit keeps the newest', async () => {
        const five = [1, 2, 3, 4, 5].map((step) => sampleEvent(START + step, null, { step }));
        await store(sampleTick(START, [], five));
        expect((await events({ limit: 2 })).map(({ params }) => params['step'])).toEqual([4, 5]);
      });

      test('from is inclusive, to is exclusive', async () => {
        await store(
          sampleTick(
            START,
            [],
            [0, 1, 2].map((step) => sampleEvent(START + step, null, { step })),
          ),
        );
        const found = await events({ from: START + 1, to: START + 2 });
        expect(found.map(({ params }) => params['step'])).toEqual([1]);
      });

      test('of one device come with those of the host', async () => {
        const all = ['GPU-0', null, 'GPU-1'].map((uuid, step) => sampleEvent(START + step, uuid));
        await store(sampleTick(START, [], all));
        expect(await events({ device: 'GPU-1' })).toEqual([all[1], all[2]]);
        expect(await events({ device: 'unheard-of' })).toEqual([all[1]]);
      });
    });

    describe('devices and time span', () => {
      test('every device with its newest facts, by index', async () => {
        const old = sampleTick(START, [{}, {}]);
        const swapped = old.devices.map((sample, i) => ({
          ...sample,
          device: sampleDevice(i, { index: 1 - i, driverVersion: '580.1', uuidIsDerived: true, serial: `${i}` }),
        }));
        await store(old);
        expect(await history.devices()).toEqual([sampleDevice(0), sampleDevice(1)]);
        await store({ ...old, at: START + 1000, devices: swapped });
        expect(await history.devices()).toEqual([swapped[1]?.device, swapped[0]?.device]);
      });

      test('a device that is gone stays listed', async () => {
        await store(sampleTick(START, [{}, {}]), sampleTick(START + 1000, [{}]));
        expect((await history.devices()).map(({ uuid }) => uuid)).toEqual(['GPU-0', 'GPU-1']);
      });

      test('the span goes from the oldest sample to the newest, in whatever order they came', async () => {
        await store(...[5000, 1000, 3000].map((late) => sampleTick(START + late, [{ [UTIL]: 0.5 }])));
        expect(await history.extent()).toEqual({ from: START + 1000, to: START + 5000 });
      });
    });

    test('opened again it holds the same', async () => {
      await store(
        sampleTick(START, [{ [UTIL]: 0.1, [POWER]: 70 }, null], [sampleEvent(START, 'GPU-0', { text: 'a' })]),
        sampleTick(START + 1000, [{ [UTIL]: 0.2 }, { [UTIL]: 0.3 }]),
      );
      const look = async () => [
        await history.devices(),
        await history.extent(),
        await events(),
        await range({ devices: ['GPU-0', 'GPU-1'], metrics: [UTIL, POWER] }),
      ];
      const before = await look();
      await reopen();
      expect(await look()).toEqual(before);
      await store(sampleTick(START, [{ [UTIL]: 0.7 }]));
      expect((await range({ points: 1 })).series[0]).toMatchObject({ max: [0.7], count: [3] });
    });

    test('closes, and closes again without complaint', async () => {
      history.accept(sampleTick(START, [{ [UTIL]: 0.5 }]));
      await history.close();
      await history.close();
      history.accept(sampleTick(START, [{ [UTIL]: 0.5 }]));
      await expect(history.extent()).rejects.toMatchObject({ name: 'AppError' });
      await reopen();
      expect(await history.extent()).toEqual({ from: START, to: START });
    });
  });
}
