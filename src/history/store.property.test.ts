import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MetricId } from '../model/catalogue.ts';
import type { Grid, RangeQuery } from '../model/ports.ts';
import type { Millis } from '../model/reading.ts';
import type { Tick } from '../model/tick.ts';
import { toGrid } from './grid.ts';
import { Outbox } from './outbox.ts';
import { KEEP_ALL } from './retention.ts';
import { START, sampleTick, type Values } from './sample-ticks.ts';
import { Store } from './store.ts';
import { storedColumns } from './stored-columns.ts';

const METRICS: readonly MetricId[] = ['utilization_ratio', 'power_watts', 'clock_event_reasons', 'energy_joules_total'];

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 4 });
const values = fc.record({
  utilization_ratio: maybe(fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100)),
  power_watts: maybe(fc.integer({ min: 0, max: 700_000 }).map((milliwatts) => milliwatts / 1000)),
  clock_event_reasons: maybe(fc.integer({ min: 0, max: 2 ** 32 - 1 })),
  energy_joules_total: maybe(fc.integer({ min: 0, max: 1e9 }).map((millijoules) => millijoules / 1000)),
});
/** Mostly a steady pace, sometimes a gap, a clock set back, or no step at all. */
const step = fc.oneof(
  { weight: 20, arbitrary: fc.constant(1000) },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 1500 }) },
  { weight: 1, arbitrary: fc.integer({ min: -20_000, max: 600_000 }) },
);
const steps = fc.array(fc.record({ step, rows: fc.array(maybe(values), { maxLength: 3 }) }), {
  maxLength: 300,
  size: 'max',
});

function ticksOf(all: readonly { step: number; rows: (Values | null)[] }[]): Tick[] {
  let at = START;
  return all.map((next) => {
    at += next.step;
    return sampleTick(at, next.rows);
  });
}

/** Some look at minutes of the data, some at all of it and far beyond, which is read from sums. */
const query: fc.Arbitrary<RangeQuery> = fc.record({
  metrics: fc.subarray([...METRICS], { minLength: 1 }),
  devices: fc.subarray(['GPU-0', 'GPU-1', 'GPU-2', 'unheard-of'], { minLength: 1 }),
  from: fc.integer({ min: START - 10_000, max: START + 200_000 }),
  to: fc.oneof(...[1_000_000, 4_000_000, 100_000_000].map((span) => fc.integer({ min: START, max: START + span }))),
  points: fc.oneof(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1, max: 20 })),
});

/** Rows of a block: so few that every level has blocks, or the usual many, so that all stays in memory. */
const sizes = fc.constantFrom(3, 10, 40, 5000);
const columns = storedColumns();

function finish<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Every present value of one metric of one device in one bucket. */
function valuesIn(all: readonly Tick[], device: string, metric: MetricId, from: Millis, to: Millis): number[] {
  return all
    .filter((tick) => tick.at >= from && tick.at < to)
    .flatMap((tick) => tick.devices.filter((sample) => sample.device.uuid === device))
    .map((sample) => sample.readings.get(metric))
    .filter((reading) => typeof reading === 'number');
}

/** What a counter grew from sample to sample, in the buckets in which the later one is. */
function growthOf(
  all: readonly Tick[],
  device: string,
  metric: MetricId,
  { from, to }: RangeQuery,
  { at, bucketMs }: Grid,
): number[] {
  const growth = at.map(() => 0);
  let before = Number.NaN;
  for (const tick of all) {
    if (tick.at < from || tick.at >= to) continue;
    for (const value of valuesIn([tick], device, metric, from, to)) {
      const bucket = Math.floor((tick.at - at[0]!) / bucketMs);
      if (!Number.isNaN(before)) growth[bucket]! += value >= before ? value - before : value;
      before = value;
    }
  }
  return growth;
}

function checkGrowth(all: readonly Tick[], query: RangeQuery, grid: Grid): void {
  // Where the clock was set back, it depends on what is read first.
  if (all.some(({ at }, i) => i > 0 && at < all[i - 1]!.at)) return;
  for (const { device, metric, growth, count } of grid.series) {
    if (metric !== 'energy_joules_total') {
      expect(growth).toBeUndefined();
      continue;
    }
    const want = growthOf(all, device, metric, query, grid);
    for (const [bucket, value] of want.entries()) {
      if (count[bucket] === 0) expect(growth![bucket]).toBeNull();
      else expect(growth![bucket], `growth of ${device} at ${bucket}`).toBeCloseTo(value, 4);
    }
  }
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
        expect(mean[bucket], label).toBeCloseTo(average, 6);
      }
    }
  }
}

test('whatever is stored, a range says what a plain list of the samples says', { timeout: 120_000 }, () => {
  const directory = mkdtempSync(join(tmpdir(), 'gpulse-test-'));
  let places = 0;
  try {
    fc.assert(
      fc.property(steps, fc.array(query, { minLength: 3, maxLength: 6 }), sizes, (list, queries, blockRows) => {
        const all = ticksOf(list);
        const options = {
          directory: join(directory, `${places++}`),
          origin: 'live',
          columns,
          retention: KEEP_ALL,
        } as const;
        let store = Store.open({ ...options, blockRows });
        let outbox = new Outbox();
        for (const [i, tick] of all.entries()) {
          outbox.add(tick);
          if (i % 7 === 0) store.write(outbox.take());
          // What is sealed, half sealed, or read again after a restart must not make a difference.
          if (i % 50 === 49) finish(store.seal());
          if (i === 180) {
            store.write(outbox.take());
            store.close();
            outbox = new Outbox();
            store = Store.open({ ...options, blockRows });
          }
        }
        store.write(outbox.take());
        for (const each of queries) {
          const grid = toGrid(each, finish(store.range(each)));
          check(all, each, grid);
          checkGrowth(all, each, grid);
        }
        store.close();
      }),
      { numRuns: 40, interruptAfterTimeLimit: 40_000 },
    );
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
