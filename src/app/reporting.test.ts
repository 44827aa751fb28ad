import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { commandOf } from '../../scripts/parts.ts';
import type { ApiGpus } from '../model/api.ts';
import { systemClock } from '../model/clock.ts';
import { DEFAULT_NAMING } from './naming.ts';
import { type App, startApp } from './serve.ts';

const LIBRARY = resolve(import.meta.dirname, '../../testdata/fake-nvml/build/new/libnvidia-ml.so.1');
const PROMETHEUS = commandOf('Prometheus');
const SCRIPT = `gpus 3
gpu 1 mig on
mig 1 1 0 3 42949672960 1073741824
process 0 pid 4001 memory 1073741824 kind compute
`;

let folder: string;
let app: App | null = null;
let child: ChildProcess | null = null;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpulse-reporting-'));
});

afterEach(async () => {
  delete process.env['FAKE_NVML_SCRIPT'];
  if (child !== null) {
    const ended = new Promise((done) => child?.once('exit', done));
    child.kill();
    await ended;
  }
  await app?.close();
  [app, child] = [null, null];
  rmSync(folder, { recursive: true });
});

async function serve(): Promise<App> {
  const script = join(folder, 'script');
  writeFileSync(script, SCRIPT);
  process.env['FAKE_NVML_SCRIPT'] = script;
  app = await startApp(
    {
      ...{ host: '127.0.0.1', port: 0, basePath: '', allowAnonymous: false, allowedHosts: [], keep: null },
      ...{
        data: join(folder, 'data'),
        intervalMs: 200,
        source: 'nvml',
        speed: 1,
        timeZone: null,
        demoWithoutGpu: false,
      },
      nvmlLibrary: LIBRARY,
      naming: { ...DEFAULT_NAMING, profiles: ['gpulse', 'dcgm', 'nvidia_smi'] },
    },
    systemClock,
  );
  return app;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  return port;
}

async function eventually<T>(check: () => Promise<T>, timeoutMs = 30_000): Promise<T> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((done) => setTimeout(done, 100));
    }
  }
}

interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

async function query(base: string, expression: string): Promise<readonly Sample[]> {
  const response = await fetch(`${base}/api/v1/query?query=${encodeURIComponent(expression)}`);
  const { data } = (await response.json()) as { data: { result: readonly Sample[] } };
  return data.result;
}

test.skipIf(!existsSync(LIBRARY) || PROMETHEUS === null)(
  'Prometheus reads back what was measured, whole GPUs and MIG instances apart',
  async () => {
    const { url, source } = await serve();
    await eventually(async () => expect(source().lastTickAt).not.toBeNull());
    const page = await (await fetch(new URL('metrics', url))).text();
    const lint = spawnSync('promtool', ['check', 'metrics'], { input: page, encoding: 'utf8' });
    // The other profiles keep the names of their tools, which this check has a word or two about.
    expect(lint.stderr.split('\n').filter((line) => /^(?:gpulse|process|error)/.test(line))).toEqual([]);
    const port = await freePort();
    const config = join(folder, 'prometheus.yml');
    const target = new URL(url).host;
    writeFileSync(
      config,
      `global: {scrape_interval: 1s}\nscrape_configs: [{job_name: gpulse, static_configs: [{targets: ['${target}']}]}]\n`,
    );
    const arguments_ = [`--config.file=${config}`, `--storage.tsdb.path=${join(folder, 'tsdb')}`];
    child = spawn(PROMETHEUS ?? '', [...arguments_, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' });
    const base = `http://127.0.0.1:${port}`;
    await eventually(async () => expect((await query(base, 'up'))[0]?.value[1]).toBe('1'));
    const { gpus } = (await (await fetch(new URL('api/v1/gpus', url))).json()) as ApiGpus;
    expect(gpus).toHaveLength(4);
    for (const metric of ['memory_total_bytes', 'temperature_celsius', 'power_limit_watts'] as const) {
      const samples = await query(base, `gpulse_${metric}`);
      const expected = gpus.flatMap(({ uuid, readings }) =>
        readings[metric] == null ? [] : [[uuid, readings[metric]]],
      );
      expect(samples.map(({ metric: labels, value }) => [labels['uuid'], Number(value[1])]).sort()).toEqual(
        expected.sort(),
      );
    }
    const dcgm = await query(base, 'DCGM_FI_DEV_FB_USED');
    expect(dcgm.map(({ metric: { gpu, GPU_I_ID } }) => `${gpu} ${GPU_I_ID ?? 'whole'}`).sort()).toEqual([
      '0 whole',
      '1 1',
      '1 whole',
      '2 whole',
    ]);
    const joined = await query(base, 'gpulse_power_watts * on(uuid) group_left(name) gpulse_device_info');
    expect(joined.map(({ metric }) => metric['name'])).toEqual(Array(3).fill('NVIDIA H100 80GB HBM3'));
    expect(await query(base, 'scrape_samples_scraped - scrape_samples_post_metric_relabeling')).toHaveLength(1);
  },
  60_000,
);
