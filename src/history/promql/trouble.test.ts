import { expect, test } from 'vitest';
import { troubleOf } from './trouble.ts';

test('what waits is told in the units in which the page tells it', () => {
  const trouble = { since: Date.UTC(2026, 0, 5), reason: 'ECONNREFUSED' };
  const queue = { queued: 12, bytes: 20_000, maxBytes: 1e9, lost: 0 };
  const text = troubleOf('http://e', trouble, queue)?.text('en');
  expect(text).toContain('12 ticks (19.5 KiB of 954 MiB) are queued');
  expect(troubleOf('http://e', trouble, { ...queue, maxBytes: 2 ** 30, lost: 7 })?.text('en')).toContain(
    'the queue of 1.00 GiB is full, 7 ticks are lost',
  );
  expect(troubleOf('http://e', null, queue)).toBeNull();
});
