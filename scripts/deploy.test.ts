import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { eventually, TestServer } from '../src/exporters/sinks/test-server.ts';
import { commandOf } from './parts.ts';

const PROMETHEUS = resolve(import.meta.dirname, '../deploy/prometheus');
const ALERTMANAGER = resolve(import.meta.dirname, '../deploy/alertmanager/alertmanager.yml');
const AMTOOL = commandOf('Alertmanager');
/** Debian's name of the server beside it. */
const SERVER = AMTOOL?.replace(/amtool$/, 'prometheus-alertmanager') ?? '';
const hasPrometheus = commandOf('Prometheus') !== null;

function promtool(...args: readonly string[]): { output: string; status: number | null } {
  const { stdout, stderr, status } = spawnSync('promtool', args, { encoding: 'utf8', cwd: PROMETHEUS });
  return { output: stdout + stderr, status };
}

test.skipIf(!hasPrometheus)(
  'the rules fire, do not fire and resolve as they should',
  () => {
    const tests = readdirSync(resolve(PROMETHEUS, 'tests')).map((file) => `tests/${file}`);
    expect(tests.length).toBe(4);
    const { output, status } = promtool('test', 'rules', ...tests);
    expect([output, status]).toEqual([expect.not.stringContaining('FAILED'), 0]);
  },
  180_000,
);

test.skipIf(!hasPrometheus)('Prometheus takes its configuration and every rule', () => {
  const { output, status } = promtool('check', 'config', 'prometheus.yml');
  expect([output, status]).toEqual([expect.stringContaining('is valid'), 0]);
  const files = readdirSync(PROMETHEUS).filter((file) => file.endsWith('.rules.yml'));
  expect(files).toHaveLength(4);
  const checked = promtool('check', 'rules', ...files);
  expect([checked.output, checked.status]).toEqual([expect.not.stringMatching(/FAILED|duplicate/i), 0]);
});

test.skipIf(AMTOOL === null)('Alertmanager takes its configuration, and hints go to nobody', () => {
  const amtool = (...args: readonly string[]) => spawnSync(AMTOOL ?? '', args, { encoding: 'utf8' });
  expect(amtool('check-config', ALERTMANAGER).status).toBe(0);
  const route = (severity: string) =>
    amtool('config', 'routes', 'test', `--config.file=${ALERTMANAGER}`, `severity=${severity}`).stdout.trim();
  expect(['critical', 'warning', 'info'].map(route)).toEqual(['operators', 'operators', 'nobody']);
});

test.skipIf(AMTOOL === null)(
  'a machine that is down silences its GPUs, and a lost GPU what else is said of it, but nobody else',
  async () => {
    const server = await TestServer.start(
      SERVER,
      (folder, port) => [
        ...[`--config.file=${ALERTMANAGER}`, `--storage.path=${folder}`, '--cluster.listen-address='],
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      '/-/ready',
    );
    try {
      const alerts = [
        { alertname: 'GpulseDown', instance: 'down', severity: 'warning' },
        { alertname: 'GpuLost', instance: 'down', gpu: '0', uuid: 'a', severity: 'critical' },
        { alertname: 'GpuLost', instance: 'up', gpu: '0', uuid: 'b', severity: 'critical' },
        { alertname: 'GpuStale', instance: 'up', gpu: '0', uuid: 'b', severity: 'warning' },
        { alertname: 'GpuStale', instance: 'up', gpu: '1', uuid: 'c', severity: 'warning' },
        { alertname: 'GpuXidFatal', instance: 'up', gpu: '0', uuid: 'b', severity: 'critical' },
      ].map((labels) => ({ labels }));
      const headers = { 'content-type': 'application/json' };
      const posted = await fetch(`${server.url}/api/v2/alerts`, {
        method: 'POST',
        headers,
        body: JSON.stringify(alerts),
      });
      expect(posted.status).toBe(200);
      const inhibited = await eventually(async () => {
        const answer = await fetch(`${server.url}/api/v2/alerts`);
        const all = (await answer.json()) as { labels: Record<string, string>; status: { inhibitedBy: string[] } }[];
        expect(all).toHaveLength(alerts.length);
        const quiet = all.filter(({ status }) => status.inhibitedBy.length > 0);
        expect(quiet.length).toBeGreaterThan(1);
        return quiet.map(({ labels }) => `${labels['alertname']} ${labels['instance']} ${labels['gpu']}`).sort();
      });
      expect(inhibited).toEqual(['GpuLost down 0', 'GpuStale up 0']);
    } finally {
      await server.dispose();
    }
  },
  60_000,
);
