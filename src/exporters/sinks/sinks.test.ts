import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { commandOf } from '../../../scripts/parts.ts';
import { systemClock } from '../../model/clock.ts';
import { createPageWriter, type PageWriter } from '../metric-profiles.ts';
import type { Page } from '../page.ts';
import { gpu, migOf, NAMING, pageOf, podProcess, viewOf } from '../test-page.ts';
import { influx } from './influx.ts';
import { PushSink } from './push-sink.ts';
import { pushgateway } from './pushgateway.ts';
import type { Receiver } from './receiver.ts';
import { remoteWrite } from './remote-write.ts';
import { eventually, TestServer } from './test-server.ts';

/** The real servers, as Debian packages them. */
const SERVERS = {
  pushgateway: commandOf('Pushgateway'),
  influx: commandOf('InfluxDB'),
  victoria: commandOf('VictoriaMetrics'),
};

const servers: TestServer[] = [];
const sinks: PushSink[] = [];

afterEach(async () => {
  for (const sink of sinks.splice(0)) await sink.close();
  for (const server of servers.splice(0)) await server.dispose();
});

async function start(command: string | null, args: (folder: string, port: number) => string[], ready: string) {
  const server = await TestServer.start(command ?? '', args, ready);
  servers.push(server);
  return server;
}

const NASTY = 'Say "hi", a=b \\ 显卡 🚀\nend';

function page(now: number, power = 235.4): Page {
  const card = gpu(0, { name: NASTY });
  const owned = { processes: [podProcess(1, NASTY)] };
  const views = [
    viewOf(card, { power_watts: power, energy_joules_total: 12.5 }, owned),
    viewOf(migOf(card, 1), { memory_used_bytes: 7 }),
  ];
  return { ...pageOf(views), now, at: now };
}

function sinkFor(receiver: Receiver, pages: () => Page | null, intervalMs = 3_600_000, capacity = 100): PushSink {
  const writer: PageWriter = createPageWriter('node-1', NAMING);
  const sink = new PushSink({
    receiver,
    clock: systemClock,
    writer,
    page: pages,
    intervalMs,
    capacity,
    timeoutMs: 5000,
  });
  sinks.push(sink);
  return sink;
}

describe.skipIf(SERVERS.pushgateway === null)('Pushgateway', () => {
  test('holds the group of this host until gpulse stops', async () => {
    const server = await start(
      SERVERS.pushgateway,
      (_, port) => [`--web.listen-address=127.0.0.1:${port}`],
      '/-/ready',
    );
    const options = { url: `${server.url}/`, job: 'gpulse', instance: 'rack 1/node', headers: {} };
    const sink = sinkFor(pushgateway(options), () => page(Date.now()));
    sink.push();
    await eventually(() => expect(sink.status()).toMatchObject({ lastFailure: null, queued: 0, lostSamples: 0 }));
    const text = await eventually(async () => {
      const body = await (await fetch(`${server.url}/metrics`)).text();
      expect(body).toContain('gpulse_power_watts');
      return body;
    });
    expect(text).toContain('gpulse_power_watts{gpu="0",instance="rack 1/node",job="gpulse",uuid="GPU-0a"} 235.4');
    expect(text).toContain('name="Say \\"hi\\", a=b \\\\ 显卡 🚀\\nend"');
    await sink.close();
    expect(await (await fetch(`${server.url}/metrics`)).text()).not.toContain('gpulse_power_watts');
  });
});

describe.skipIf(SERVERS.influx === null)('InfluxDB', () => {
  const args = (folder: string, port: number) => {
    const config = `reporting-disabled = true
bind-address = "127.0.0.1:0"
[meta]
  dir = "${folder}/meta"
[data]
  dir = "${folder}/data"
  wal-dir = "${folder}/wal"
[http]
  bind-address = "127.0.0.1:${port}"
[monitor]
  store-enabled = false
`;
    writeFileSync(join(folder, 'influx.conf'), config);
    return ['-config', join(folder, 'influx.conf')];
  };

  test('gives back the points it was sent', async () => {
    const server = await start(SERVERS.influx, args, '/ping');
    const ask = async (q: string) => {
      const parameters = new URLSearchParams({ db: 'gpus', epoch: 'ms', q });
      const answer = await fetch(`${server.url}/query?${parameters}`, { method: 'POST' });
      const { results } = (await answer.json()) as {
        results: { series?: { columns: string[]; values: unknown[][] }[] }[];
      };
      return results[0]?.series?.[0];
    };
    const target = { database: 'gpus', retentionPolicy: null };
    const receiver = influx({ url: server.url, target, measurement: 'gpu load', host: 'node 1', headers: {} });
    const now = Date.now();
    const sink = sinkFor(receiver, () => page(now));
    sink.push();
    await eventually(() => expect(sink.status()).toMatchObject({ sentSamples: 0, failures: 1 }));
    expect(sink.status().lastFailure).toContain('HTTP 404');
    await ask('CREATE DATABASE gpus');
    sink.push();
    await eventually(() => expect(sink.status()).toMatchObject({ queued: 0, failures: 1, lastFailure: null }));
    expect(sink.status().sentSamples).toBeGreaterThan(50);
    const power = await ask(`SELECT uuid, host, power_watts FROM "gpu load" WHERE power_watts > 0`);
    expect(power?.values).toEqual([[now, 'GPU-0a', 'node 1', 235.4]]);
    const info = await ask(`SELECT device_info, "name" FROM "gpu load" WHERE device_info > 0 AND uuid = 'GPU-0a'`);
    expect(info?.values).toEqual([[now, 1, NASTY.replace('\n', ' ')]]);
  }, 60_000);
});

describe.skipIf(SERVERS.victoria === null)('VictoriaMetrics', () => {
  test('loses nothing when it is killed and comes back', async () => {
    const args = (folder: string, port: number) => [
      `-httpListenAddr=127.0.0.1:${port}`,
      `-storageDataPath=${folder}/data`,
    ];
    const server = await start(SERVERS.victoria, args, '/health');
    const url = `${server.url}/api/v1/write`;
    const began = Date.now() - 60_000;
    let tick = 0;
    const receiver = remoteWrite({ url, labels: { job: 'gpulse', instance: 'node-1' }, headers: {} });
    const sink = sinkFor(receiver, () => page(began + tick * 1000, tick));
    const push = async () => {
      tick++;
      const before = sink.status();
      sink.push();
      await eventually(() => expect(sink.status()).not.toEqual(before));
    };
    await push();
    await eventually(() => expect(sink.status().queued).toBe(0));
    await server.kill();
    for (let i = 0; i < 4; i++) await push();
    expect(sink.status().queued).toBeGreaterThan(0);
    expect(sink.status().failures).toBeGreaterThan(0);
    await server.start('/health');
    await eventually(() => expect(sink.status()).toMatchObject({ queued: 0, lostSamples: 0, lastFailure: null }));
    const range = `start=${began / 1000}&end=${began / 1000 + 10}&step=1s`;
    const query = encodeURIComponent('gpulse_power_watts{gpu="0"}[20s]');
    // Of the first it may have lost what it had not put on disk when it was killed: that it had taken.
    const body = await eventually(async () => {
      await fetch(`${server.url}/internal/force_flush`);
      const answer = await fetch(`${server.url}/api/v1/query?query=${query}&time=${began / 1000 + 10}&${range}`);
      const found = (await answer.json()) as { data: { result: { metric: object; values: [number, string][] }[] } };
      expect(found.data.result[0]?.values.map(([, value]) => Number(value)).slice(-4)).toEqual([2, 3, 4, 5]);
      return found;
    });
    const [series] = body.data.result;
    expect(series?.metric).toEqual({
      __name__: 'gpulse_power_watts',
      gpu: '0',
      uuid: 'GPU-0a',
      job: 'gpulse',
      instance: 'node-1',
    });
    const info = await fetch(`${server.url}/api/v1/series?match[]=gpulse_device_info&start=${began / 1000 - 60}`);
    const { data } = (await info.json()) as { data: { name: string }[] };
    expect(data.map(({ name }) => name)).toContain(NASTY);
  }, 60_000);
});
