import fc from 'fast-check';
import { expect, test } from 'vitest';
import { WorkQueue } from './work-queue.ts';

const NEVER = new AbortController().signal;

/** A job that runs until a test ends it. */
class Job {
  begun = false;
  readonly #settled = Promise.withResolvers<string>();
  readonly end = this.#settled.resolve;
  readonly fail = this.#settled.reject;
  readonly client = new AbortController();

  readonly run = (): Promise<string> => {
    this.begun = true;
    return this.#settled.promise;
  };
}

async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

test('runs some, lets some wait, and refuses the rest', async () => {
  const queue = new WorkQueue({ running: 2, waiting: 1 });
  const jobs = [new Job(), new Job(), new Job(), new Job()];
  const results = jobs.map(({ run }) => queue.run(run, NEVER));
  await expect(results[3]).rejects.toMatchObject({ code: 'BUSY' });
  expect(jobs.map(({ begun }) => begun)).toEqual([true, true, false, false]);
  jobs[1]?.end('second');
  await expect(results[1]).resolves.toBe('second');
  await settle();
  expect(jobs[2]?.begun).toBe(true);
  jobs[0]?.end('first');
  jobs[2]?.end('third');
  await expect(Promise.all(results.slice(0, 3))).resolves.toEqual(['first', 'second', 'third']);
});

test('a job that fails frees its place', async () => {
  const queue = new WorkQueue({ running: 1, waiting: 1 });
  const [first, second] = [new Job(), new Job()];
  const results = [queue.run(first.run, NEVER), queue.run(second.run, NEVER)];
  first.fail(new Error('no'));
  await expect(results[0]).rejects.toThrow('no');
  second.end('yes');
  await expect(results[1]).resolves.toBe('yes');
});

test('a job whose client has gone never begins and gives up its place in the queue', async () => {
  const queue = new WorkQueue({ running: 1, waiting: 1 });
  const [running, gone, late] = [new Job(), new Job(), new Job()];
  const first = queue.run(running.run, NEVER);
  const second = queue.run(gone.run, gone.client.signal);
  gone.client.abort();
  await expect(second).rejects.toMatchObject({ code: 'BUSY' });
  const third = queue.run(late.run, NEVER);
  running.end('');
  await first;
  late.end('late');
  await expect(third).resolves.toBe('late');
  expect(gone.begun).toBe(false);
});

test('whatever ends, fails or leaves in whatever order, never more run than may, and none is lost', async () => {
  const steps = fc.array(fc.tuple(fc.constantFrom('end', 'fail', 'leave'), fc.nat(9)), { maxLength: 30 });
  const property = fc.asyncProperty(steps, async (taken) => {
    const queue = new WorkQueue({ running: 2, waiting: 20 });
    const jobs = Array.from({ length: 10 }, () => new Job());
    let running = 0;
    const counted = async (job: Job): Promise<void> => {
      expect(++running).toBeLessThanOrEqual(2);
      await job.run().finally(() => running--);
    };
    const results = jobs.map((job) => queue.run(() => counted(job), job.client.signal).catch(() => {}));
    for (const [step, which] of taken) {
      const job = jobs[which]!;
      if (step === 'leave') job.client.abort();
      else if (job.begun && step === 'fail') job.fail(new Error('failed'));
      else if (job.begun) job.end('');
      await settle();
    }
    for (const job of jobs) job.end('');
    await Promise.all(results);
    const last = new Job();
    last.end('free again');
    await expect(queue.run(last.run, NEVER)).resolves.toBe('free again');
  });
  await fc.assert(property, { numRuns: 50 });
});
