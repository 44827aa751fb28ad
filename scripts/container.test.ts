import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiHealth } from '../src/model/api.ts';

const ROOT = resolve(import.meta.dirname, '..');
const CONTAINER = join(ROOT, 'deploy/container');
const LIBRARY = join(ROOT, 'testdata/fake-nvml/build/new/libnvidia-ml.so.1');
/** Another user can only be played by root; the bundle is there once it has been built. */
const isComplete = existsSync(join(ROOT, 'dist/node/entry.cjs')) && existsSync(LIBRARY) && process.getuid?.() === 0;
const NOBODY = 65_532;

/** Instructions of the file, continuation lines joined. */
const INSTRUCTIONS = readFileSync(join(CONTAINER, 'Containerfile'), 'utf8')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll('\\\n', '')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1).trim()] as const);

const valuesOf = (instruction: string) =>
  INSTRUCTIONS.filter(([name]) => name === instruction).map(([, value]) => value);

test('the image is built in stages and runs as nobody in particular', () => {
  expect(valuesOf('FROM')).toHaveLength(2);
  const last = INSTRUCTIONS.findLastIndex(([name]) => name === 'FROM');
  const final = INSTRUCTIONS.slice(last);
  expect(final.find(([name]) => name === 'USER')?.[1]).toBe(`${NOBODY}:${NOBODY}`);
  // Of the build only what was assembled comes along.
  expect(final.filter(([name]) => name === 'COPY').map(([, value]) => value)).toEqual([
    '--from=build /app /opt/gpulse',
  ]);
  expect(JSON.parse(final.find(([name]) => name === 'ENTRYPOINT')?.[1] ?? '[]')).toEqual(['/opt/gpulse/bin/gpulse']);
  for (const line of valuesOf('RUN'))
    if (line.startsWith('sh ')) expect(existsSync(join(ROOT, line.split(' ')[1] ?? ''))).toBe(true);
});

test('nothing that was built or recorded here gets into the build', () => {
  const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
  expect(ignored).toEqual(expect.arrayContaining(['.git', 'node_modules', 'dist']));
  for (const needed of ['src', 'web', 'bin', 'deploy', 'package-lock.json']) expect(ignored).not.toContain(needed);
});

describe.skipIf(!isComplete)('what the image holds', () => {
  let folder: string;
  let server: ChildProcess | null = null;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'gpulse-image-'));
    chmodSync(folder, 0o755);
    const { status, stderr } = spawnSync('sh', [join(CONTAINER, 'assemble.sh'), join(folder, 'app')], {
      encoding: 'utf8',
    });
    expect([stderr, status]).toEqual(['', 0]);
    mkdirSync(join(folder, 'data'));
    spawnSync('chown', [String(NOBODY), join(folder, 'data')]);
    cpSync(LIBRARY, join(folder, 'libnvidia-ml.so.1'));
    writeFileSync(join(folder, 'script'), 'gpus 2\n');
  });

  afterAll(async () => {
    if (server !== null) {
      const ended = new Promise((done) => server?.once('exit', done));
      server.kill();
      await ended;
    }
    rmSync(folder, { recursive: true });
  });

  test('serves as that user, with nothing but its own folder', async () => {
    const command = JSON.parse(valuesOf('CMD')[0] ?? '[]') as string[];
    const listen = command.map((word) =>
      word === '0.0.0.0:9400' ? '127.0.0.1:0' : word === '/var/lib/gpulse' ? join(folder, 'data') : word,
    );
    server = spawn(join(folder, 'app/bin/gpulse'), [...listen, '--nvml-library', join(folder, 'libnvidia-ml.so.1')], {
      uid: NOBODY,
      gid: NOBODY,
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', FAKE_NVML_SCRIPT: join(folder, 'script') },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const url = await new Promise<string>((found, failed) => {
      let output = '';
      server?.stdout?.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        const address = /http:\/\/127\.0\.0\.1:\d+\S*/.exec(output)?.[0];
        if (address !== undefined) found(address);
      });
      server?.once('exit', (code) => failed(new Error(`ended with ${code}: ${output}`)));
    });
    const health = (await (await fetch(new URL('api/v1/health', url))).json()) as ApiHealth;
    expect(health.source).toMatchObject({ name: 'nvml', state: 'running' });
    expect(await (await fetch(new URL('metrics', url))).text()).toContain('gpulse_power_watts{gpu="1"');
    expect(await (await fetch(url)).text()).toContain('<script type="module"');
  }, 90_000);
});
