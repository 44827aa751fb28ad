import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ManualClock } from '../../model/manual-clock.ts';
import { createPageWriter } from '../metric-profiles.ts';
import { gpu, NAMING, NOW, pageOf, viewOf } from '../test-page.ts';
import { influx } from './influx.ts';
import { otlp } from './otlp.ts';
import { PushSink } from './push-sink.ts';
import { plainVerdict, type Receiver } from './receiver.ts';
import { eventually } from './test-server.ts';

interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly text?: string;
}

/** Requests that came, and what the next ones are answered; 200 where nothing is left. */
let requests: { request: IncomingMessage; body: Buffer }[];
let answers: (Answer | 'hang')[];
let server: Server;
let url: string;
let clock: ManualClock;
let sink: PushSink | null;

beforeEach(async () => {
  [requests, answers, clock, sink] = [[], [], new ManualClock(NOW), null];
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    requests.push({ request, body: Buffer.concat(chunks) });
    const answer = answers.shift() ?? { status: 200 };
    if (answer === 'hang') return;
    response.writeHead(answer.status, answer.headers).end(answer.text ?? '');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  await sink?.close();
  vi.restoreAllMocks();
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

/** One batch per page, which says which page it is. */
function numbered(facts: Partial<Receiver> = {}): Receiver {
  let page = 0;
  return {
    ...({ name: 'test', method: 'POST', url, headers: {}, isLatestOnly: false, verdict: plainVerdict } as const),
    encode: async () => [{ body: Buffer.from(String(++page)), samples: 10 }],
    ...facts,
  };
}

function start(receiver: Receiver, capacity = 3, intervalMs = 15_000): PushSink {
  const writer = createPageWriter('node-1', NAMING);
  const page = () => pageOf([viewOf(gpu(0), { energy_joules_total: 5 })]);
  sink = new PushSink({
    receiver,
    clock,
    writer,
    page,
    intervalMs,
    capacity,
    timeoutMs: 5000,
    random: () => 1,
  });
  return sink;
}

/** Lets an interval pass and waits until what it led to has settled. */
async function pass(ms: number, settled: () => void): Promise<void> {
  await clock.advance(ms);
  await eventually(settled);
}

const bodies = () => requests.map(({ body }) => body.toString());

test('a page goes out at every interval', async () => {
  const running = start(numbered());
  await pass(15_000, () => expect(bodies()).toEqual(['1']));
  await eventually(() => expect(running.status()).toMatchObject({ sentSamples: 10, queued: 0 }));
  await pass(15_000, () => expect(bodies()).toEqual(['1', '2']));
});

test('what fails in passing is sent again later, in order', async () => {
  const running = start(numbered());
  answers = [{ status: 503 }, { status: 429, headers: { 'retry-after': '40' } }];
  await pass(15_000, () => expect(running.status()).toMatchObject({ failures: 1, queued: 1, lastFailure: 'HTTP 503' }));
  await pass(999, () => expect(requests).toHaveLength(1));
  await pass(1, () => expect(running.status()).toMatchObject({ failures: 2, lastFailure: 'HTTP 429' }));
  await pass(39_000, () => expect(running.status().queued).toBe(3));
  expect(requests).toHaveLength(2);
  await pass(1000, () => expect(running.status()).toMatchObject({ queued: 0, sentSamples: 30, lostSamples: 0 }));
  expect(bodies()).toEqual(['1', '1', '1', '2', '3']);
});

test('a full queue gives up the oldest and counts it', async () => {
  const running = start(numbered(), 2);
  answers = [{ status: 503, headers: { 'retry-after': '70' } }];
  await pass(15_000, () => expect(running.status()).toMatchObject({ failures: 1, queued: 1 }));
  await pass(15_000, () => expect(running.status()).toMatchObject({ queued: 2, lostSamples: 0 }));
  await pass(15_000, () => expect(running.status()).toMatchObject({ queued: 2, lostSamples: 10 }));
  await pass(15_000, () => expect(running.status()).toMatchObject({ queued: 2, lostSamples: 20 }));
  await pass(14_000, () => expect(requests).toHaveLength(1));
  await pass(11_000, () => expect(running.status()).toMatchObject({ queued: 0, lostSamples: 30 }));
  expect(bodies()).toEqual(['1', '4', '5']);
});

/**
 * The receiver is away for so many steps, then well; time goes on step by step, and answers take none of it. Resolves with
 * the steps until it was tried again, when nothing waits any more.
 */
async function outage(running: PushSink, steps: number, stepMs = 1000): Promise<number> {
  const calls = vi.spyOn(globalThis, 'fetch').mock.calls;
  for (let passed = 0; passed < steps; passed++) {
    answers = [{ status: 503 }];
    await clock.advance(stepMs);
    await eventually(() => expect(running.status().failures).toBe(calls.length));
  }
  [requests, answers] = [[], []];
  let waited = 0;
  for (; waited < 70 && requests.length === 0; waited++) {
    await clock.advance(stepMs);
    await eventually(() => expect(running.status().failures + requests.length).toBe(calls.length));
  }
  await eventually(() => expect(running.status().queued).toBe(0));
  return waited;
}

test('after an outage that overran the queue the newest that fit are delivered, at once', async () => {
  const running = start(numbered(), 8, 5000);
  await outage(running, 61);
  const got = bodies().map(Number);
  const first = got[0]!;
  // The outage was of 12 batches. At most a quarter of what the queue holds passes before the receiver is tried again.
  expect(first).toBeLessThanOrEqual(5);
  expect(got.length).toBeGreaterThanOrEqual(8);
  expect(got).toEqual(Array.from({ length: got.length }, (_, index) => first + index));
  expect(running.status()).toMatchObject({ sentSamples: got.length * 10, lostSamples: (first - 1) * 10 });
});

test.each([20, 28, 36, 39])('an outage of %d s that the queue has room for loses nothing', async (seconds) => {
  const running = start(numbered(), 8, 5000);
  await outage(running, 5 + seconds);
  expect(running.status()).toMatchObject({ queued: 0, lostSamples: 0 });
  expect(bodies()[0]).toBe('1');
});

test.each([
  // Tried at 5, 6, 8, 12, 20 and 30 s, after which the first wait would be of 16 s.
  { perPage: 1, capacity: 8, waited: 9 },
  { perPage: 2, capacity: 16, waited: 9 },
  // Tried at 5, 6, 8, 12, 17 and 22 s.
  { perPage: 2, capacity: 8, waited: 1 },
])('waits are a quarter of what the queue holds: %j', async ({ perPage, capacity, waited }) => {
  const encode = async () => Array.from({ length: perPage }, () => ({ body: Buffer.from('a'), samples: 10 }));
  expect(await outage(start(numbered({ encode }), capacity, 5000), 21)).toBe(waited);
});

test('a queue that holds little time is tried soon, and not more than once a second', async () => {
  const running = start(numbered(), 2, 100);
  await outage(running, 50, 100);
  // At 0.1, 1.1, … 4.1 s.
  expect(running.status().failures).toBe(5);
});

test('what is refused is lost, said, and not sent again', async () => {
  const running = start(numbered());
  answers = [{ status: 400, text: 'no\nsuch field' }];
  await pass(15_000, () =>
    expect(running.status()).toMatchObject({ lostSamples: 10, queued: 0, lastFailure: 'HTTP 400: no such field' }),
  );
  await pass(15_000, () => expect(running.status()).toMatchObject({ sentSamples: 10, lastFailure: null }));
  expect(bodies()).toEqual(['1', '2']);
});

test('a redirect is not followed: it would go where nobody configured', async () => {
  const running = start(numbered());
  answers = [{ status: 302, headers: { location: `${url}/elsewhere` } }];
  await pass(15_000, () => expect(running.status()).toMatchObject({ lostSamples: 10, lastFailure: 'HTTP 302' }));
  expect(requests).toHaveLength(1);
});

test('a receiver that does not answer has failed after the time-out', async () => {
  const running = start(numbered());
  answers = ['hang'];
  await pass(15_000, () => expect(requests).toHaveLength(1));
  await pass(5000, () => expect(running.status()).toMatchObject({ failures: 1, lastFailure: 'no answer in time' }));
  await pass(1000, () => expect(running.status()).toMatchObject({ sentSamples: 10, lastFailure: null }));
});

test('where only the newest counts, it takes the place of the one that waits', async () => {
  const running = start(numbered({ isLatestOnly: true }));
  answers = [{ status: 503, headers: { 'retry-after': '40' } }];
  await pass(15_000, () => expect(running.status().failures).toBe(1));
  await pass(15_000, () => expect(running.status()).toMatchObject({ queued: 1, lostSamples: 0 }));
  await pass(15_000, () => expect(running.status()).toMatchObject({ queued: 1, lostSamples: 0 }));
  await pass(10_000, () => expect(running.status().queued).toBe(0));
  expect(bodies()).toEqual(['1', '3']);
});

test('where only the newest counts, nothing is lost while a request hangs, however short the queue', async () => {
  const running = start(numbered({ isLatestOnly: true }), 1, 2000);
  answers = ['hang'];
  await pass(2000, () => expect(requests).toHaveLength(1));
  await pass(2000, () => expect(running.status().queued).toBe(2));
  await pass(3000, () => expect(running.status()).toMatchObject({ failures: 1, queued: 1, lostSamples: 0 }));
  await pass(1000, () => expect(running.status()).toMatchObject({ queued: 0, lostSamples: 0 }));
  expect(bodies().slice(0, 2)).not.toContain('2');
});

test('at the end what waits is sent once more, and the rest is counted', async () => {
  const running = start(numbered());
  answers = [{ status: 503 }, { status: 503 }];
  await pass(15_000, () => expect(running.status().failures).toBe(1));
  await running.close();
  expect(running.status()).toMatchObject({ queued: 0, lostSamples: 10, failures: 2 });
});

test('InfluxDB 2: its own address, with the token, and points in milliseconds', async () => {
  const headers = { authorization: 'Token secret' };
  const target = { org: 'my lab', bucket: 'gpus' };
  const running = start(influx({ url: `${url}/`, target, measurement: 'gpulse', host: 'node-1', headers }));
  answers = [{ status: 204 }];
  await pass(15_000, () => expect(running.status().sentSamples).toBeGreaterThan(10));
  const [{ request, body }] = requests as [(typeof requests)[number]];
  expect(request.url).toBe('/api/v2/write?precision=ms&org=my+lab&bucket=gpus');
  expect(request.headers).toMatchObject({ authorization: 'Token secret', 'content-encoding': 'gzip' });
  const lines = gunzipSync(body).toString().split('\n');
  expect(lines).toContainEqual(
    expect.stringMatching(
      new RegExp(`^gpulse,host=node-1,gpu=0,uuid=GPU-0a \\S*energy_joules_total=5\\S* ${NOW - 500}$`),
    ),
  );
});

test('OTLP: the points of the page, and a partial refusal is counted', async () => {
  const running = start(
    otlp({ url: `${url}/v1/metrics`, host: 'node-1', version: '1.2.3', headers: { 'x-tenant': 'a' } }),
  );
  answers = [{ status: 200, text: '{"partialSuccess":{"rejectedDataPoints":"3","errorMessage":"x"}}' }];
  await pass(15_000, () => expect(running.status().lostSamples).toBe(3));
  const [{ request, body }] = requests as [(typeof requests)[number]];
  expect(request.headers).toMatchObject({ 'content-type': 'application/json', 'x-tenant': 'a' });
  const { resourceMetrics } = JSON.parse(gunzipSync(body).toString());
  expect(resourceMetrics[0].resource.attributes).toContainEqual({ key: 'host.name', value: { stringValue: 'node-1' } });
  const metrics = resourceMetrics[0].scopeMetrics[0].metrics as { name: string }[];
  expect(metrics.find(({ name }) => name === 'gpulse_energy_joules_total')).toEqual({
    name: 'gpulse_energy_joules_total',
    description: 'Energy used since the driver was loaded.',
    unit: 'J',
    sum: {
      aggregationTemporality: 2,
      isMonotonic: true,
      dataPoints: [
        {
          attributes: [
            { key: 'gpu', value: { stringValue: '0' } },
            { key: 'uuid', value: { stringValue: 'GPU-0a' } },
          ],
          startTimeUnixNano: `${NOW - 60_000}000000`,
          timeUnixNano: `${NOW - 500}000000`,
          asDouble: 5,
        },
      ],
    },
  });
});
