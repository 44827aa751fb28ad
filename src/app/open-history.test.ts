import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { commandOf } from '../../scripts/parts.ts';
import { eventually, TestServer } from '../exporters/sinks/test-server.ts';
import { ENGINES } from '../history/promql/test-engines.ts';
import type { ApiError, ApiEvents, ApiHealth, ApiSeries } from '../model/api.ts';
import { systemClock } from '../model/clock.ts';
import type { ServeConfig } from './config.ts';
import { engineAt } from './history-config.ts';
import { type App, startApp } from './serve.ts';

const GPULSE = resolve(import.meta.dirname, '../../bin/gpulse');
const ENGINE = ENGINES[1];
const command = commandOf(ENGINE.name);

let folder: string;
let server: TestServer;
const apps: App[] = [];

async function serve(): Promise<App> {
  const config: ServeConfig = {
    host: '127.0.0.1',
    port: 0,
    basePath: '',
    allowAnonymous: false,
    allowedHosts: [],
    data: folder,
    keep: null,
    intervalMs: 200,
    source: 'simulate:demo,gpus=2',
    speed: 1,
    nvmlLibrary: null,
    timeZone: null,
    demoWithoutGpu: false,
    history: { ...engineAt('history.url', server.url), host: 'node-1' },
  };
  const app = await startApp(config, systemClock);
  apps.push(app);
  return app;
}

async function get<T>(app: App, path: string): Promise<{ readonly status: number; readonly body: T }> {
  const response = await fetch(new URL(path, app.url));
  return { status: response.status, body: (await response.json()) as T };
}

const SERIES = 'api/v1/series?metric=power_watts&from=-1m&points=60';

/** Samples of the first GPU within the last minute. */
async function counted(app: App): Promise<number> {
  const { body } = await get<ApiSeries>(app, SERIES);
  return (body.series[0]?.count ?? []).reduce((sum, count) => sum + count, 0);
}

describe.skipIf(command === null)('an engine elsewhere', () => {
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gpulse-serve-'));
    server = await TestServer.start(command ?? '', ENGINE.args, ENGINE.ready);
  });

  afterEach(async () => {
    for (const app of apps.splice(0)) await app.close();
    await server.dispose();
    rmSync(folder, { recursive: true });
  });

  test('serve with its history in an engine: page, outage, restart, export, report', {
    timeout: 120_000,
  }, async () => {
    const first = await serve();
    await eventually(async () => expect(await counted(first)).toBeGreaterThan(10), 30_000);
    const { history } = (await get<ApiHealth>(first, 'api/v1/health')).body;
    expect(history).toMatchObject({ path: server.url, failure: null, droppedTicks: 0, daysThatFit: null });
    expect(history.queue).toMatchObject({ failingSince: null, maxBytes: 1e9 });
    expect(history.from).not.toBeNull();

    await server.kill();
    await eventually(async () => {
      const { body } = await get<ApiHealth>(first, 'api/v1/health');
      expect(body).toMatchObject({ status: 'degraded', history: { failure: { code: 'HISTORY_ENGINE_DOWN' } } });
      expect(body.history.queue?.ticks).toBeGreaterThan(0);
    });
    const refused = await get<{ readonly error: ApiError }>(first, SERIES);
    expect([refused.status, refused.body.error.code]).toEqual([503, 'HISTORY_ENGINE_UNANSWERED']);
    expect((await get(first, 'api/v1/gpus')).status).toBe(200);
    expect((await get<ApiEvents>(first, 'api/v1/events')).status).toBe(200);
    await apps.pop()?.close();

    const second = await serve();
    await server.start(ENGINE.ready);
    await eventually(async () => {
      const { body } = await get<ApiHealth>(second, 'api/v1/health');
      expect(body.history).toMatchObject({ failure: null, droppedTicks: 0, queue: { ticks: 0 } });
      expect(await counted(second)).toBeGreaterThan(30);
    }, 40_000);

    const { stdout, stderr, status } = spawnSync(GPULSE, ['export', '--data', folder, '--metric', 'power_watts'], {
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect([status, stderr]).toEqual([0, '']);
    const [header = '', ...lines] = stdout.trimEnd().split('\n');
    expect(header.split(',')).toContain('power_watts');
    expect(lines.length).toBeGreaterThan(60);
    for (const line of lines) expect(Number(line.split(',').at(-1))).toBeGreaterThan(10);

    const report = spawnSync(GPULSE, ['report', '--data', folder, '--from', 'all', '--json'], {
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect([report.status, report.stderr]).toEqual([0, '']);
    const { source, gpus } = JSON.parse(report.stdout) as { source: { rows: number }; gpus: { summary: object }[] };
    expect(source.rows).toBeGreaterThan(60);
    for (const { summary } of gpus) expect(summary).toHaveProperty('power_watts');
  });
});
