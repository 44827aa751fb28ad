import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { commandOf } from './parts.ts';

const PROMETHEUS = resolve(import.meta.dirname, '../deploy/prometheus');
const AMTOOL = commandOf('Alertmanager');
const hasPrometheus = commandOf('Prometheus') !== null;

function promtool(...args: readonly string[]): { output: string; status: number | null } {
  const { stdout, stderr, status } = spawnSync('promtool', args, { encoding: 'utf8', cwd: PROMETHEUS });
  return { output: stdout + stderr, status };
}

test.skipIf(!hasPrometheus)('the rules fire, do not fire and resolve as they should', () => {
  const tests = readdirSync(resolve(PROMETHEUS, 'tests')).map((file) => `tests/${file}`);
  expect(tests.length).toBeGreaterThan(2);
  const { output, status } = promtool('test', 'rules', ...tests);
  expect([output, status]).toEqual([expect.not.stringContaining('FAILED'), 0]);
});

test.skipIf(!hasPrometheus)('Prometheus takes its configuration and every rule', () => {
  const { output, status } = promtool('check', 'config', 'prometheus.yml');
  expect([output, status]).toEqual([expect.stringContaining('is valid'), 0]);
  expect(promtool('check', 'rules', 'health-dcgm.rules.yml').status).toBe(0);
});

test.skipIf(AMTOOL === null)('Alertmanager takes its configuration', () => {
  const file = resolve(import.meta.dirname, '../deploy/alertmanager/alertmanager.yml');
  expect(spawnSync(AMTOOL ?? '', ['check-config', file]).status).toBe(0);
});
