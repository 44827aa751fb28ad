import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ApiEvent } from '../../../src/model/api.ts';
import { clusterEvents, eventsNear } from './event-clusters.ts';

type Severity = ApiEvent['severity'];

function event(at: number, severity: Severity = 'info'): ApiEvent {
  return { at, kind: 'marker', severity, uuid: null, params: {}, text: `${severity} ${at}` };
}

test('what lies within a width is one mark in the worst colour', () => {
  const check = (events: ApiEvent[], want: string) =>
    expect(
      clusterEvents(events, 0, 100, 10)
        .map(({ from, to, count, severity }) => `${from}-${to} ${count} ${severity}`)
        .join(', '),
    ).toBe(want);
  check([], '');
  check([event(5)], '5-5 1 info');
  check([event(5), event(14, 'critical'), event(14, 'warning')], '5-14 3 critical');
  check([event(5), event(15, 'warning')], '5-5 1 info, 15-15 1 warning');
  // A chain of events does not grow into one mark without end.
  check([event(0), event(6), event(12), event(18)], '0-6 2 info, 12-18 2 info');
  check([event(-1), event(0), event(100), event(101)], '0-0 1 info, 100-100 1 info');
});

test('every event in sight is counted once, and marks keep their distance', () => {
  const times = fc.array(fc.integer({ min: -50, max: 1050 })).map((all) => all.sort((a, b) => a - b));
  fc.assert(
    fc.property(times, fc.integer({ min: 1, max: 300 }), (all, width) => {
      const clusters = clusterEvents(
        all.map((at) => event(at)),
        0,
        1000,
        width,
      );
      const shown = all.filter((at) => at >= 0 && at <= 1000);
      expect(clusters.reduce((sum, { count }) => sum + count, 0)).toBe(shown.length);
      for (const [i, { from }] of clusters.entries()) {
        if (i > 0) expect(from - clusters[i - 1]!.from).toBeGreaterThanOrEqual(width);
      }
    }),
  );
});

test('eventsNear lists the worst first, then the newest', () => {
  const events = [event(0, 'critical'), event(8), event(10, 'warning'), event(11), event(30, 'critical')];
  expect(eventsNear(events, 10, 5).map(({ text }) => text)).toEqual(['warning 10', 'info 11', 'info 8']);
});
