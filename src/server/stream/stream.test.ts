import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { applyTick } from '../../client/live-state.ts';
import { type ApiGpus, type ApiTickMessage, gpusSchema, tickMessageSchema } from '../../model/api.ts';
import type { GpuEvent } from '../../model/event.ts';
import { fullView } from '../memory-reader.ts';
import { TestServer } from '../test-server.ts';
import { TestStream } from '../test-stream.ts';

const LOST: GpuEvent = {
  at: 5,
  kind: 'gpu-lost',
  severity: 'critical',
  uuid: 'GPU-1',
  params: { index: 1, name: 'H100' },
};

const servers: TestServer[] = [];
const streams: TestStream[] = [];

afterEach(async () => {
  for (const stream of streams.splice(0)) stream.drop();
  for (const server of servers.splice(0)) await server.close();
});

async function start(options: Parameters<typeof TestServer.start>[0] = {}): Promise<TestServer> {
  const server = await TestServer.start(options);
  servers.push(server);
  return server;
}

async function open(server: TestServer, options: Parameters<typeof TestStream.open>[1] = {}): Promise<TestStream> {
  const stream = await TestStream.open(server.port, options);
  streams.push(stream);
  return stream;
}

/** Devices of which every metric differs from one call to the next. */
function devices(server: TestServer, seed: number, count = 3) {
  return Array.from({ length: count }, (_, index) => fullView(index, server.clock.now() + 1000, seed));
}

/** The state a client has after every message. */
function stateOf({ messages }: Pick<TestStream, 'messages'>): ApiGpus | undefined {
  let state: ApiGpus | undefined;
  for (const { event, data } of messages) {
    if (event === 'snapshot') state = gpusSchema.parse(data);
    else if (state !== undefined) state = applyTick(state, tickMessageSchema.parse(data)).state;
  }
  return state;
}

async function currentState(server: TestServer): Promise<unknown> {
  return (await server.json('/api/v1/gpus')).body;
}

/** Resolves once the server has noticed that the clients are gone. */
async function gone(server: TestServer): Promise<void> {
  await expect.poll(() => server.openStreams()).toBe(0);
}

describe('the live stream', () => {
  test('is an event stream that no proxy holds back', async () => {
    const { response } = await open(await start());
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'content-encoding': 'identity',
      'x-content-type-options': 'nosniff',
    });
  });

  test('begins with the retry time and the body of /api/v1/gpus', async () => {
    const server = await start();
    const stream = await open(server);
    const [snapshot] = await stream.take(1);
    expect(stream.others).toEqual(['retry: 2000']);
    expect(snapshot).toMatchObject({ event: 'snapshot', id: expect.stringMatching(/^\w+-\d+$/) });
    expect(snapshot?.data).toEqual(await currentState(server));
  });

  test('then says what each tick changed', async () => {
    const server = await start();
    const stream = await open(server);
    await stream.take(1);
    for (let i = 1; i <= 5; i++) await server.tick(devices(server, i, i === 3 ? 2 : 3));
    const messages = await stream.take(6);
    expect(messages.map(({ event }) => event)).toEqual(['snapshot', 'tick', 'tick', 'tick', 'tick', 'tick']);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(6);
    expect(stateOf(stream)).toEqual(await currentState(server));
  });

  test('words events in the language of each client', async () => {
    const server = await start();
    const [en, zh, asked] = [
      await open(server),
      await open(server, { headers: { 'accept-language': 'zh-CN' } }),
      await open(server, { query: '?lang=zh' }),
    ];
    await server.tick(devices(server, 1), [LOST]);
    const texts = async (stream: TestStream) => {
      const messages = await stream.take(2);
      return (messages[1]!.data as ApiTickMessage).events;
    };
    expect(await texts(en)).toEqual([{ ...LOST, text: 'GPU 1 (H100) is lost' }]);
    expect(await texts(zh)).toEqual([{ ...LOST, text: 'GPU 1（H100）掉卡' }]);
    expect(await texts(asked)).toEqual(await texts(zh));
  });

  test('an event is told although no reading changed', async () => {
    const server = await start();
    const stream = await open(server);
    await stream.take(1);
    await server.clock.advance(1000);
    for (const listener of server.reader.listeners) listener({ snapshot: server.reader.current, events: [LOST] });
    const [, tick] = await stream.take(2);
    expect(tick?.data).toMatchObject({ gpus: [], events: [{ kind: 'gpu-lost' }] });
  });

  test('another source is told', async () => {
    const server = await start();
    const stream = await open(server);
    await stream.take(1);
    server.reader.sourceName = 'nvml';
    await server.tick(devices(server, 1));
    await stream.take(2);
    expect(stateOf(stream)?.source).toBe('nvml');
  });

  test('ticks that come too fast are merged, and none of their events is lost', async () => {
    const server = await start();
    const stream = await open(server);
    await stream.take(1);
    await server.clock.advance(1000);
    for (let i = 1; i <= 200; i++) server.reader.publish(server.clock.now(), devices(server, i), [{ ...LOST, at: i }]);
    await server.clock.advance(50);
    await stream.take(3);
    expect(stream.messages).toHaveLength(3);
    expect(stateOf(stream)).toEqual(await currentState(server));
    const events = stream.messages.flatMap(({ event, data }) =>
      event === 'tick' ? (data as ApiTickMessage).events : [],
    );
    expect(events.map(({ at }) => at)).toEqual(Array.from({ length: 200 }, (_, i) => i + 1));
  });

  test('what changes by time alone comes with the next heartbeat', async () => {
    const server = await start();
    const stream = await open(server);
    await stream.take(1);
    const { current } = server.reader;
    server.reader.current = { ...current, devices: current.devices.map((view) => ({ ...view, state: 'stale' })) };
    await server.clock.advance(15_000);
    await stream.take(2);
    expect(stateOf(stream)?.gpus.map(({ state }) => state)).toEqual(['stale', 'stale', 'stale']);
  });

  test('a heartbeat is sent every 15 s, and none where nobody listens', async () => {
    const server = await start();
    const stream = await open(server);
    await stream.take(1);
    await server.clock.advance(14_999);
    expect(stream.others).toEqual(['retry: 2000']);
    await server.clock.advance(1);
    await stream.until(({ others }) => others.length === 2);
    await server.clock.advance(30_000);
    await stream.until(({ others }) => others.length === 4);
    expect(stream.others.slice(1)).toEqual([': still here', ': still here', ': still here']);
    expect(stream.messages).toHaveLength(1);
  });
});

describe('a stream that broke off', () => {
  /** A stream that has seen `seen` of `seen + missed` ticks, and the id it saw last. */
  async function broken(server: TestServer, seen: number, missed: number): Promise<string> {
    const first = await open(server);
    await first.take(1);
    for (let i = 0; i < seen; i++) await server.tick(devices(server, i + 1));
    const id = (await first.take(seen + 1)).at(-1)?.id ?? '';
    first.drop();
    await gone(server);
    for (let i = 0; i < missed; i++) await server.tick(devices(server, seen + i + 1));
    return id;
  }

  test.each([
    ['the header', (id: string) => ({ headers: { 'last-event-id': id } })],
    ['the parameter', (id: string) => ({ query: `?lastEventId=${id}` })],
    [
      'the header before the parameter',
      (id: string) => ({ query: '?lastEventId=x', headers: { 'last-event-id': id } }),
    ],
  ])('gets exactly what it missed, by %s', async (_name, resume) => {
    const server = await start();
    const id = await broken(server, 2, 3);
    const second = await open(server, resume(id));
    await server.tick(devices(server, 9));
    const messages = await second.take(4);
    expect(messages.map(({ event }) => event)).toEqual(['tick', 'tick', 'tick', 'tick']);
    const both = [...(streams[0]?.messages ?? []), ...messages];
    expect(stateOf({ messages: both })).toEqual(await currentState(server));
  });

  test.each([
    ['an id from before the ring', { streamLimits: { ringMessages: 3 } }, 0, 5],
    ['a ring that is too small for it', { streamLimits: { ringBytes: 5000 } }, 0, 5],
    ['a stream that has been cold meanwhile', { streamLimits: { ringMessages: 4 } }, 1, 4],
    ['nothing missed', {}, 2, 0],
  ])('gets a snapshot for %s', async (_name, options, seen, missed) => {
    const server = await start(options);
    const id = await broken(server, seen, missed);
    const second = await open(server, { headers: { 'last-event-id': id } });
    const messages = await second.take(1);
    expect(messages.map(({ event }) => event)).toEqual(['snapshot']);
    expect(messages[0]?.data).toEqual(await currentState(server));
    await server.tick(devices(server, 99));
    await second.take(2);
    expect(stateOf(second)).toEqual(await currentState(server));
  });

  test.each(['1', 'x', '', 'zzz-1', '-', 'a-b', '0-99999999999999999999'])(
    'an id that is not ours (%j) gets a snapshot',
    async (id) => {
      const server = await start();
      await broken(server, 1, 1);
      const stream = await open(server, { headers: { 'last-event-id': id } });
      expect((await stream.take(1))[0]?.event).toBe('snapshot');
    },
  );

  test('the last id before the stream was cold is not continued by what is sent after', async () => {
    const server = await start({ streamLimits: { ringMessages: 3 } });
    const id = await broken(server, 1, 0);
    const silent = { snapshot: server.reader.current, events: [] };
    for (let i = 0; i < 3; i++) {
      await server.clock.advance(1000);
      for (const listener of server.reader.listeners) listener(silent);
    }
    expect(server.reader.listeners.size).toBe(0);
    await server.tick(devices(server, 50));
    const other = await open(server);
    await other.take(1);
    await server.tick(server.reader.current.devices.slice(0, 2));
    await other.take(2);
    const stream = await open(server, { headers: { 'last-event-id': id } });
    expect((await stream.take(1))[0]?.event).toBe('snapshot');
  });

  test('an id of the server before a restart is not taken for one of ours', async () => {
    const id = await broken(await start(), 2, 0);
    const restarted = await start({ now: Date.UTC(2026, 0, 2) });
    await broken(restarted, 2, 2);
    const stream = await open(restarted, { headers: { 'last-event-id': id } });
    expect((await stream.take(1))[0]?.event).toBe('snapshot');
  });
});

describe('nobody listening', () => {
  test('there is no subscription until a client comes, and none again soon after the last has gone', async () => {
    const server = await start({ streamLimits: { ringMessages: 5 } });
    expect(server.reader.listeners.size).toBe(0);
    const stream = await open(server);
    await stream.take(1);
    expect(server.reader.listeners.size).toBe(1);
    await open(server);
    expect(server.reader.listeners.size).toBe(1);
    for (const each of streams) each.drop();
    await gone(server);
    for (let i = 0; i < 4; i++) await server.tick(devices(server, i));
    expect(server.reader.listeners.size).toBe(1);
    await server.tick(devices(server, 4));
    expect(server.reader.listeners.size).toBe(0);
    const again = await open(server);
    await again.take(1);
    expect(stateOf(again)).toEqual(await currentState(server));
  });
});

describe('a client that is slow', () => {
  // A tick of 16 GPUs on which every reading has changed is far below this, and 200 of them far above.
  const LIMITS = { bufferedBytes: 1_000_000, laggingMs: 60_000 };

  /** Ticks until the server has given up on sending deltas to the stream that does not read. */
  async function overflow(server: TestServer, ticks: number): Promise<void> {
    for (let i = 0; i < ticks; i++) {
      await server.tick(devices(server, i + 1, 16), [], 100);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  test('misses ticks, costs a bounded buffer, holds up nobody, and gets a snapshot once it has caught up', async () => {
    const server = await start({ devices: 16, streamLimits: LIMITS });
    const [slow, quick] = [await open(server), await open(server)];
    await Promise.all([slow.take(1), quick.take(1)]);
    slow.pause();
    await overflow(server, 200);
    await quick.take(201);
    expect(stateOf(quick)).toEqual(await currentState(server));
    slow.resume();
    await slow.until(({ messages }) => messages.filter(({ event }) => event === 'snapshot').length === 2);
    expect(slow.messages.length).toBeLessThan(200);
    await server.tick(devices(server, 500, 16));
    await slow.until(({ messages }) => messages.at(-1)?.event === 'tick');
    expect(stateOf(slow)).toEqual(await currentState(server));
  });

  test('is dropped when it does not catch up', async () => {
    const server = await start({ devices: 16, streamLimits: LIMITS });
    const slow = await open(server);
    await slow.take(1);
    slow.pause();
    await overflow(server, 200);
    expect(server.openStreams()).toBe(1);
    await server.clock.advance(75_000);
    await gone(server);
  });

  test('one whose connection breaks is forgotten', async () => {
    const server = await start();
    const socket = connect(server.port, '127.0.0.1');
    socket.write('GET /api/v1/stream HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await expect.poll(() => server.openStreams()).toBe(1);
    socket.resetAndDestroy();
    await gone(server);
    await server.tick(devices(server, 1));
    expect(server.log).toEqual([]);
  });
});

test('beyond the most streams, the answer says so, and there is room again once one has gone', async () => {
  const server = await start({ streamLimits: { clients: 3 } });
  for (let i = 0; i < 3; i++) await (await open(server)).take(1);
  const response = await server.fetch('/api/v1/stream');
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await response.json()).toMatchObject({
    error: { code: 'TOO_MANY_STREAMS', message: expect.stringMatching(/^too many live streams are open \(\d+\)$/) },
  });
  expect((await server.fetch('/api/v1/gpus')).status).toBe(200);
  streams[0]?.drop();
  await expect.poll(() => server.openStreams()).toBe(2);
  await (await open(server)).take(1);
});

test('a fault in a message is logged and never reaches the sampling', async () => {
  const server = await start();
  const stream = await open(server);
  await stream.take(1);
  const broken = { ...LOST, kind: 'no-such-kind' } as unknown as GpuEvent;
  await server.tick(devices(server, 1), [broken]);
  expect(server.log.splice(0)).toEqual([expect.stringContaining('in the live stream: TypeError')]);
  await server.tick(devices(server, 2));
  await stream.take(2);
  expect(stateOf(stream)).toEqual(await currentState(server));
});
