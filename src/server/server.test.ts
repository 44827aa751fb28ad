import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../model/manual-clock.ts';
import { MemoryReader } from './memory-reader.ts';
import { startServer } from './server.ts';
import { TestServer } from './test-server.ts';
import { TestStream } from './test-stream.ts';

const running: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const server of running.splice(0)) await server.close();
});

async function start(host: string, port = 0, allowAnonymous = false) {
  const reader = new MemoryReader();
  const server = await startServer({
    host,
    port,
    allowAnonymous,
    basePath: '/gpulse',
    webRoot: null,
    reader,
    controls: reader,
    clock: new ManualClock(),
  });
  running.push(server);
  return server;
}

/** Takes a free port for itself. */
async function takePort(): Promise<{ port: number; server: Server }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { port: address.port, server };
}

describe('listening', () => {
  test('says where the dashboard is', async () => {
    const server = await start('127.0.0.1');
    expect(server.address).toEqual({ host: '127.0.0.1', port: expect.any(Number) });
    expect(server.url).toBe(`http://127.0.0.1:${server.address.port}/gpulse/`);
    expect((await fetch(`${server.url}api/v1/gpus`)).status).toBe(200);
  });

  test('localhost works by name', async () => {
    const server = await start('localhost');
    expect((await fetch(`${server.url}api/v1/gpus`)).status).toBe(200);
  });

  test('a port in use is named', async () => {
    const { port, server } = await takePort();
    running.push({ close: () => new Promise((resolve) => server.close(() => resolve())) });
    await expect(start('127.0.0.1', port)).rejects.toMatchObject({
      code: 'PORT_IN_USE',
      params: { host: '127.0.0.1', port },
    });
  });

  test('an address this machine does not have is named', async () => {
    await expect(start('203.0.113.7', 0, true)).rejects.toMatchObject({
      code: 'LISTEN_FAILED',
      params: { host: '203.0.113.7', port: 0, detail: expect.stringContaining('EADDRNOTAVAIL') },
    });
  });

  test.each(['0.0.0.0', '::', '', '10.0.0.7', 'gpu-node'])('%j is refused without consent', async (host) => {
    await expect(start(host)).rejects.toMatchObject({ code: 'ANONYMOUS_LISTEN' });
  });

  test.each(['0.0.0.0', ''])('%j is fine with consent, and reached by loopback', async (host) => {
    const server = await start(host, 0, true);
    expect((await fetch(`${server.url}api/v1/gpus`)).status).toBe(200);
  });
});

test('closing ends streams in an orderly way, at once, and frees the port', async () => {
  const server = await TestServer.start();
  const streams = await Promise.all([TestStream.open(server.port), TestStream.open(server.port)]);
  await Promise.all(streams.map((stream) => stream.take(1)));
  const began = performance.now();
  await server.close();
  await Promise.all(streams.map((stream) => stream.until(({ ended }) => ended)));
  expect(performance.now() - began).toBeLessThan(1000);
  expect(streams.map(({ response }) => response.complete)).toEqual([true, true]);
  expect(server.reader.listeners.size).toBe(0);
  await start('127.0.0.1', server.port);
});

test('closing does not wait for a query that never ends', async () => {
  const server = await TestServer.start();
  server.reader.onSeries = () => new Promise(() => {});
  const answer = server.fetch('/api/v1/series?metric=power_watts').catch(() => 'cut off');
  while (server.reader.seriesQueries.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await server.close();
  expect(await answer).toBe('cut off');
});
