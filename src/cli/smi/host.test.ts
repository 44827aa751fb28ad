import { createServer, type Server } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { openDriver } from '../../app/open-machine.ts';
import { type App, startApp } from '../../app/serve.ts';
import { systemClock } from '../../model/clock.ts';
import { apiGpus } from '../../server/wire/api-gpu.ts';
import { FakeTree } from '../../sources/drm/fake-tree.ts';
import { FakeDriver, HAS_FAKE_DRIVER } from '../../sources/nvml/fake-driver.ts';
import { run } from './test-run.ts';

let driver: FakeDriver | null = null;
let app: App | null = null;
let server: Server | null = null;
let tree: FakeTree | null = null;
afterEach(async () => {
  await app?.close();
  server?.closeAllConnections();
  server?.close();
  driver?.dispose();
  tree?.dispose();
  [app, server, driver, tree] = [null, null, null, null];
});

const GIB = 2 ** 30;
const SCRIPT = [
  'gpus 3',
  'gpu 0 mig on',
  `mig 0 1 0 3 ${40 * GIB} ${7 * GIB}`,
  `process 1 pid ${2 ** 22 + 1} memory 1048576000 kind compute`,
  'gpu 2 lost on',
].join('\n');

describe.skipIf(!HAS_FAKE_DRIVER)('a remote gpulse', () => {
  async function serve(): Promise<{ readonly url: string; readonly local: readonly string[] }> {
    driver = new FakeDriver({ script: SCRIPT });
    const nvmlLibrary = driver.library;
    app = await startApp(
      {
        ...{ host: '127.0.0.1', port: 0, basePath: '', allowAnonymous: false, allowedHosts: [], data: tempData() },
        ...{ keep: null, intervalMs: 100, source: 'nvml', speed: Number.POSITIVE_INFINITY, nvmlLibrary },
        ...{ timeZone: null, demoWithoutGpu: false },
      },
      systemClock,
    );
    for (let tries = 0; tries < 100; tries++) {
      const { out } = await run('--host', app.url, '-L').catch(() => ({ out: '' }));
      if (out !== '') break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return { url: app.url, local: ['--source', 'nvml', '--nvml-library', nvmlLibrary] };
  }

  function tempData(): string {
    tree = new FakeTree();
    return tree.root;
  }

  /** What the clock and the age of a value change. */
  const timeless = (text: string): string =>
    text.replaceAll(/\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}/g, 'NOW').replaceAll(/\d+ KB\/s|N\/A(?= *$)/gm, 'RATE');

  test('is asked in every mode, and told as the driver itself would be', { timeout: 60_000 }, async () => {
    const { url, local } = await serve();
    const fields = 'index,name,uuid,pci.bus_id,memory.used,memory.total,power.draw,pstate,clocks.gr,fan.speed,serial';
    for (const words of [
      ['-L'],
      [`--query-gpu=${fields}`, '--format=csv'],
      [`--query-gpu=${fields}`, '--format=json'],
      ['--query-compute-apps=gpu_uuid,pid,used_gpu_memory', '--format=csv'],
      ['-i', '1', '-q', '-d', 'MEMORY,TEMPERATURE,CLOCK'],
      ['dmon', '-c', '1', '-s', 'pucm'],
      ['topo', '-m'],
      ['--version'],
      [],
    ]) {
      const [there, here] = [await run(...words, '--host', url), await run(...words, ...local)];
      expect(timeless(there.out), words.join(' ')).toBe(timeless(here.out));
      expect(there.exit, words.join(' ')).toBe(here.exit);
    }
  });

  test('is asked again and again in a loop', async () => {
    const { url } = await serve();
    const { out, exit } = await run('dmon', '-c', '3', '-d', '1', '-s', 'p', '--host', url);
    expect(out.split('\n').filter((line) => /^ {4}1 /.test(line))).toHaveLength(3);
    expect(exit).toBe(15);
  });
});

/** A server that answers as `serve` does on a machine with these GPUs. */
async function answering(maker: 'amdgpu' | 'intel', name: string): Promise<string> {
  tree = new FakeTree(name);
  const probe = await openDriver(maker, systemClock, tree.root);
  if (!probe.ok) throw probe.reason;
  const { source } = probe;
  const at = systemClock.now();
  const tick = await source.sample(at);
  const devices = (tick?.devices ?? []).map((sample) => ({ ...sample, at }));
  const gpus = apiGpus({ at, sequence: 1, devices }, 'node7', source.name);
  await source.close();
  const health = { source: { origin: 'live', state: 'running', name: source.name, notices: [] } };
  const made = createServer((request, response) => {
    response.end(JSON.stringify(request.url === '/api/v1/gpus' ? gpus : health));
  });
  server = made;
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  const address = made.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

describe('devices of other makers', () => {
  const FIELDS =
    'index,name,pci.bus_id,memory.total,temperature.gpu,power.draw,clocks.gr,driver_version,mig.mode.current';

  test('AMD: what its driver tells stands where nvidia-smi has it, and the rest is [N/A]', async () => {
    const url = await answering('amdgpu', 'rx-6700-xt');
    const { out, exit } = await run(`--query-gpu=${FIELDS}`, '--format=csv', '--host', url);
    expect(exit).toBe(0);
    const [, row = ''] = out.split('\n');
    expect(row).toMatch(
      /^0, AMD GPU 1002:73df, 00000000:03:00\.0, 12272 MiB, \d+, \d+\.\d\d W, \d+ MHz, [^,]+, \[N\/A\]$/,
    );
    expect((await run('-L', '--host', url)).out).toMatch(/^GPU 0: AMD GPU 1002:73df \(UUID: \S+\)\n$/);
    expect((await run('--host', url)).out).toMatch(/\| +0 {2}AMD GPU 1002:73df/);
  });

  test('Intel', async () => {
    const url = await answering('intel', 'arc-b580-xe');
    const { out } = await run(`--query-gpu=${FIELDS}`, '--format=ndjson', '--host', url);
    expect(JSON.parse(out.split('\n')[0] ?? '')).toMatchObject({
      index: 0,
      name: expect.stringContaining('Intel'),
      'mig.mode.current': null,
    });
    for (const mode of [['dmon', '-c', '1'], ['pmon', '-c', '1'], ['-q'], ['-q', '-x']]) {
      expect((await run(...mode, '--host', url)).exit, mode.join(' ')).toBe(0);
    }
  });
});

test('a remote gpulse that cannot be asked is one line with the cause', async () => {
  await expect(run('-L', '--host', 'http://127.0.0.1:9')).rejects.toMatchObject({
    code: 'SERVER_UNREACHABLE',
    params: { detail: 'http://127.0.0.1:9/: connection refused' },
  });
  await expect(run('-L', '--host', 'node7')).rejects.toMatchObject({ code: 'BAD_OPTION' });
});
