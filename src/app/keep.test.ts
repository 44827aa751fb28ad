import { expect, test } from 'vitest';
import { USUAL_RETENTION } from '../history/retention.ts';
import { parseKeep } from './keep.ts';

const DAY = 86_400_000;

test('names limits by kind, and leaves the others as usual', () => {
  const check = (text: string, raw: object, hours: object, eventsMs: number) => {
    const { levels, eventsMs: events } = parseKeep(text);
    expect([levels[0], levels[3], events], text).toEqual([raw, hours, eventsMs]);
    expect(levels.slice(1, 3)).toEqual(USUAL_RETENTION.levels.slice(1, 3));
  };
  const [raw, , , hours] = USUAL_RETENTION.levels as [object, object, object, object];
  const { eventsMs } = USUAL_RETENTION;
  check('raw=3d', { ...raw, ageMs: 3 * DAY }, hours, eventsMs);
  check('raw=36h/2.5GB', { ageMs: 1.5 * DAY, bytes: 2.5e9 }, hours, eventsMs);
  check('raw=500mb, 1h=10y', { ...raw, bytes: 5e8 }, { ...hours, ageMs: 3650 * DAY }, eventsMs);
  check('events=2w', raw, hours, 14 * DAY);
  check('raw=all', { ageMs: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY }, hours, eventsMs);
});

test.each([
  '',
  'raw',
  'raw=',
  '2m=1d',
  'raw=1',
  'raw=0d',
  'raw=-1d',
  'raw=1d/',
  'raw=1x',
  'events=1GB',
  'raw=1d;1h=1d',
])('%j is refused', (text) => expect(() => parseKeep(text)).toThrow(expect.objectContaining({ code: 'BAD_OPTION' })));
