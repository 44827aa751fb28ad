import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ApiEvents, ApiGpus, ApiHealth, ApiRelease, ApiSeries } from '../model/api.ts';
import type { ApiFindings } from '../model/api-finding.ts';
import { DEVICE_METRICS } from '../model/catalogue.ts';
import { systemClock } from '../model/clock.ts';
import type { ServeConfig } from './config.ts';
import { engineAt } from './history-config.ts';
import { type App, startApp } from './serve.ts';

const FAKE_LIBRARY = resolve(import.meta.dirname, '../../testdata/fake-nvml/build/new/libnvidia-ml.so.1');
const HAS_FAKE_DRIVER = existsSync(FAKE_LIBRARY);

let folder: string;
let apps: App[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpulse-serve-'));
});

afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
  rmSync(folder, { recursive: true });
});

const BASE: ServeConfig = {
  host: '127.0.0.1',
  port: 0,
  basePath: '',
  allowAnonymous: false,
  allowedHosts: [],
  data: null,
  keep: null,
  intervalMs: 100,
  source: 'auto',
  speed: Number.POSITIVE_INFINITY,
  nvmlLibrary: null,
  timeZone: null,
  demoWithoutGpu: false,
};

async function serve(config: Partial<ServeConfig>): Promise<App> {
  const app = await startApp({ ...BASE, ...config }, systemClock);
  apps.push(app);
  return app;
}

async function get<T>(app: App, path: string): Promise<T> {
  const response = await fetch(new URL(path, app.url));
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

/** Lines of this process's memory map with a word in them: a library that is loaded has some. */
function mapsOf(word: string): string[] {
  return readFileSync('/proc/self/maps', 'utf8')
    .split('\n')
    .filter((line) => line.includes(word));
}

async function eventually(check: () => Promise<void>, timeoutMs = 15_000): Promise<void> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

test('a simulation has its past at once and goes on live', async () => {
  const app = await serve({ source: 'simulate:healthy-training,gpus=2,history=30m' });
  const before = await get<ApiGpus>(app, 'api/v1/gpus');
  expect(before.gpus.map(({ index, state }) => [index, state])).toEqual([
    [0, 'ok'],
    [1, 'ok'],
  ]);
  const series = await get<ApiSeries>(app, 'api/v1/series?metric=power_watts&from=-30m&points=100');
  expect(series.series.map(({ count }) => count.filter((n) => n > 0).length > 80)).toEqual([true, true]);
  await eventually(async () => {
    const after = await get<ApiGpus>(app, 'api/v1/gpus');
    expect(after.at).toBeGreaterThan(before.at ?? 0);
    expect(after.sequence).toBeGreaterThan(before.sequence);
  });
});

test('nothing of the past of many simulated GPUs is dropped', { timeout: 60_000 }, async () => {
  const app = await serve({ source: 'simulate:demo,gpus=64,history=10m', intervalMs: 1000 });
  const { history } = await get<ApiHealth>(app, 'api/v1/health');
  expect(history).toMatchObject({ droppedTicks: 0, failure: null });
  expect(history.to! - history.from!).toBeGreaterThanOrEqual(598_000);
});

test('how gpulse is itself is told at once although the history engine takes questions and never answers', async () => {
  const hanging = createServer(() => {});
  await new Promise<void>((done) => hanging.listen(0, '127.0.0.1', done));
  const { port } = hanging.address() as AddressInfo;
  const history = engineAt('history.url', `http://127.0.0.1:${port}`);
  const app = await serve({ source: 'simulate:demo,gpus=1', data: folder, history });
  for (let i = 0; i < 3; i++) {
    const began = performance.now();
    const health = await get<ApiHealth>(app, 'api/v1/health');
    expect(performance.now() - began).toBeLessThan(1000);
    expect(health.history).toMatchObject({ from: null, to: null });
  }
  await app.close();
  apps = [];
  hanging.close();
}, 30_000);

test('where the history is kept is told in full', async () => {
  const app = await serve({ source: 'simulate:demo,gpus=1,history=0', data: relative(process.cwd(), folder) });
  expect((await get<ApiHealth>(app, 'api/v1/health')).history.path).toBe(folder);
});

test('every metric of the catalogue is a number or null with a reason', async () => {
  const app = await serve({ source: 'simulate:demo,gpus=1,history=0' });
  await eventually(async () => {
    const { gpus } = await get<ApiGpus>(app, 'api/v1/gpus');
    expect(gpus.length).toBe(1);
    const [gpu] = gpus;
    expect(Object.keys(gpu?.readings ?? {}).sort()).toEqual(DEVICE_METRICS.map(({ id }) => id).sort());
    const nulls = Object.entries(gpu?.readings ?? {}).filter(([, value]) => value === null);
    expect(nulls.map(([id]) => id).sort()).toEqual(Object.keys(gpu?.absent ?? {}).sort());
  });
});

test('a lost GPU stays listed, and its loss is an event', async () => {
  const app = await serve({ source: 'simulate:gpu-lost,gpus=2,history=10m,at=9m' });
  const { gpus } = await get<ApiGpus>(app, 'api/v1/gpus');
  const lost = gpus.filter(({ state }) => state === 'lost');
  expect(lost.length).toBe(1);
  expect(Object.values(lost[0]?.readings ?? {}).every((value) => value === null)).toBe(true);
  expect(new Set(Object.values(lost[0]?.absent ?? {}))).toEqual(new Set(['gpu-lost']));
  const { events } = await get<ApiEvents>(app, 'api/v1/events?from=-10m');
  expect(events.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['xid', 'gpu-lost']));
});

test('a log is on the page as it was recorded', async () => {
  const log = join(folder, 'gpu.csv');
  writeFileSync(
    log,
    [
      'timestamp, index, uuid, name, utilization.gpu [%], power.draw [W]',
      '2025/01/01 00:00:00.000, 0, GPU-a, NVIDIA A100, 50 %, 100.50 W',
      '2025/01/01 00:00:01.000, 0, GPU-a, NVIDIA A100, [N/A], 110.00 W',
      '',
    ].join('\n'),
  );
  const app = await serve({ source: `replay:${log}` });
  await eventually(async () => expect((await get<ApiHealth>(app, 'api/v1/health')).source.state).toBe('ended'));
  const { gpus } = await get<ApiGpus>(app, 'api/v1/gpus');
  expect(gpus).toMatchObject([
    {
      uuid: 'GPU-a',
      name: 'NVIDIA A100',
      state: 'ok',
      readings: { utilization_ratio: null, power_watts: 110, temperature_celsius: null },
      absent: { utilization_ratio: 'not-supported', temperature_celsius: 'not-collected' },
    },
  ]);
  const series = await get<ApiSeries>(app, 'api/v1/series?metric=utilization_ratio&from=all&to=all');
  expect(series.series[0]?.max.filter((value) => value !== null)).toEqual([0.5]);
});

test('without a GPU it serves, says why, and does not invent one', async () => {
  const app = await serve({ nvmlLibrary: join(folder, 'libnvidia-ml.so.1'), data: folder });
  const health = await get<ApiHealth>(app, 'api/v1/health');
  expect(health).toMatchObject({ status: 'no-device', source: { origin: 'live', state: 'searching' } });
  expect(health.source.reason?.code).toMatch(/^NVML_LIBRARY/);
  expect((await get<ApiGpus>(app, 'api/v1/gpus')).gpus).toEqual([]);
});

describe.skipIf(!HAS_FAKE_DRIVER)('with the driver of NVIDIA', () => {
  const library = (): string => join(folder, 'libnvidia-ml.so.1');

  /** The machine as the fake library shows it from now on. */
  function install(script: string): void {
    writeFileSync(join(folder, 'script'), script);
    copyFileSync(FAKE_LIBRARY, library());
  }

  test('a driver that appears later is picked up', async () => {
    const app = await serve({ nvmlLibrary: library(), data: join(folder, 'data') });
    expect((await get<ApiHealth>(app, 'api/v1/health')).source.state).toBe('searching');
    install('gpus 2\n');
    await eventually(async () => expect((await get<ApiGpus>(app, 'api/v1/gpus')).gpus.length).toBe(2), 18_000);
    expect(await get<ApiHealth>(app, 'api/v1/health')).toMatchObject({
      status: 'ok',
      source: { state: 'running', reason: null },
    });
  }, 30_000);

  test('a GPU that falls off the bus stays listed, the others go on, and its return is told', async () => {
    install('gpus 2\n');
    const app = await serve({ nvmlLibrary: library(), data: join(folder, 'data') });
    const states = async () => (await get<ApiGpus>(app, 'api/v1/gpus')).gpus.map(({ state }) => state);
    const kinds = async () => (await get<ApiEvents>(app, 'api/v1/events')).events.map(({ kind }) => kind);
    await eventually(async () => expect(await states()).toEqual(['ok', 'ok']));
    writeFileSync(join(folder, 'script'), 'gpus 2\ngpu 1 lost on\n');
    await eventually(async () => expect(await states()).toEqual(['ok', 'lost']));
    await eventually(async () => expect(await kinds()).toEqual(['gpu-lost']));
    writeFileSync(join(folder, 'script'), 'gpus 2\n');
    await eventually(async () => expect(await states()).toEqual(['ok', 'ok']), 18_000);
    await eventually(async () => expect(await kinds()).toEqual(['gpu-lost', 'gpu-back']));
  }, 45_000);

  test('a GPU that was lost from the start is under its own name when it is back, and so is what is said of it', async () => {
    install('gpus 2\ngpu 0 lost on\n');
    const app = await serve({ nvmlLibrary: library(), data: join(folder, 'data') });
    const gpus = async () => (await get<ApiGpus>(app, 'api/v1/gpus')).gpus;
    const lost = async () =>
      (await get<ApiFindings>(app, 'api/v1/findings')).findings.filter(
        ({ rule, gpus }) => rule === 'gpu-lost' && gpus.length > 0,
      );
    await eventually(async () => expect((await lost()).map(({ gpus }) => gpus)).toEqual([['GPU-index-0']]));
    writeFileSync(join(folder, 'script'), 'gpus 2\n');
    await eventually(async () => expect((await gpus()).map(({ state }) => state)).toEqual(['ok', 'ok']), 18_000);
    const [first] = await gpus();
    expect((await lost()).map(({ gpus }) => gpus)).toEqual([[first!.uuid]]);
    const told = async () => (await get<ApiEvents>(app, 'api/v1/events')).events.map(({ kind, uuid }) => [kind, uuid]);
    await eventually(async () =>
      expect(await told()).toEqual([
        ['gpu-lost', 'GPU-index-0'],
        ['gpu-back', first!.uuid],
      ]),
    );
  }, 45_000);

  test('GPUs that are released are held by nobody, and are sampled again on request or by themselves', async () => {
    install('gpus 2\n');
    const app = await serve({ nvmlLibrary: library(), data: join(folder, 'data') });
    const state = async (): Promise<string> => (await get<ApiHealth>(app, 'api/v1/health')).source.state;
    const post = async (path: string): Promise<ApiRelease> => {
      const response = await fetch(new URL(path, app.url), { method: 'POST' });
      return (await response.json()) as ApiRelease;
    };
    await eventually(async () => expect(await state()).toBe('running'));
    const released = await post('api/v1/release?seconds=60');
    expect(released.state).toBe('released');
    expect(released.releasedUntil).toBeGreaterThan(Date.now() + 50_000);
    expect(mapsOf('libnvidia-ml')).toEqual([]);
    await post('api/v1/resume');
    await eventually(async () => expect(await state()).toBe('running'));
    expect(mapsOf('libnvidia-ml')).not.toEqual([]);
    await post('api/v1/release?seconds=1');
    await eventually(async () => expect(await state()).toBe('running'));
    const { events } = await get<ApiEvents>(app, 'api/v1/events');
    const kinds = events.map(({ kind }) => kind).filter((kind) => kind.startsWith('source-re'));
    expect(kinds).toEqual(['source-released', 'source-resumed', 'source-released', 'source-resumed']);
  });

  test('a GPU that is gone when the released ones are taken up again is lost, not forgotten', async () => {
    install('gpus 2\n');
    const app = await serve({ nvmlLibrary: library(), data: join(folder, 'data') });
    const states = async () => (await get<ApiGpus>(app, 'api/v1/gpus')).gpus.map(({ state }) => state);
    await eventually(async () => expect(await states()).toEqual(['ok', 'ok']));
    await fetch(new URL('api/v1/release?seconds=60', app.url), { method: 'POST' });
    writeFileSync(join(folder, 'script'), 'gpus 2\ngpu 1 removed on\n');
    await fetch(new URL('api/v1/resume', app.url), { method: 'POST' });
    await eventually(async () => expect(await states()).toEqual(['ok', 'lost']));
  });

  test('processes carry the name and the user of this machine', async () => {
    install(`gpus 1\nprocess 0 pid ${process.pid} memory 1048576 kind compute\n`);
    const app = await serve({ nvmlLibrary: library(), data: join(folder, 'data') });
    await eventually(async () => {
      const [gpu] = (await get<ApiGpus>(app, 'api/v1/gpus')).gpus;
      expect(gpu?.processes).toMatchObject([{ pid: process.pid, user: userInfo().username, memoryBytes: 1048576 }]);
      expect(gpu?.processes[0]?.name).toMatch(/node|vitest/i);
    });
  });
});

test('a demonstration says that it is one, and why it plays', async () => {
  const app = await serve({ nvmlLibrary: join(folder, 'libnvidia-ml.so.1'), demoWithoutGpu: true });
  const health = await get<ApiHealth>(app, 'api/v1/health');
  expect(health.source).toMatchObject({ origin: 'simulated', state: 'running' });
  expect(health.source.reason?.code).toMatch(/^NVML_LIBRARY/);
  expect((await get<ApiGpus>(app, 'api/v1/gpus')).gpus.length).toBe(8);
});

test.each([
  [{ source: 'simulate:nonsense' }, 'UNKNOWN_SCENARIO'],
  [{ source: 'replay:/does/not/exist.csv' }, 'FILE_UNREADABLE'],
  [{ source: 'tegra' }, 'UNKNOWN_SOURCE'],
  [{ source: 'simulate:demo,history=0', host: '0.0.0.0' }, 'ANONYMOUS_LISTEN'],
])('%j is refused with %s', async (config, code) => {
  await expect(serve(config)).rejects.toMatchObject({ code });
});

test('a busy port is named, and nothing is left running', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await expect(serve({ source: 'simulate:demo,history=0', port, data: folder })).rejects.toMatchObject({
    code: 'PORT_IN_USE',
    params: { port },
  });
  other.close();
  // The history was opened before the port was tried: its lock must be free again.
  await serve({ source: 'simulate:demo,history=0', data: folder });
});

test('simulated data never enters the history of this machine', async () => {
  const live = await serve({ nvmlLibrary: join(folder, 'libnvidia-ml.so.1'), data: folder });
  await live.close();
  apps = [];
  await expect(serve({ source: 'simulate:demo,history=0', data: folder })).rejects.toMatchObject({
    code: 'HISTORY_OTHER_ORIGIN',
  });
});
