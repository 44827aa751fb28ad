import { expect, test } from 'vitest';
import { retryDelay } from './backoff.ts';

test('waits double, the upper half is random, and none is longer than 5 s', () => {
  const check = (attempt: number, least: number, most: number) => {
    expect(retryDelay(attempt, 0), `attempt ${attempt}`).toBe(least);
    expect(retryDelay(attempt, 1), `attempt ${attempt}`).toBe(most);
  };
  check(1, 500, 1000);
  check(2, 1000, 2000);
  check(3, 2000, 4000);
  check(4, 2500, 5000);
  check(1000, 2500, 5000);
});
