import { describe, expect, test } from 'vitest';
import { CATALOGUE, type MetricId, slotOf } from '../model/catalogue.ts';
import type { Millis } from '../model/reading.ts';
import { ReadingSet } from '../model/reading-set.ts';
import { BITS, type HistoryUnderTest, POWER, UTIL } from './history-under-test.ts';
import { START, sampleTick, type Values } from './sample-ticks.ts';

/** What every history promises of ranges. */
export function rangeContract(its: HistoryUnderTest): void {
  describe('ranges', () => {
    test('one value', async () => {
      await its.storeSeconds(UTIL, 0.5);
      const grid = await its.range({ to: START + 1000, points: 1 });
      expect(grid).toMatchObject({ from: START, to: START + 1000, bucketMs: 1000, at: [START] });
      expect(grid.series).toEqual([{ device: 'GPU-0', metric: UTIL, min: [0.5], mean: [0.5], max: [0.5], count: [1] }]);
    });

    test('minimum, mean, maximum and count per bucket', async () => {
      await its.storeSeconds(POWER, 100, 300, 200, 50, 50);
      const { series, bucketMs } = await its.range({ metrics: [POWER], points: 2 });
      expect(bucketMs).toBe(5000);
      expect(series).toEqual([
        { device: 'GPU-0', metric: POWER, min: [50, null], mean: [140, null], max: [300, null], count: [5, 0] },
      ]);
    });

    test('from is inclusive, to is exclusive', async () => {
      await its.storeSeconds(UTIL, 0.1, 0.2, 0.3, 0.4);
      const { series } = await its.range({ from: START + 1000, to: START + 3000, points: 2 });
      expect(series[0]?.mean).toEqual([0.2, 0.3]);
    });

    test('a bucket cut by the range counts only what lies in the range', async () => {
      await its.storeSeconds(UTIL, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1);
      const grid = await its.range({ from: START + 2000, to: START + 8000, points: 2 });
      expect([grid.bucketMs, grid.at]).toEqual([5000, [START, START + 5000]]);
      expect(grid.series[0]?.count).toEqual([3, 3]);
      expect(grid.series[0]?.max).toEqual([0.5, 0.8]);
    });

    test('a gap is a gap', async () => {
      await its.storeSeconds(UTIL, 0.5, 0.5, 'no tick', 'no tick', 'no tick', 0.7, 0.7);
      const { series, intervalMs } = await its.range({ to: START + 7000, points: 7 });
      expect(intervalMs).toBe(1000);
      expect(series[0]?.mean).toEqual([0.5, 0.5, null, null, null, 0.7, 0.7]);
      expect(series[0]?.count).toEqual([1, 1, 0, 0, 0, 1, 1]);
    });

    test('absent is not zero: it neither shows nor counts', async () => {
      await its.storeSeconds(UTIL, 0, null, 0, 0.6);
      const single = await its.range({ to: START + 4000, points: 4 });
      expect(single.series[0]?.mean).toEqual([0, null, 0, 0.6]);
      expect(single.series[0]?.count).toEqual([1, 0, 1, 1]);
      const { series } = await its.range({ points: 1 });
      expect(series[0]).toMatchObject({ min: [0], max: [0.6], count: [3] });
      expect(series[0]?.mean[0]).toBeCloseTo(0.2);
    });

    test('a lost device has no values, and the others go on', async () => {
      await its.store(
        sampleTick(START, [{ [UTIL]: 0.1 }, { [UTIL]: 0.2 }]),
        sampleTick(START + 1000, [{ [UTIL]: 0.1 }, null]),
      );
      const { series } = await its.range({ devices: ['GPU-0', 'GPU-1'], to: START + 2000, points: 2 });
      expect(series.map(({ mean }) => mean)).toEqual([
        [0.1, 0.1],
        [0.2, null],
      ]);
    });

    test.each([
      ['wide buckets', 1, { min: [0x4], max: [0x2c], count: [12] }],
      ['narrow buckets', 4, { min: [0x4, 0xc, 0x4], max: [0xc, 0xc, 0x24], count: [5, 5, 2] }],
    ])('bit sets are joined by OR and AND, and have no mean: %s', async (_, points, expected) => {
      await its.storeSeconds(BITS, 0xc, 0x4, 0xc, 0xc, 0xc, 0xc, 0xc, 0xc, 0xc, 0xc, 0x24, 0x4);
      const { series } = await its.range({ metrics: [BITS], to: START + 15_000, points });
      expect(series[0]).toMatchObject({ ...expected, mean: expected.count.map(() => null) });
    });

    test('the highest of 32 bits is no sign', async () => {
      await its.storeSeconds(BITS, 2 ** 31, 2 ** 31 + 1);
      const { series } = await its.range({ metrics: [BITS], points: 1 });
      expect(series[0]).toMatchObject({ min: [2 ** 31], max: [2 ** 31 + 1] });
    });

    test('a counter is what it was', async () => {
      await its.storeSeconds('energy_joules_total', 1e12 + 0.25, 5);
      const { series } = await its.range({ metrics: ['energy_joules_total'], to: START + 2000, points: 2 });
      expect(series[0]?.max).toEqual([1e12 + 0.25, 5]);
    });

    test('a counter grows from sample to sample, and starts again from zero where it is lower', async () => {
      const id: MetricId = 'energy_joules_total';
      await its.storeSeconds(id, 100, 130, 'no tick', null, 150, 10, 15);
      const { series } = await its.range({ metrics: [id, UTIL], to: START + 7000, points: 7 });
      expect(series[0]?.growth).toEqual([0, 30, null, null, 20, 10, 5]);
      expect(series[1]).not.toHaveProperty('growth');
      expect((await its.range({ metrics: [id], points: 1 })).series[0]?.growth).toEqual([65]);
    });

    test('readings of the host are kept under its own name', async () => {
      const readings = new ReadingSet();
      const [metric] = CATALOGUE.filter(({ scope }) => scope === 'host');
      const id = (metric ?? CATALOGUE[0]!).id;
      readings.set(slotOf(id), 0.25);
      await its.store({ ...sampleTick(START, [{ [UTIL]: 0.5 }]), host: { readings, cpuRatios: new Float64Array(4) } });
      const { series } = await its.range({ metrics: [id], devices: ['host'], to: START + 1000, points: 1 });
      expect(series[0]).toMatchObject({ device: 'host', metric: id, max: [0.25], count: [1] });
      expect((await its.history.devices()).map(({ uuid }) => uuid)).toEqual(['GPU-0']);
    });

    test('devices and metrics share one grid, device by device', async () => {
      const both = (util: number, power: number): Values => ({ [UTIL]: util, [POWER]: power });
      await its.store(
        sampleTick(START, [both(0.1, 100), both(0.2, 200)]),
        sampleTick(START + 1000, [both(0.3, 300), both(0.4, 400)]),
      );
      const grid = await its.range({
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
        const grid = await its.range({ from: START + from, to: START + to, points });
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
      await its.store(...[0, 1, 2, 3, 4, 5].map((i) => sampleTick(START + i * 5000, [{ [UTIL]: 0.5 }])));
      const { bucketMs, intervalMs, series } = await its.range({ to: START + 30_000, points: 30 });
      expect([bucketMs, intervalMs]).toEqual([5000, 5000]);
      expect(series[0]?.count).toEqual([1, 1, 1, 1, 1, 1]);
    });

    test('ticks that come a little late do not double the width', async () => {
      await its.store(...[0, 1003, 2005, 3009, 4011].map((late) => sampleTick(START + late, [{ [UTIL]: 0.5 }])));
      expect((await its.range({ to: START + 5000, points: 100 })).bucketMs).toBe(1000);
    });

    test('an empty range has no buckets', async () => {
      expect((await its.range({ to: START })).at).toEqual([]);
    });

    test('a clock that is set back neither overwrites nor hides data', async () => {
      await its.storeSeconds(UTIL, 0.1, 0.2, 0.3, 0.4);
      await its.store(sampleTick(START + 1000, [{ [UTIL]: 0.9 }]), sampleTick(START + 2000, [{ [UTIL]: 0.8 }]));
      const { series } = await its.range({ to: START + 4000, points: 4 });
      expect(series[0]?.count).toEqual([1, 2, 2, 1]);
      expect(series[0]?.min).toEqual([0.1, 0.2, 0.3, 0.4]);
      expect(series[0]?.max).toEqual([0.1, 0.9, 0.8, 0.4]);
    });

    test('ticks of equal time are all kept', async () => {
      await its.store(...[0.1, 0.2, 0.3].map((value) => sampleTick(START, [{ [UTIL]: value }])));
      const { series } = await its.range({ to: START + 1000, points: 1 });
      expect(series[0]).toMatchObject({ min: [0.1], max: [0.3], count: [3] });
      expect(series[0]?.mean[0]).toBeCloseTo(0.2);
    });

    test('a tick may be changed by others after it was accepted', async () => {
      const tick = sampleTick(START, [{ [UTIL]: 0.5 }]);
      its.history.accept(tick);
      tick.devices[0]?.readings.values.fill(0.9);
      await its.history.flush();
      expect((await its.range({ to: START + 1000, points: 1 })).series[0]?.max).toEqual([0.5]);
    });
  });
}
