import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { cpuSeconds, sleep } from './process.ts';

/** A time series database that gpulse is measured against. */
export interface Peer {
  readonly name: string;
  readonly pid: number;
  readonly url: string;
  readonly writePath: string;
  /** Seconds of CPU it has used. */
  cpu(): number;
  /** Puts everything on the disk in its final form, ends, and returns the bytes it takes. */
  finish(): Promise<number>;
}

function ensure(command: string, debianPackage: string): boolean {
  const isThere = () => spawnSync('sh', ['-c', `command -v ${command}`], { stdio: 'ignore' }).status === 0;
  if (isThere()) return true;
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', debianPackage], { stdio: 'ignore' });
  if (isThere()) return true;
  console.log(`skipped: ${command}, which the Debian package ${debianPackage} would bring`);
  return false;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function launch(command: string, args: readonly string[], url: string): Promise<ChildProcess & { pid: number }> {
  const child = spawn(command, args, { stdio: 'ignore' });
  for (let tries = 0; tries < 100; tries++) {
    const isReady = await fetch(`${url}/-/ready`).then(
      ({ status }) => status < 500,
      () => false,
    );
    if (isReady && child.pid !== undefined) return Object.assign(child, { pid: child.pid });
    await sleep(200);
  }
  child.kill();
  throw new Error(`${command} did not start`);
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** A Pushgateway without any groups; null, and why, where there is none. */
export async function startPushgateway(): Promise<{ readonly page: string; end(): Promise<void> } | null> {
  if (!ensure('prometheus-pushgateway', 'prometheus-pushgateway')) return null;
  const address = `127.0.0.1:${await freePort()}`;
  const child = await launch('prometheus-pushgateway', [`--web.listen-address=${address}`], `http://${address}`);
  return { page: `http://${address}/metrics`, end: () => end(child) };
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

/** Prometheus; what counts is a snapshot, so its blocks with their index, and not its log. Null where it cannot be had. */
export async function startPrometheus(folder: string): Promise<Peer | null> {
  if (!ensure('prometheus', 'prometheus')) return null;
  const url = `http://127.0.0.1:${await freePort()}`;
  const config = join(folder, 'prometheus.yml');
  writeFileSync(config, 'global: {}\n');
  const data = join(folder, 'prometheus');
  const address = url.replace('http://', '');
  const child = await launch(
    'prometheus',
    [
      ...[`--config.file=${config}`, `--storage.tsdb.path=${data}`, `--web.listen-address=${address}`],
      ...['--web.enable-remote-write-receiver', '--web.enable-admin-api', '--storage.tsdb.retention.time=100y'],
    ],
    url,
  );
  return {
    name: 'Prometheus',
    pid: child.pid,
    url,
    writePath: '/api/v1/write',
    cpu: () => cpuSeconds(child.pid),
    async finish() {
      await fetch(`${url}/api/v1/admin/tsdb/snapshot`, { method: 'POST' });
      const bytes = bytesIn(join(data, 'snapshots'));
      await end(child);
      return bytes;
    },
  };
}

/** VictoriaMetrics; what counts is its whole directory after everything has been merged. Null where it cannot be had. */
export async function startVictoriaMetrics(folder: string): Promise<Peer | null> {
  if (!ensure('victoria-metrics', 'victoria-metrics')) return null;
  const url = `http://127.0.0.1:${await freePort()}`;
  const data = join(folder, 'victoria-metrics');
  const address = url.replace('http://', '');
  const child = await launch(
    'victoria-metrics',
    [`-storageDataPath=${data}`, `-httpListenAddr=${address}`, '-retentionPeriod=100y', '-search.latencyOffset=0s'],
    url,
  );
  return {
    name: 'VictoriaMetrics',
    pid: child.pid,
    url,
    writePath: '/api/v1/write',
    cpu: () => cpuSeconds(child.pid),
    async finish() {
      await fetch(`${url}/internal/force_flush`);
      await fetch(`${url}/internal/force_merge`);
      await sleep(10_000);
      await end(child);
      return bytesIn(data);
    },
  };
}
