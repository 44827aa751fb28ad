import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { timeLabels } from './time-axis.ts';

beforeEach(() => vi.stubEnv('TZ', 'Asia/Shanghai'));
afterEach(() => vi.unstubAllEnvs());

test('timeLabels shows seconds only where they matter, and the date where a day begins', () => {
  const start = Date.UTC(2026, 10, 30, 15, 59, 0);
  const check = (count: number, step: number, want: string[]) =>
    expect(
      timeLabels(
        Array.from({ length: count }, (_, i) => start + i * step),
        step,
      ),
    ).toEqual(want);
  check(3, 30_000, ['23:59:00', '23:59:30', '12-01\n00:00:00']);
  check(2, 60_000, ['23:59', '12-01\n00:00']);
  check(2, 86_400_000, ['11-30', '12-01']);
  check(0, 1000, []);
});
