import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { commandOf } from '../../scripts/parts.ts';
import type { ApiGpus, ApiHealth } from '../model/api.ts';
import { systemClock } from '../model/clock.ts';
import type { ServeConfig } from './config.ts';
import { DEFAULT_NAMING } from './naming.ts';
import { type App, startApp } from './serve.ts';
import { SINK_DEFAULTS } from './sinks.ts';

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
  delete process.env['FAKE_NVML_CALLS'];
  if (child !== null) {
    const ended = new Promise((done) => child?.once('exit', done));
    child.kill();
    await ended;
  }
  await app?.close();
  [app, child] = [null, null];
  rmSync(folder, { recursive: true });
});

async function serve(facts: Partial<ServeConfig> = {}): Promise<App> {
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
      ...facts,
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

/** What lies in the names, labels and types of the tools whose place gpulse takes, and cannot be changed. */
const INHERITED: Readonly<Record<string, readonly RegExp[]>> = {
  DCGM: [
    /label names should be written in 'snake_case'/,
    /counter metrics should have "_total" suffix/,
    /metric name should not include type 'counter'/,
  ],
  nvidia_smi: [
    /non-counter metrics should not have "_total" suffix/,
    /should not have "_count" suffix/,
    /metric name should not include type '(?:summary|histogram)'/,
  ],
};

/** What promtool has to say of a page, but for that. */
function remarks(page: string): readonly string[] {
  const { stderr } = spawnSync('promtool', ['check', 'metrics'], { input: page, encoding: 'utf8' });
  return stderr.split('\n').filter((line) => {
    const [, known = []] = Object.entries(INHERITED).find(([prefix]) => line.startsWith(`${prefix}_`)) ?? [];
    return line !== '' && !known.some((remark) => remark.test(line));
  });
}

test.skipIf(!existsSync(LIBRARY) || PROMETHEUS === null)(
  'Prometheus reads back what was measured, whole GPUs and MIG instances apart',
  async () => {
    const { url, source } = await serve();
    await eventually(async () => expect(source().lastTickAt).not.toBeNull());
    const page = await (await fetch(new URL('metrics', url))).text();
    expect(remarks(page)).toEqual([]);
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

test.skipIf(!existsSync(LIBRARY) || PROMETHEUS === null).each([
  ['every profile at once', ['gpulse', 'dcgm', 'nvidia_smi'], 'both'],
  ['gpulse', ['gpulse'], 'legacy'],
  ['dcgm', ['dcgm'], 'renamed'],
  ['nvidia_smi', ['nvidia_smi'], 'legacy'],
] as const)('promtool has no remark on %s but those on inherited names', async (_name, profiles, names) => {
  const dcgm = { hostLabel: 'both', names, fields: 'all' } as const;
  const { url, source } = await serve({ naming: { profiles, dcgm, ownerLabels: true } });
  await eventually(async () => expect(source().lastTickAt).not.toBeNull());
  const page = await (await fetch(new URL('metrics', url))).text();
  expect(page.length).toBeGreaterThan(5000);
  expect(remarks(page)).toEqual([]);
});

test.skipIf(!existsSync(LIBRARY))(
  'a scrape never calls the driver, and parameters meant for another exporter do not matter',
  async () => {
    const calls = join(folder, 'calls');
    process.env['FAKE_NVML_CALLS'] = calls;
    const { url, source } = await serve({ intervalMs: 3_600_000 });
    await eventually(async () => expect(source().lastTickAt).not.toBeNull());
    const before = readFileSync(calls);
    expect(before.some((byte) => byte !== 0)).toBe(true);
    for (const accept of ['text/plain', 'application/openmetrics-text', '*/*']) {
      for (let i = 0; i < 20; i++) {
        const response = await fetch(new URL('metrics', url), { headers: { accept } });
        expect(response.headers.get('content-type')).toContain(accept === '*/*' ? 'text/plain' : accept);
        expect(await response.text()).toContain('gpulse_power_watts{gpu="0"');
      }
    }
    expect(readFileSync(calls).equals(before)).toBe(true);
    const foreign = await fetch(new URL('metrics?collect[]=gpu', url));
    expect([foreign.status, await foreign.text()]).toEqual([
      200,
      expect.stringContaining('gpulse_power_watts{gpu="0"'),
    ]);
    const refused = await fetch(new URL('metrics?lang=fr', url));
    expect([refused.status, await refused.json()]).toEqual([
      400,
      { error: expect.objectContaining({ code: 'BAD_QUERY' }) },
    ]);
    const probe = await fetch(new URL('health', url));
    expect([probe.status, await probe.text()]).toEqual([200, 'OK\n']);
  },
);

test.skipIf(!existsSync(LIBRARY))('a receiver that takes nothing is told of, with what was lost', async () => {
  const sink = { ...SINK_DEFAULTS, intervalMs: 500, queue: 1, url: `http://127.0.0.1:${await freePort()}/v1/metrics` };
  const { url } = await serve({ sinks: [{ kind: 'otlp', ...sink }] });
  const notices = await eventually(async () => {
    const health = (await (await fetch(new URL('api/v1/health?lang=en', url))).json()) as ApiHealth;
    const text = health.source.notices.find(({ key }) => key === 'notice.sink-failing');
    expect(text?.text).toMatch(/receiver otlp .*ECONNREFUSED\. Samples given up so far: [1-9]\d*$/);
    return health.source.notices;
  });
  expect(notices.find(({ key }) => key === 'notice.sink-failing')?.isRemark).toBe(true);
  const page = await (await fetch(new URL('metrics', url))).text();
  expect(page).toMatch(/^gpulse_sink_lost_samples_total\{sink="otlp"\} [1-9]/m);
  expect(page).toMatch(/^gpulse_sink_failures_total\{sink="otlp"\} [1-9]/m);
});
