import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CATALOGUE, type MetricId } from '../model/catalogue.ts';
import type { Grid, RangeQuery } from '../model/ports.ts';
import type { Millis } from '../model/reading.ts';
import type { Tick } from '../model/tick.ts';
import { toGrid } from './grid.ts';
import { Outbox } from './outbox.ts';
import { START, sampleTick } from './sample-ticks.ts';
import { Store } from './store.ts';

const METRICS: readonly MetricId[] = ['utilization_ratio', 'power_watts', 'clock_event_reasons'];
const COLUMNS = CATALOGUE.map(({ id, unit }) => ({ id, isBits: unit === 'bits' }));

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 4 });
const values = fc.record({
  utilization_ratio: maybe(fc.double({ min: 0, max: 1, noNaN: true })),
  power_watts: maybe(fc.integer({ min: 0, max: 700_000 }).map((milliwatts) => milliwatts / 1000)),
  clock_event_reasons: maybe(fc.integer({ min: 0, max: 2 ** 32 - 1 })),
});
/** Mostly a steady pace, sometimes a gap, a clock set back, or no step at all. */
const step = fc.oneof(
  { weight: 20, arbitrary: fc.constant(1000) },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 1500 }) },
  { weight: 1, arbitrary: fc.integer({ min: -20_000, max: 600_000 }) },
);
const ticks: fc.Arbitrary<Tick[]> = fc
  .array(fc.record({ step, rows: fc.array(maybe(values), { maxLength: 3 }) }), { maxLength: 300, size: 'max' })
  .map((steps) => {
    let at = START;
    return steps.map((next) => {
      at += next.step;
      return sampleTick(at, next.rows);
    });
  });
const query: fc.Arbitrary<RangeQuery> = fc.record({
  metrics: fc.subarray([...METRICS], { minLength: 1 }),
  devices: fc.subarray(['GPU-0', 'GPU-1', 'GPU-2', 'unheard-of'], { minLength: 1 }),
  from: fc.integer({ min: START - 10_000, max: START + 200_000 }),
  to: fc.integer({ min: START, max: START + 1_000_000 }),
  points: fc.integer({ min: 1, max: 1000 }),
});

/** Every present value of one metric of one device in one bucket. */
function valuesIn(all: readonly Tick[], device: string, metric: MetricId, from: Millis, to: Millis): number[] {
  return all
    .filter((tick) => tick.at >= from && tick.at < to)
    .flatMap((tick) => tick.devices.filter((sample) => sample.device.uuid === device))
    .map((sample) => sample.readings.get(metric))
    .filter((reading) => typeof reading === 'number');
}

function check(all: readonly Tick[], { from, to }: RangeQuery, grid: Grid): void {
  for (const { device, metric, min, mean, max, count } of grid.series) {
    for (const [bucket, at] of grid.at.entries()) {
      const inside = valuesIn(all, device, metric, Math.max(at, from), Math.min(at + grid.bucketMs, to));
      const label = `${metric} of ${device} at +${at - START}`;
      expect(count[bucket], label).toBe(inside.length);
      if (inside.length === 0) {
        expect([min[bucket], mean[bucket], max[bucket]], label).toEqual([null, null, null]);
      } else if (metric === 'clock_event_reasons') {
        const and = inside.reduce((sum, mask) => sum & mask) >>> 0;
        const or = inside.reduce((sum, mask) => sum | mask) >>> 0;
        expect([min[bucket], mean[bucket], max[bucket]], label).toEqual([and, null, or]);
      } else {
        expect([min[bucket], max[bucket]], label).toEqual([Math.min(...inside), Math.max(...inside)]);
        const average = inside.reduce((sum, value) => sum + value) / inside.length;
        expect(mean[bucket], label).toBeCloseTo(average, 9);
      }
    }
  }
}

test('whatever is stored, a range says what a plain list of the samples says', { timeout: 120_000 }, () => {
  const directory = mkdtempSync(join(tmpdir(), 'gpulse-test-'));
  let places = 0;
  try {
    fc.assert(
      fc.property(ticks, fc.array(query, { minLength: 3, maxLength: 6 }), (all, queries) => {
        const store = Store.open({ directory: join(directory, `${places++}`), origin: 'live', columns: COLUMNS });
        const outbox = new Outbox();
        for (const tick of all) {
          if (outbox.isFullFor(tick)) store.write(outbox.take());
          outbox.add(tick);
        }
        store.write(outbox.take());
        for (const each of queries) {
          const steps = store.range(each);
          let result = steps.next();
          while (!result.done) result = steps.next();
          check(all, each, toGrid(each, result.value));
        }
        store.close();
      }),
      { numRuns: 60, interruptAfterTimeLimit: 60_000 },
    );
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
