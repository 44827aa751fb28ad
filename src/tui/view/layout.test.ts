import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shareLines } from './layout.ts';

const SCREEN = { '80x24': 21, '120x40': 37, '200x60': 57 };

test('8 GPUs and 6 processes fit into 80 x 24 with a line of events', () => {
  const shares = shareLines(SCREEN['80x24'], { gpus: 8, processes: 6, events: 3, hasCharts: true });
  expect(shares.gpus).toBe(9);
  expect(SCREEN['80x24'] - shares.gpus - shares.charts - shares.events).toBeGreaterThanOrEqual(8);
  expect(shares.events).toBeGreaterThanOrEqual(2);
});

test('GPUs side by side leave the lines that they do not need to the charts', () => {
  const { gpus, charts } = shareLines(SCREEN['200x60'], { gpus: 64, processes: 0, events: 0, hasCharts: true });
  expect(gpus).toBe(33);
  expect(charts).toBeGreaterThan(10);
});

test('lines that nobody else needs tell of more events', () => {
  const wanted = { gpus: 1, processes: 0, events: 20, hasCharts: false };
  expect(shareLines(SCREEN['120x40'], wanted).events).toBe(7);
  expect(shareLines(SCREEN['120x40'], { ...wanted, events: null }).events).toBe(0);
});

test('no share is negative, and all together are no more than there is', () => {
  const wanted = fc.record({
    gpus: fc.integer({ min: 1, max: 128 }),
    processes: fc.integer({ min: 0, max: 500 }),
    events: fc.option(fc.integer({ min: 0, max: 1000 })),
    hasCharts: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), wanted, (room, parts) => {
      const { gpus, charts, events } = shareLines(room, parts);
      expect(Math.min(gpus, charts, events)).toBeGreaterThanOrEqual(0);
      expect(gpus + charts + events).toBeLessThanOrEqual(Math.max(1, room));
    }),
  );
});
