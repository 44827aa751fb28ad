import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MOST_EVENTS } from '../../../src/client/api.ts';
import type { ApiEvent } from '../../../src/model/api.ts';
import { criticalEvents, eventsSince, mergeEvents } from './event-log.ts';

function event(at: number, pid: number, text = 'en'): ApiEvent {
  return { at, kind: 'process-started', severity: 'info', uuid: 'GPU-0', params: { pid }, text };
}

test('mergeEvents keeps each event once, oldest first, with the newest text', () => {
  const merged = mergeEvents([event(1, 1), event(3, 3)], [event(3, 3, 'zh'), event(2, 2), event(3, 4)]);
  expect(merged.map(({ at, params, text }) => [at, params['pid'], text])).toEqual([
    [1, 1, 'en'],
    [2, 2, 'en'],
    [3, 3, 'zh'],
    [3, 4, 'en'],
  ]);
});

test('mergeEvents puts the newer state of an event that goes on in the place of the older one', () => {
  const state = (at: number, count: number): ApiEvent => ({ ...event(at, count), kind: 'xid', key: 'xid:1' });
  const held = [state(5, 1), event(7, 7), event(9, 9)];
  const merged = mergeEvents(held, [event(8, 8), state(5, 2)]);
  expect(merged.map(({ at, params }) => [at, params['pid']])).toEqual([
    [5, 2],
    [7, 7],
    [8, 8],
    [9, 9],
  ]);
  expect(mergeEvents(held, [state(6, 3)]).map(({ at }) => at)).toEqual([6, 7, 9]);
});

test('mergeEvents keeps the list where nothing is new', () => {
  const held = [event(1, 1)];
  expect(mergeEvents(held, [])).toBe(held);
});

test('mergeEvents keeps the newest of too many', () => {
  const many = Array.from({ length: MOST_EVENTS + 500 }, (_, i) => event(i, i));
  const merged = mergeEvents([], many);
  expect(merged).toHaveLength(MOST_EVENTS);
  expect(merged[0]?.at).toBe(500);
});

test('mergeEvents gives the same list however the events arrive', () => {
  const events = fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 3 })));
  fc.assert(
    fc.property(events, events, (a, b) => {
      const [held, more] = [a, b].map((list) => list.map(([at, pid]) => event(at, pid)));
      const merged = mergeEvents(mergeEvents([], held ?? []), more ?? []);
      const want = [...new Set([...a, ...b].map(([at, pid]) => at * 10 + (pid ?? 0)))].sort((x, y) => x - y);
      expect(merged.map(({ at, params }) => at * 10 + Number(params['pid'])).sort((x, y) => x - y)).toEqual(want);
      expect(merged.map(({ at }) => at)).toEqual(merged.map(({ at }) => at).sort((x, y) => x - y));
    }),
  );
});

test('eventsSince forgets what is older', () => {
  const held = [event(1, 1), event(5, 2), event(9, 3)];
  expect(eventsSince(held, 0)).toBe(held);
  expect(eventsSince(held, 1).map(({ at }) => at)).toEqual([5, 9]);
  expect(eventsSince(held, 9)).toEqual([]);
  expect(eventsSince([], 9)).toEqual([]);
});

test('criticalEvents has the newest critical event of each GPU, and no old ones', () => {
  const critical = { ...event(100, 1), severity: 'critical' as const };
  const check = (events: ApiEvent[], want: string[]) =>
    expect([...criticalEvents(events, 50)].map(([uuid, { at }]) => `${uuid} ${at}`)).toEqual(want);
  check([event(100, 1)], []);
  check([{ ...critical, severity: 'warning' }], []);
  check([{ ...critical, at: 50 }], []);
  check([{ ...critical, uuid: null }], []);
  check([critical, { ...critical, at: 101 }, { ...critical, uuid: 'GPU-3' }], ['GPU-0 101', 'GPU-3 100']);
});
