import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Jobs } from './jobs.ts';

function* steps(log: string[], name: string, count: number): Generator<void, string> {
  for (let i = 1; i <= count; i++) {
    log.push(`${name}${i}`);
    // A step as long as a turn.
    const until = performance.now() + 5;
    while (performance.now() < until);
    yield;
  }
  return `${name} done`;
}

test('jobs take turns, so that a short one does not wait for a long one', async () => {
  const jobs = new Jobs();
  const log: string[] = [];
  const done = (result: string) => log.push(result);
  const failed = (error: unknown) => log.push(String(error));
  jobs.start(steps(log, 'a', 3), done, failed);
  jobs.start(steps(log, 'b', 1), done, failed);
  expect(jobs.size).toBe(2);
  await expect.poll(() => jobs.size).toBe(0);
  expect(log).toEqual(['a1', 'b1', 'a2', 'b done', 'a3', 'a done']);
});

test('other work gets its turn between two steps', async () => {
  const jobs = new Jobs();
  const log: string[] = [];
  jobs.start(steps(log, 'a', 50), () => log.push('done'), String);
  for (let i = 0; i < 3; i++) await turn();
  log.push('other');
  await expect.poll(() => jobs.size).toBe(0);
  expect(log.indexOf('other')).toBeLessThan(10);
  expect(log.at(-1)).toBe('done');
});

test('a job that fails ends alone', async () => {
  const jobs = new Jobs();
  const log: string[] = [];
  function* broken(): Generator<void, string> {
    yield;
    throw new Error('broken');
  }
  const note = (what: unknown) => log.push(String(what));
  jobs.start(broken(), note, note);
  jobs.start(steps([], 'b', 2), note, note);
  await expect.poll(() => jobs.size).toBe(0);
  expect(log).toEqual(['Error: broken', 'b done']);
  jobs.start(steps([], 'c', 1), note, note);
  await expect.poll(() => log.at(-1)).toBe('c done');
});
