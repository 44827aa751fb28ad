import { expect, test } from 'vitest';
import type { ApiEvent } from '../../../src/model/api.ts';
import { mergeEvents } from './event-log.ts';

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

test('mergeEvents keeps the list where nothing is new', () => {
  const held = [event(1, 1)];
  expect(mergeEvents(held, [])).toBe(held);
});

test('mergeEvents keeps the newest thousand', () => {
  const many = Array.from({ length: 1500 }, (_, i) => event(i, i));
  const merged = mergeEvents([], many);
  expect(merged).toHaveLength(1000);
  expect(merged[0]?.at).toBe(500);
});
