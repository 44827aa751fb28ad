import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../model/clock.ts';
import { ManualClock } from '../../model/manual-clock.ts';
import { Background } from '../background.ts';
import { socketAccess } from '../socket-access.ts';
import { ContainerNames, engineAddresses } from './container-names.ts';

const ID = 'b15a5bdedd2e7645c3be271364324321b908314e4c77857bbfd32a041148c07f';
const OTHER = '8c046cb0b72cd4c99f51b5591cd5b095967f58ee003710a45280c28ee1a9c7fa';
const DOCKER = { id: ID, runtime: 'docker' } as const;
const DESCRIPTION = {
  Id: ID,
  Name: '/train-1',
  Image: 'sha256:0123',
  Config: {
    Image: 'nvcr.io/nvidia/pytorch:24.01-py3',
    Labels: { team: 'vision', 'com.docker.compose.project': 'demo' },
  },
};

let folder: string;
let clock: ManualClock;
let background: Background;
let engines: Server[] = [];
let requests: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpulse-engine-'));
  clock = new ManualClock();
  background = new Background();
  requests = [];
});

afterEach(() => {
  for (const engine of engines) {
    engine.closeAllConnections();
    engine.close();
  }
  engines = [];
  rmSync(folder, { recursive: true });
});

/** An engine behind a real socket; gives its path. */
async function engine(answer: (response: ServerResponse, request: IncomingMessage) => void, file = 'docker.sock') {
  const server = createServer((request, response) => {
    requests.push(`${file} ${request.method} ${request.url}`);
    answer(response, request);
  });
  engines.push(server);
  const socket = join(folder, file);
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return socket;
}

const json =
  (body: unknown, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };

function namesOf(...sockets: string[]): ContainerNames {
  const addresses = sockets.map((socket) => ({ engine: /podman/.test(socket) ? 'podman' : 'docker', socket }) as const);
  return new ContainerNames({ clock, background, engines: addresses, timeoutMs: 300 });
}

/** Waits, by the real clock, for what runs in the background. */
const settled = (): Promise<void> => background.settled(systemClock, 5000);

test('a container has its name, image and labels at a later look', async () => {
  const names = namesOf(await engine(json(DESCRIPTION, { server: 'Docker/24.0.2 (linux)' })));
  expect(names.of(DOCKER)).toBeNull();
  await settled();
  const facts = names.of(DOCKER);
  expect(facts).toEqual({
    name: 'train-1',
    image: 'nvcr.io/nvidia/pytorch:24.01-py3',
    labels: { team: 'vision', 'com.docker.compose.project': 'demo' },
    engine: 'docker',
  });
  expect(names.of(DOCKER)).toBe(facts);
  expect(requests).toEqual([`docker.sock GET /containers/${ID}/json`]);
});

test('a look does not wait for a slow engine, and gives up on it', async () => {
  const names = namesOf(await engine(() => {}));
  const started = performance.now();
  expect(names.of(DOCKER)).toBeNull();
  expect(performance.now() - started).toBeLessThan(50);
  await settled();
  expect(performance.now() - started).toBeLessThan(2000);
  expect(names.of(DOCKER)).toBeNull();
});

describe('an answer that cannot be used', () => {
  test.each<[string, (response: ServerResponse) => void]>([
    ['unknown container', (response) => response.writeHead(404).end('{"message":"No such container"}')],
    ['server error', (response) => response.writeHead(500).end('{}')],
    ['redirection', (response) => response.writeHead(302, { location: '/containers/x/json' }).end()],
    ['no JSON', (response) => response.end('<html>')],
    ['null', json(null)],
    ['array', json([])],
    ['another container', json({ ...DESCRIPTION, Id: OTHER })],
    ['no id', json({ Name: '/x' })],
    ['dropped connection', (response) => response.socket?.destroy()],
    [
      'dropped in the middle',
      (response) => {
        response.writeHead(200, { 'content-length': '1000' }).write('{"Id":');
        setTimeout(() => response.socket?.destroy(), 20);
      },
    ],
    [
      'endless',
      (response) => {
        const more = (): void => {
          while (!response.destroyed && response.write('x'.repeat(65_536)));
          if (!response.destroyed) response.once('drain', more);
        };
        more();
      },
    ],
    [
      'drip',
      (response) => {
        response.writeHead(200);
        const timer = setInterval(() => (response.destroyed ? clearInterval(timer) : response.write(' ')), 20);
      },
    ],
  ])('%s', async (_what, answer) => {
    const names = namesOf(await engine(answer));
    names.of(DOCKER);
    await settled();
    expect(names.of(DOCKER)).toBeNull();
    expect(requests).toHaveLength(1);
  });
});

test.each([
  ['no name', { Id: ID, Config: { Image: 'x' } }, { name: null, image: 'x', labels: {} }],
  ['nothing but the id', { Id: ID }, { name: null, image: null, labels: {} }],
  [
    'wrong types',
    { Id: ID, Name: 5, Config: { Image: {}, Labels: { a: 1, b: 'c' } } },
    { name: null, image: null, labels: { b: 'c' } },
  ],
  ['labels null', { Id: ID, Name: 'x', Config: { Image: '', Labels: null } }, { name: 'x', image: null, labels: {} }],
  [
    'control characters',
    { Id: ID, Name: '/\u001b[31mx', Config: { Labels: { a: 'b\nc' } } },
    { name: null, image: null, labels: {} },
  ],
  [
    'long label',
    { Id: ID, Name: '/x', Config: { Labels: { long: 'x'.repeat(2000), a: 'b' } } },
    { name: 'x', image: null, labels: { a: 'b' } },
  ],
])('an answer with %s is taken as far as it goes', async (_what, description, want) => {
  const names = namesOf(await engine(json(description)));
  names.of(DOCKER);
  await settled();
  expect(names.of(DOCKER)).toEqual({ ...want, engine: 'docker' });
});

test('labels without end are cut off', async () => {
  const labels = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`l${i}`, 'x']));
  const names = namesOf(await engine(json({ Id: ID, Config: { Labels: labels } })));
  names.of(DOCKER);
  await settled();
  expect(Object.keys(names.of(DOCKER)?.labels ?? {})).toHaveLength(64);
});

test('Podman is asked first for its containers, and known by name under the address of Docker', async () => {
  const docker = await engine(json({ ...DESCRIPTION, Id: OTHER }, { server: 'Libpod/4.3.1 (linux)' }));
  const podman = await engine((response) => response.writeHead(404).end(), 'podman.sock');
  const names = namesOf(docker, podman);
  names.of({ id: OTHER, runtime: 'podman' });
  await settled();
  expect(requests.map((request) => request.split(' ')[0])).toEqual(['podman.sock', 'docker.sock']);
  expect(names.of({ id: OTHER, runtime: 'podman' })?.engine).toBe('podman');
});

test.each([
  [{ id: ID, runtime: 'containerd' }],
  [{ id: ID, runtime: 'cri-o' }],
  [{ id: 'web', runtime: 'lxc' }],
  [{ id: '03752a671e744971a862edcee6195646-4015103728', runtime: 'unknown' }],
] as const)('no engine is asked for %j', async (container) => {
  const names = namesOf(await engine(json(DESCRIPTION)));
  names.of(container);
  await settled();
  expect(requests).toEqual([]);
});

test('an unknown container is asked for again only after a minute, a known one after five', async () => {
  let isKnown = false;
  const socket = await engine((response) => (isKnown ? json(DESCRIPTION)(response) : response.writeHead(404).end()));
  const names = namesOf(socket);
  const look = async (ms: number): Promise<number> => {
    await clock.advance(ms);
    names.of(DOCKER);
    await settled();
    return requests.length;
  };
  expect(await look(0)).toBe(1);
  expect(await look(59_000)).toBe(1);
  isKnown = true;
  expect(await look(1000)).toBe(2);
  expect(await look(299_000)).toBe(2);
  expect(await look(1000)).toBe(3);
  expect(names.of(DOCKER)?.name).toBe('train-1');
});

test('one container that hangs the engine does not keep the others from their names', async () => {
  const socket = await engine((response, { url }) => {
    if (url?.includes(ID) === false) json({ ...DESCRIPTION, Id: OTHER })(response);
  });
  const names = namesOf(socket);
  for (let i = 0; i < 4; i++) {
    names.of(DOCKER);
    await settled();
    names.of({ id: OTHER, runtime: 'docker' });
    await settled();
    await clock.advance(10_000);
  }
  expect(names.of({ id: OTHER, runtime: 'docker' })?.name).toBe('train-1');
});

test('a known container keeps its name while the engine is down', async () => {
  const names = namesOf(await engine(json(DESCRIPTION)));
  names.of(DOCKER);
  await settled();
  engines[0]?.closeAllConnections();
  engines[0]?.close();
  await clock.advance(300_000);
  names.of(DOCKER);
  await settled();
  expect(names.of(DOCKER)?.name).toBe('train-1');
});

test('many containers are asked for a few at a time, and all get their names', async () => {
  let running = 0;
  let most = 0;
  const socket = await engine((response, { url }) => {
    most = Math.max(most, ++running);
    setTimeout(() => {
      running--;
      json({ Id: url?.split('/')[2], Name: '/x' })(response);
    }, 5);
  });
  const names = namesOf(socket);
  const ids = Array.from({ length: 40 }, (_, i) => i.toString(16).padStart(64, '0'));
  for (const id of ids) names.of({ id, runtime: 'docker' });
  await settled();
  expect(ids.map((id) => names.of({ id, runtime: 'docker' })?.name)).toEqual(ids.map(() => 'x'));
  expect(most).toBeLessThanOrEqual(4);
});

test('a container without a process for five minutes is forgotten', async () => {
  const names = namesOf(await engine(json(DESCRIPTION)));
  names.of(DOCKER);
  await settled();
  await clock.advance(301_000);
  names.of({ id: OTHER, runtime: 'docker' });
  await settled();
  expect(names.of(DOCKER)).toBeNull();
});

/** What {@link socketAccess} tells a user who is not root: root may use every socket. */
function accessOfAnotherUser(socket: string): string {
  const script = `import('${import.meta.dirname}/../socket-access.ts').then(async (m) => console.log(await m.socketAccess('${socket}')))`;
  const isRoot = process.getuid?.() === 0;
  const child = spawnSync(process.execPath, ['-e', script], {
    encoding: 'utf8',
    cwd: '/',
    ...(isRoot ? { uid: 65_534, gid: 65_534 } : {}),
  });
  return child.stdout.trim() || child.stderr;
}

test('a socket that may not be used is named, one that does not exist is not', async () => {
  const names = namesOf(join(folder, 'none.sock'));
  names.of(DOCKER);
  await settled();
  expect(names.refused()).toEqual([]);
  expect(await socketAccess(join(folder, 'none.sock'))).toBe('absent');
  const socket = join(folder, 'docker.sock');
  writeFileSync(socket, '');
  chmodSync(folder, 0o755);
  chmodSync(socket, 0o000);
  expect(accessOfAnotherUser(socket)).toBe('refused');
});

test.each([
  [{}, ['/var/run/docker.sock', '/run/podman/podman.sock']],
  [
    { XDG_RUNTIME_DIR: '/run/user/1000' },
    [
      '/var/run/docker.sock',
      '/run/user/1000/docker.sock',
      '/run/podman/podman.sock',
      '/run/user/1000/podman/podman.sock',
    ],
  ],
  [{ DOCKER_HOST: 'unix:///x/d.sock' }, ['/x/d.sock', '/var/run/docker.sock', '/run/podman/podman.sock']],
  [{ DOCKER_HOST: 'unix:///var/run/docker.sock' }, ['/var/run/docker.sock', '/run/podman/podman.sock']],
  [{ DOCKER_HOST: 'tcp://10.0.0.1:2375', XDG_RUNTIME_DIR: '' }, ['/var/run/docker.sock', '/run/podman/podman.sock']],
])('engines with %j', (env, want) => {
  expect(engineAddresses(env).map(({ socket }) => socket)).toEqual(want);
});
