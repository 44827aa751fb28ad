import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_NAMING } from '../../src/app/naming.ts';
import { type App, startApp } from '../../src/app/serve.ts';
import { SINK_DEFAULTS } from '../../src/app/sinks.ts';
import { eventually, TestServer } from '../../src/exporters/sinks/test-server.ts';
import { systemClock } from '../../src/model/clock.ts';
import { commandOf } from '../parts.ts';
import { RULE_FILES } from '../prometheus/prometheus-files.ts';
import { GRAFANA_FILES } from './grafana-files.ts';
import { type Board, type BoardPanel, boardOf, panelsOf } from './test-board.ts';

const RULES = resolve(import.meta.dirname, '../../deploy/prometheus');
const LIBRARY = resolve(import.meta.dirname, '../../testdata/fake-nvml/build/new/libnvidia-ml.so.1');
const COMMANDS = { Prometheus: commandOf('Prometheus'), VictoriaMetrics: commandOf('VictoriaMetrics') };
const isComplete = existsSync(LIBRARY) && COMMANDS.Prometheus !== null && COMMANDS.VictoriaMetrics !== null;

/** A busy card, one in MIG mode, and one that is held and idle. The processes are this one, so that they have a user. */
const MACHINE = `gpus 3
gpu 1 mig on
mig 1 1 0 3 42949672960 1073741824
mig 1 2 0 3 42949672960 2147483648
gpu 2 utilization 0
process 0 pid ${process.pid} memory 1073741824 kind compute
process 1 pid ${process.pid} memory 536870912 kind compute instance 1
process 2 pid ${process.pid} memory 8589934592 kind compute
`;
const XID = 'xid 1 0 79\n';

let folder: string;
let app: App;
let receiver: Server;
const engines = new Map<string, TestServer>();

beforeAll(async () => {
  if (!isComplete) return;
  folder = mkdtempSync(join(tmpdir(), 'gpulse-grafana-'));
  const script = join(folder, 'script');
  writeFileSync(script, MACHINE);
  process.env['FAKE_NVML_SCRIPT'] = script;
  receiver = createServer((request, response) => request.resume().on('end', () => response.end('{}')));
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
  const sink = { ...SINK_DEFAULTS, kind: 'otlp', intervalMs: 1000 } as const;
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
      // Labels of owners on every series are the harder case: they must not come in the way of joins.
      naming: { ...DEFAULT_NAMING, profiles: ['gpulse', 'dcgm'], ownerLabels: true },
      sinks: [{ ...sink, url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/v1/metrics` }],
    },
    systemClock,
  );
  await eventually(() => expect(app.source().lastTickAt).not.toBeNull());
  writeFileSync(script, MACHINE + XID);
  const config = join(folder, 'scrape.yml');
  const target = `{job_name: gpulse, scrape_interval: 1s, honor_labels: true, static_configs: [{targets: ['${new URL(app.url).host}']}]}`;
  const rules = RULE_FILES.map(({ name }) => resolve(RULES, `${name}.rules.yml`));
  writeFileSync(config, `scrape_configs: [${target}]\n`);
  const withRules = join(folder, 'prometheus.yml');
  writeFileSync(
    withRules,
    `global: {evaluation_interval: 1s}\nrule_files: ${JSON.stringify(rules)}\nscrape_configs: [${target}]\n`,
  );
  const starts = {
    Prometheus: TestServer.start(
      COMMANDS.Prometheus ?? '',
      (data, port) => [
        ...[`--config.file=${withRules}`, `--storage.tsdb.path=${data}`, `--web.listen-address=127.0.0.1:${port}`],
      ],
      '/-/ready',
    ),
    VictoriaMetrics: TestServer.start(
      COMMANDS.VictoriaMetrics ?? '',
      (data, port) => [
        ...[`-promscrape.config=${config}`, `-storageDataPath=${data}`, `-httpListenAddr=127.0.0.1:${port}`],
        ...['-search.latencyOffset=0s', '-search.disableCache'],
      ],
      '/health',
    ),
  };
  for (const [name, start] of Object.entries(starts)) engines.set(name, await start);
  // Rates need a few scrapes.
  for (const { url } of engines.values()) {
    await eventually(async () => {
      const [count] = await ask(url, 'query', { query: 'min(count_over_time(gpulse_xid_errors_total[1m]))' });
      expect(Number(count?.value?.[1])).toBeGreaterThan(4);
    }, 40_000);
  }
}, 90_000);

afterAll(async () => {
  if (!isComplete) return;
  delete process.env['FAKE_NVML_SCRIPT'];
  for (const engine of engines.values()) await engine.dispose();
  await app.close();
  receiver.closeAllConnections();
  await new Promise((done) => receiver.close(done));
  rmSync(folder, { recursive: true });
});

interface Result {
  readonly metric: Readonly<Record<string, string>>;
  readonly value?: readonly [number, string];
  readonly values?: readonly (readonly [number, string])[];
}

async function ask(
  base: string,
  kind: 'query' | 'query_range',
  query: Record<string, string>,
): Promise<readonly Result[]> {
  const response = await fetch(`${base}/api/v1/${kind}?${new URLSearchParams(query)}`);
  const text = await response.text();
  if (!response.ok) throw new Error(`${query['query']}: ${text}`);
  return (JSON.parse(text) as { data: { result: readonly Result[] } }).data.result;
}

/** What Grafana puts in the place of variables: for several values a group, with what is special in a regex escaped. */
function fillIn(expression: string, host: string, gpu: string): string {
  return expression
    .replaceAll('$host', host)
    .replaceAll('$gpu', gpu)
    .replaceAll('$__rate_interval', '4s')
    .replaceAll('$__range', '1m');
}

const HERE = `(${hostname().replaceAll(/[.*+?^$()[\]{}|\\]/g, '\\\\$&')}|elsewhere)`;

async function answer(base: string, panel: BoardPanel, position: number, gpu: string): Promise<readonly Result[]> {
  const { expr, instant } = panel.targets[position]!;
  const query = fillIn(expr, HERE, gpu);
  const now = Date.now() / 1000;
  if (instant === true) return ask(base, 'query', { query, time: String(now) });
  return ask(base, 'query_range', { query, start: String(now - 20), end: String(now), step: '1' });
}

function hasData(results: readonly Result[]): boolean {
  return results.some(({ value, values }) =>
    [value ?? [], ...(values ?? [])].some((pair) => Number.isFinite(Number(pair?.[1] ?? NaN))),
  );
}

function legendOf(format: string, { metric }: Result): string {
  return format.replaceAll(/\{\{(\w+)\}\}/g, (_whole, label: string) => metric[label] ?? '');
}

const BOARDS = Object.entries(GRAFANA_FILES)
  .filter(([path]) => !path.endsWith('.zh.json'))
  .map(([path, text]): [string, Board] => [path, boardOf(text())]);

describe.skipIf(!isComplete).each(Object.keys(COMMANDS))('%s', (engine) => {
  const base = () => engines.get(engine)?.url ?? '';

  test.each(BOARDS)(
    '%s: every query brings data',
    async (path, board) => {
      // A board of one GPU is asked for a whole card and for one in MIG mode: neither has everything.
      const choices = /gpu\.json$/.test(path) ? ['0', '1'] : ['.*'];
      const empty: string[] = [];
      for (const panel of panelsOf(board)) {
        for (const [i, { expr }] of panel.targets.entries()) {
          const found = await Promise.all(choices.map((gpu) => answer(base(), panel, i, gpu)));
          if (!found.some(hasData)) empty.push(`${panel.title}: ${expr}`);
        }
      }
      expect(empty).toEqual([]);
    },
    60_000,
  );

  test.each(BOARDS)(
    '%s: no two lines of a panel have one name',
    async (_path, board) => {
      for (const panel of panelsOf(board)) {
        if (panel.type === 'table') continue;
        const legends: string[] = [];
        for (const [i, { legendFormat }] of panel.targets.entries()) {
          legends.push(...(await answer(base(), panel, i, '.*')).map((result) => legendOf(legendFormat, result)));
        }
        expect([panel.title, legends]).toEqual([panel.title, [...new Set(legends)]]);
      }
    },
    60_000,
  );

  test('the values of the variables are found', async () => {
    for (const [label, series, values] of [
      ['host', 'gpulse_source_info', [hostname()]],
      ['gpu', 'gpulse_device_info', ['0', '1', '2']],
    ] as const) {
      const query = new URLSearchParams({ 'match[]': series });
      const response = await fetch(`${base()}/api/v1/label/${label}/values?${query}`);
      expect(((await response.json()) as { data: string[] }).data).toEqual(values);
    }
  });

  test('MIG instances are not counted beside their card', async () => {
    const fleet = BOARDS.find(([path]) => path.endsWith('fleet.json'))?.[1];
    const panels = fleet === undefined ? [] : panelsOf(fleet);
    const figure = async (title: string) => {
      const panel = panels.find((candidate) => candidate.title === title && candidate.type === 'stat');
      return Number((panel && (await answer(base(), panel, 0, '.*')))?.[0]?.value?.[1]);
    };
    expect(await figure('GPUs')).toBe(3);
    const [used] = await ask(base(), 'query', {
      query: 'sum(gpulse_memory_used_bytes{mig_profile=""}) / sum(gpulse_memory_total_bytes{mig_profile=""})',
    });
    expect(await figure('Memory used')).toBeCloseTo(Number(used?.value?.[1]), 6);
    const [power] = await ask(base(), 'query', { query: 'sum(gpulse_power_watts)' });
    expect(await figure('Power')).toBeCloseTo(Number(power?.value?.[1]), 6);
  });

  test('every rule can be evaluated on cards and instances with owners', async () => {
    for (const { naming, alerts, recordings } of RULE_FILES) {
      const rules = [...recordings, ...alerts.flatMap((alert) => alert[naming] ?? [])];
      for (const { expression } of rules) await ask(base(), 'query', { query: expression });
    }
  });

  test('every series of the rules is exported, or said to be missing', async () => {
    const unknown: string[] = [];
    for (const { naming, alerts, recordings } of RULE_FILES) {
      const expressions = [...recordings, ...alerts.flatMap((alert) => alert[naming] ?? [])].map(
        ({ expression }) => expression,
      );
      const pattern = naming === 'gpulse' ? /(?<!:)\bgpulse_\w+/g : /\bDCGM_FI_\w+/g;
      const names = new Set(expressions.flatMap((expression) => expression.match(pattern) ?? []));
      expect(names.size).toBeGreaterThan(4);
      for (const name of names) {
        const query = `count(${name}) or count(gpulse_metric_absent_info{metric="${name}"})`;
        if ((await ask(base(), 'query', { query })).length === 0) unknown.push(name);
      }
    }
    // Names of the newer standard are not exported here, nor is what older drivers of others call it.
    const newer = /_(?:CELSIUS|WATTS|RATIO|FAILED|XID_ERROR|REPLAY_TOTAL|CLOCK_THROTTLE_REASONS)$/;
    expect(unknown.filter((name) => !newer.test(name))).toEqual([]);
  });
});

test.skipIf(!isComplete)('Prometheus evaluates every rule without a fault', async () => {
  await eventually(async () => {
    const response = await fetch(`${engines.get('Prometheus')?.url}/api/v1/rules`);
    const { data } = (await response.json()) as {
      data: { groups: { rules: { name: string; health: string; lastError?: string }[] }[] };
    };
    const rules = data.groups.flatMap((group) => group.rules);
    expect(rules.length).toBeGreaterThan(60);
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
  });
});
