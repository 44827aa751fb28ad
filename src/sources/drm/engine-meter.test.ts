import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EngineMeter } from './engine-meter.ts';
import type { EngineUse } from './fdinfo.ts';

function ns(value: number, capacity = 1): EngineUse {
  return { name: 'gfx', class: 'graphics', ns: value, cycles: null, totalCycles: null, capacity };
}

function cycles(value: number, total: number | null): EngineUse {
  return { name: 'rcs', class: 'graphics', ns: null, cycles: value, totalCycles: total, capacity: 1 };
}

/** The ratios of a meter that sees these counters a second apart. */
function ratios(...uses: readonly EngineUse[]): (number | null)[] {
  const meter = new EngineMeter();
  return uses.map((use, second) => meter.ratio(use, second * 1000));
}

test.each<[string, readonly EngineUse[], (number | null)[]]>([
  ['a share of time', [ns(5e9), ns(5.25e9), ns(5.25e9), ns(6.25e9)], [null, 0.25, 0, 1]],
  ['of several equal engines', [ns(0, 4), ns(2e9, 4)], [null, 0.5]],
  ['never more than all of the time', [ns(0), ns(9e9)], [null, 1]],
  ['cycles out of those that passed', [cycles(10, 1000), cycles(260, 2000), cycles(260, 3000)], [null, 0.25, 0]],
  ['cycles that stand still', [cycles(10, 1000), cycles(10, 1000)], [null, 0]],
  ['cycles without a total', [cycles(10, null), cycles(20, null)], [null, null]],
  ['a step back is nothing done until it has caught up', [ns(5e9), ns(4e9), ns(5e9), ns(5.5e9)], [null, 0, 0, 0.5]],
  [
    'a counter that stays low has begun anew',
    [ns(5e9), ns(0), ns(0.1e9), ns(0.2e9), ns(0.3e9), ns(0.4e9), ns(0.9e9)],
    [null, 0, 0, 0, 0, 0, 0.5],
  ],
])('%s', (_, uses, want) => {
  const got = ratios(...uses);
  expect(got.map((ratio) => (ratio === null ? null : Math.round(ratio * 1e6) / 1e6))).toEqual(want);
});

test('two looks in a moment give the share of the time before', () => {
  const meter = new EngineMeter();
  meter.ratio(ns(0), 0);
  expect(meter.ratio(ns(0.5e9), 1000)).toBe(0.5);
  expect(meter.ratio(ns(0.51e9), 1010)).toBe(0.5);
});

test('whatever the counters, a share is between 0 and 1', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ busy: fc.nat(), step: fc.nat(5000) })), (looks) => {
      const meter = new EngineMeter();
      let now = 0;
      for (const { busy, step } of looks) {
        now += step;
        const ratio = meter.ratio(ns(busy), now);
        expect(ratio === null || (ratio >= 0 && ratio <= 1)).toBe(true);
      }
    }),
  );
});
