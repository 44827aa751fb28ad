import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { commandOf } from '../../../scripts/parts.ts';
import { systemClock } from '../../model/clock.ts';
import { createPageWriter } from '../metric-profiles.ts';
import { type Page, writeWhole } from '../page.ts';
import { gpu, NAMING, pageOf, podProcess, textOf, wholeView } from '../test-page.ts';
import { PushSink } from './push-sink.ts';
import { remoteWrite } from './remote-write.ts';
import { SampleList } from './sample-list.ts';
import { eventually, TestServer } from './test-server.ts';

/** More than ten thousand series with labels that are hard to write, read back from the real servers, value by value. */

const PROMETHEUS = commandOf('Prometheus');
const VICTORIA = commandOf('VictoriaMetrics');
const GPUS = 48;
const NAMES = ['Say "hi"', 'C:\\gpu\\', 'two\nlines', '显卡 🚀 é', '{a="b"}', "it's = 1, ok"];

let engine: TestServer | null = null;
let pageServer: Server | null = null;

afterEach(async () => {
  await engine?.dispose();
  pageServer?.closeAllConnections();
  pageServer?.close();
  [engine, pageServer] = [null, null];
});

function manySeries(now: number): Page {
  const views = Array.from({ length: GPUS }, (_, i) =>
    wholeView(gpu(i, { name: `${NAMES[i % NAMES.length]} ${i}` }), {
      processes: [podProcess(i + 1, `${NAMES[(i + 1) % NAMES.length]} ${i}`)],
    }),
  );
  return { ...pageOf(views), now, at: now };
}

/** Every series as it must come back: its labels, sorted, and its value. */
function expected(page: Page): ReadonlyMap<string, number> {
  const list = new SampleList();
  writeWhole(createPageWriter('node-1', NAMING).inSteps(page, list));
  return new Map(
    list.samples.map(({ family, labels, value }) => [
      keyOf({ ...Object.fromEntries(labels.pairs), __name__: family.name }),
      value,
    ]),
  );
}

function keyOf(labels: Readonly<Record<string, string>>): string {
  const { job: _job, instance: _instance, ...own } = labels;
  return JSON.stringify(Object.entries(own).sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function readBack(url: string, atSeconds: number): Promise<ReadonlyMap<string, number>> {
  const query = '{__name__=~"gpulse_.+|process_.+"}';
  const response = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query, time: String(atSeconds) })}`);
  const { data } = (await response.json()) as {
    data: { result: { metric: Record<string, string>; value: [number, string] }[] };
  };
  return new Map(data.result.map(({ metric, value }) => [keyOf(metric), Number(value[1])]));
}

function expectSame(found: ReadonlyMap<string, number>, wanted: ReadonlyMap<string, number>): void {
  expect(found.size).toBe(wanted.size);
  const wrong = [...wanted].filter(([key, value]) => found.get(key) !== value);
  expect(wrong.slice(0, 5)).toEqual([]);
}

test.skipIf(VICTORIA === null)(
  'VictoriaMetrics has every series that was pushed to it',
  async () => {
    engine = await TestServer.start(
      VICTORIA ?? '',
      (folder, port) => [
        ...[`-httpListenAddr=127.0.0.1:${port}`, `-storageDataPath=${folder}/data`],
        ...['-search.latencyOffset=0s', '-search.disableCache'],
      ],
      '/health',
    );
    const { url } = engine;
    const now = Date.now() - 5000;
    const page = manySeries(now);
    const sink = new PushSink({
      receiver: remoteWrite({ url: `${url}/api/v1/write`, labels: { job: 'gpulse', instance: 'node-1' }, headers: {} }),
      ...{ clock: systemClock, writer: createPageWriter('node-1', NAMING), page: () => page },
      ...{ intervalMs: 3_600_000, capacity: 10, timeoutMs: 20_000 },
    });
    sink.push();
    const wanted = expected(page);
    expect(wanted.size).toBeGreaterThan(10_000);
    await eventually(() =>
      expect(sink.status()).toMatchObject({ sentSamples: wanted.size, queued: 0, lostSamples: 0 }),
    );
    await sink.close();
    await fetch(`${url}/internal/force_flush`);
    const found = await eventually(async () => {
      const back = await readBack(url, now / 1000 + 1);
      expect(back.size).toBe(wanted.size);
      return back;
    });
    expectSame(found, wanted);
  },
  60_000,
);

test.skipIf(PROMETHEUS === null).each([
  ['the text format', 'prometheus'],
  ['OpenMetrics', 'openmetrics'],
] as const)(
  'Prometheus has every series of a page in %s',
  async (_name, format) => {
    const page = manySeries(Date.now());
    const types = {
      prometheus: 'text/plain; version=0.0.4; charset=utf-8',
      openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
    };
    const text = textOf(page, NAMING, format);
    pageServer = createServer((_request, response) => {
      response.setHeader('content-type', types[format]);
      response.end(text);
    });
    await new Promise<void>((done) => pageServer?.listen(0, '127.0.0.1', done));
    const { port: target } = pageServer.address() as AddressInfo;
    engine = await TestServer.start(
      PROMETHEUS ?? '',
      (folder, port) => {
        const config = join(folder, 'prometheus.yml');
        const job = `{job_name: gpulse, scrape_interval: 1s, static_configs: [{targets: ['127.0.0.1:${target}']}]}`;
        writeFileSync(config, `scrape_configs: [${job}]\n`);
        return [
          ...[`--config.file=${config}`, `--storage.tsdb.path=${folder}/data`],
          `--web.listen-address=127.0.0.1:${port}`,
        ];
      },
      '/-/ready',
    );
    const { url } = engine;
    const wanted = expected(page);
    const found = await eventually(async () => {
      const back = await readBack(url, Date.now() / 1000);
      expect(back.size).toBeGreaterThanOrEqual(wanted.size);
      return back;
    });
    expectSame(found, wanted);
  },
  60_000,
);
