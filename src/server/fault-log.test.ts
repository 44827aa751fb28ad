import { expect, test } from 'vitest';
import { ManualClock } from '../model/manual-clock.ts';
import { FaultLog } from './fault-log.ts';

test('writes a fault once a minute, under one id', async () => {
  const lines: string[] = [];
  const clock = new ManualClock();
  const log = new FaultLog((text) => lines.push(text), clock);
  const error = new Error('disk on fire', { cause: new Error('short circuit') });
  const id = log.report(error, 'GET /api/v1/gpus');
  expect(id).toMatch(/^#[0-9a-f]{6}$/);
  expect(log.report(error, 'GET /api/v1/gpus')).toBe(id);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(
    /^gpulse: fault #\w+ in GET \/api\/v1\/gpus: Error: disk on fire\n[\s\S]*caused by Error: short/,
  );
  expect(log.report('another', 'x')).not.toBe(id);
  expect(lines).toHaveLength(2);
  await clock.advance(60_000);
  log.report(error, 'GET /api/v1/gpus');
  expect(lines).toHaveLength(3);
});
