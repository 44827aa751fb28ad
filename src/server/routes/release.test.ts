import { afterEach, describe, expect, test } from 'vitest';
import { TestServer } from '../test-server.ts';

let server: TestServer;

afterEach(async () => {
  await server.close();
});

async function post(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(new URL(path, server.url), { method: 'POST', headers });
}

describe('releasing the GPUs', () => {
  test('takes a number of seconds, and five minutes where none is given', async () => {
    server = await TestServer.start();
    server.reader.statusPatch = { source: { state: 'released', releasedUntil: 1_800_000_000_000 } };
    const answer = await post('api/v1/release');
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ state: 'released', releasedUntil: 1_800_000_000_000 });
    await post('api/v1/release?seconds=30');
    await post('api/v1/resume');
    expect(server.reader.asked).toEqual(['release 300000', 'release 30000', 'resume']);
  });

  test.each(['seconds=0', 'seconds=-1', 'seconds=1e3', 'seconds=86401', 'minutes=5'])(
    '%s is refused',
    async (query) => {
      server = await TestServer.start();
      expect((await post(`api/v1/release?${query}`)).status).toBe(400);
      expect(server.reader.asked).toEqual([]);
    },
  );

  test('is not done by reading', async () => {
    server = await TestServer.start();
    expect((await fetch(new URL('api/v1/release', server.url))).status).toBe(404);
    expect(server.reader.asked).toEqual([]);
  });

  test.each(['https://evil.example', 'null', 'http://127.0.0.1.evil.example'])(
    'is not for pages of %s',
    async (origin) => {
      server = await TestServer.start();
      const answer = await post('api/v1/release', { origin });
      expect(answer.status).toBe(403);
      expect(await answer.json()).toMatchObject({ error: { code: 'ORIGIN_NOT_ALLOWED' } });
      expect(server.reader.asked).toEqual([]);
    },
  );

  test('is for the dashboard itself', async () => {
    server = await TestServer.start();
    expect((await post('api/v1/release', { origin: new URL(server.url).origin })).status).toBe(200);
  });

  test('other paths take no POST', async () => {
    server = await TestServer.start();
    expect((await post('api/v1/gpus')).status).toBe(405);
  });
});
