import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ApiCompactGpus, ApiGpu, ApiTickMessage } from '../model/api.ts';
import { ManualClock } from '../model/manual-clock.ts';
import { retryDelay } from './backoff.ts';
import type { LiveState } from './live-state.ts';
import { type Connection, LiveStream } from './stream.ts';
import { testGpu } from './test-gpu.ts';

const SNAPSHOT: ApiCompactGpus = {
  at: 1000,
  host: 'node',
  source: 'test',
  sequence: 1,
  machine: null,
  gpus: [{ ...withoutAbsent(testGpu({ at: 1000 })), readings: { power_watts: 300 }, absences: 0 }],
  absences: [{ fan_speed_ratio: 'not-supported' }],
};

function withoutAbsent({ absent, ...rest }: ApiGpu): Omit<ApiGpu, 'absent'> {
  return rest;
}

function tick(sequence: number, watts: number, uuid = 'GPU-0'): ApiTickMessage {
  const change = { uuid, state: 'ok', at: 2000, readings: { power_watts: watts }, absent: {} } as const;
  return { at: 2000, sequence, gpus: [change], events: [] };
}

function sse(event: string, data: unknown, id: number): string {
  return `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
}

let server: Server;
let base: string;
/** Answers of the server, newest last. */
let answers: { response: ServerResponse; lastId: string | undefined }[];
let refuse: boolean;

let clock: ManualClock;
let connections: Connection[];
let states: LiveState[];
let stream: LiveStream;

beforeEach(async () => {
  answers = [];
  refuse = false;
  server = createServer((request, response) => {
    if (refuse) {
      response.writeHead(503, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { code: 'BUSY', message: 'too many', hint: 'later' } }));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    answers.push({ response, lastId: request.headers['last-event-id'] as string | undefined });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sub/`;
  clock = new ManualClock();
  connections = [];
  states = [];
  stream = new LiveStream({
    base,
    lang: () => 'en',
    clock,
    random: () => 0.5,
    onConnection: (connection) => connections.push(connection),
    onSnapshot: (state) => states.push(state),
    onTick: (state) => states.push(state),
  });
});

afterEach(async () => {
  stream.stop();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function phase(): string | undefined {
  return connections.at(-1)?.phase;
}

async function connected(count: number): Promise<ServerResponse> {
  await vi.waitFor(() => expect(answers).toHaveLength(count));
  return answers[count - 1]!.response;
}

test('a snapshot opens, ticks change it', async () => {
  stream.start();
  expect(phase()).toBe('connecting');
  const response = await connected(1);
  response.write(sse('snapshot', SNAPSHOT, 1));
  response.write(sse('tick', tick(2, 310), 2));
  await vi.waitFor(() => expect(states).toHaveLength(2));
  expect(states[1]?.gpus[0]?.readings).toEqual({ power_watts: 310, fan_speed_ratio: null });
  expect(connections.map((connection) => connection.phase)).toEqual(['connecting', 'open']);
});

test('a broken stream is taken up again after the wait, with the last id', async () => {
  stream.start();
  (await connected(1)).end(sse('snapshot', SNAPSHOT, 7));
  await vi.waitFor(() => expect(phase()).toBe('waiting'));
  const waiting = connections.at(-1);
  expect(waiting).toMatchObject({ retryAt: retryDelay(1, 0.5), failure: { code: 'STREAM_ENDED' } });
  expect(answers).toHaveLength(1);
  await clock.advance(retryDelay(1, 0.5));
  const response = await connected(2);
  expect(answers[1]?.lastId).toBe('7');
  response.write(sse('tick', tick(8, 320), 8));
  await vi.waitFor(() => expect(phase()).toBe('open'));
  expect(states.at(-1)?.gpus[0]?.readings).toEqual({ power_watts: 320, fan_speed_ratio: null });
});

test('a refusal is shown in the words of the server, and waits grow', async () => {
  refuse = true;
  stream.start();
  await vi.waitFor(() => expect(phase()).toBe('waiting'));
  expect(connections.at(-1)).toMatchObject({
    failure: { code: 'BUSY', message: 'too many', hint: 'later', status: 503 },
  });
  const first = retryDelay(1, 0.5);
  await clock.advance(first);
  await vi.waitFor(() => expect(connections.filter((each) => each.phase === 'waiting')).toHaveLength(2));
  expect(connections.at(-1)).toMatchObject({ retryAt: first + retryDelay(2, 0.5) });
});

test('a server that is not there is a failure with a remedy', async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  stream.start();
  await vi.waitFor(() => expect(phase()).toBe('waiting'));
  expect(connections.at(-1)).toMatchObject({ failure: { code: 'SERVER_UNREACHABLE', status: null } });
});

test('heartbeats keep a stream alive, 40 s of silence end it', async () => {
  stream.start();
  const response = await connected(1);
  response.write(sse('snapshot', SNAPSHOT, 1));
  await vi.waitFor(() => expect(phase()).toBe('open'));
  await clock.advance(39_000);
  response.write(`: heartbeat\n\n${sse('tick', tick(2, 301), 2)}`);
  await vi.waitFor(() => expect(states).toHaveLength(2));
  await clock.advance(39_000);
  expect(phase()).toBe('open');
  await clock.advance(1000);
  await vi.waitFor(() => expect(phase()).toBe('waiting'));
  expect(connections.at(-1)).toMatchObject({ failure: { code: 'STREAM_SILENT' } });
});

test('an unknown GPU asks for a new snapshot once', async () => {
  stream.start();
  const response = await connected(1);
  response.write(sse('snapshot', SNAPSHOT, 1));
  response.write(sse('tick', tick(2, 1, 'GPU-9'), 2));
  const again = await connected(2);
  expect(answers[1]?.lastId).toBeUndefined();
  again.write(sse('snapshot', { ...SNAPSHOT, sequence: 3 }, 3));
  again.write(sse('tick', tick(4, 1, 'GPU-9'), 4));
  await vi.waitFor(() => expect(states.at(-1)?.sequence).toBe(4));
  expect(answers).toHaveLength(2);
});

test('stop is final', async () => {
  stream.start();
  await connected(1);
  stream.stop();
  await clock.advance(120_000);
  expect(answers).toHaveLength(1);
  expect(phase()).toBe('stopped');
});
