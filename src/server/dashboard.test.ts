import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parsePlace } from '../../web/src/state/place.ts';
import { TestServer } from './test-server.ts';

const PAGE =
  '<!doctype html><head><base href="/" /><script type="module" src="./assets/index-1a2b.js"></script></head>';

let folder: string;
let webRoot: string;
let server: TestServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpulse-dashboard-'));
  webRoot = join(folder, 'web');
  await mkdir(join(webRoot, 'assets'), { recursive: true });
  await Promise.all([
    writeFile(join(folder, 'secret.txt'), 'hidden'),
    writeFile(join(webRoot, 'index.html'), PAGE),
    writeFile(join(webRoot, '.env'), 'hidden'),
    writeFile(join(webRoot, 'icon.svg'), '<svg/>'),
    writeFile(join(webRoot, 'assets', 'index-1a2b.js'), 'export {};'),
  ]);
  server = await TestServer.start({ basePath: '/gpulse', webRoot });
});

afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

describe('the built dashboard', () => {
  test.each(['/', '/gpulse/', '/index.html', '/gpu/GPU-0', '/gpulse/gpu/0000:65:00.0', '/findings', '/about?x=1'])(
    '%s is the page, with the base path in it',
    async (path) => {
      const response = await server.fetch(path, { headers: { accept: 'text/html,*/*;q=0.8' } });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('no-cache');
      const page = await response.text();
      expect(page).toBe(PAGE.replace('<base href="/" />', '<base href="/gpulse/">'));
    },
  );

  test('the base path without a slash leads to the one with it, so that the page finds its place', async () => {
    const response = await server.fetch('/gpulse?lang=zh', { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([302, '/gpulse/?lang=zh']);
    expect(await (await server.fetch('/gpulse')).text()).toContain('<base href="/gpulse/">');
  });

  test('without a base path the base is the root', async () => {
    const plain = await TestServer.start({ webRoot });
    expect(await (await plain.fetch('/')).text()).toContain('<base href="/">');
    await plain.close();
  });

  test.each(['/assets/index-1a2b.js', '/gpulse/assets/index-1a2b.js'])('%s may be kept for ever', async (path) => {
    const response = await server.fetch(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^(text|application)\/javascript/);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(await response.text()).toBe('export {};');
  });

  test('other files are asked for anew, and their types cannot be guessed', async () => {
    const response = await server.fetch('/icon.svg');
    expect(response.headers.get('content-type')).toMatch(/^image\/svg\+xml/);
    expect(response.headers.get('cache-control')).toBe('no-cache');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test.each(['/nothing', '/metric', '/gpulse/metricss', '/about/', '/gpu/', '/gpu/a/b', '/nothing?x=1'])(
    '%s is no place: the page says so, with a 404 for programs',
    async (path) => {
      for (const accept of ['text/html,*/*;q=0.8', 'text/plain;version=0.0.4,*/*;q=0.1']) {
        const response = await server.fetch(path, { headers: { accept } });
        expect(response.status).toBe(404);
        expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
        expect(await response.text()).toContain('<base href="/gpulse/">');
      }
    },
  );

  test.each(['', 'about', 'findings', 'gpu/GPU-0', 'gpu/a%2Fb', 'nothing', 'about/', 'gpu/', 'gpu/a/b', 'About'])(
    'what the page says of "/%s" and the status agree',
    async (path) => {
      const isKnown = parsePlace(path, '').route.view !== 'not-found';
      expect((await server.fetch(`/${path}`)).status).toBe(isKnown ? 200 : 404);
    },
  );

  test('HEAD answers the same headers without a body', async () => {
    for (const path of ['/', '/findings', '/assets/index-1a2b.js']) {
      const response = await server.fetch(path, { method: 'HEAD' });
      expect(response.status, path).toBe(200);
      expect(await response.text()).toBe('');
    }
  });

  test.each(['/assets/', '/assets', '/assets/gone.js', '/gone.js', '/api/gone', '/metrics', '/.env', '/favicon.ico'])(
    '%s is a 404 and not a page',
    async (path) => {
      const { status, body } = await server.json(path);
      expect([status, body]).toMatchObject([404, { error: { code: 'NOT_FOUND' } }]);
    },
  );

  test.each([
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/assets/%2e%2e%2f%2e%2e%2fsecret.txt',
    '/..\\secret.txt',
    '/assets/..%5c..%5csecret.txt',
    '/secret.txt%00.js',
    '//secret.txt',
    '/gpulse/../secret.txt',
    '/%2Eenv',
  ])('%s leads to no file', async (path) => {
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(server.port, '127.0.0.1');
      let text = '';
      socket.on('data', (piece) => (text += piece));
      socket.on('close', () => resolve(text));
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 (200|400|404) /);
    expect(answer.includes('"error"') || answer.includes('<base href="/gpulse/">')).toBe(true);
    expect(answer).not.toContain('hidden');
  });
});

describe('where it has not been built', () => {
  test.each([
    ['null', null],
    ['a folder that is gone', join(tmpdir(), 'gpulse-no-such-folder')],
  ])('%s: the page says how to build it, and the API works', async (_name, root) => {
    const unbuilt = await TestServer.start({ webRoot: root });
    const page = await unbuilt.fetch('/', { headers: { accept: 'text/html' } });
    expect([page.status, page.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8']);
    expect(await page.text()).toContain('npm run build');
    const chinese = await unbuilt.fetch('/runs', { headers: { 'accept-language': 'zh' } });
    expect(await chinese.text()).toContain('尚未构建');
    expect((await unbuilt.fetch('/assets/x.js')).status).toBe(404);
    expect((await unbuilt.fetch('/api/v1/gpus')).status).toBe(200);
    await unbuilt.close();
  });
});
