import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const GPULSE = resolve(import.meta.dirname, '../../../bin/gpulse');

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'gpulse-doctor-'));
});
afterAll(() => rmSync(home, { recursive: true }));

function doctor(...args: string[]) {
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, LANG: 'C' };
  const { stdout, stderr, status } = spawnSync(GPULSE, ['doctor', ...args], { encoding: 'utf8', env, timeout: 30_000 });
  return { stdout, stderr, status };
}

const WELL = ['--source', 'simulate:healthy-training'];
const BROKEN = ['--source', 'nvml', '--nvml-library', '/does/not/exist.so'];

test('what is well exits with 0, a warning only with --strict as 1, a fault always', { timeout: 60_000 }, () => {
  const { stdout, status } = doctor(...WELL);
  expect(stdout).toMatch(/^\[ok\] Node 2\d/);
  expect(stdout).toMatch(/^\[warning\] simulated, not this machine$/m);
  expect(status).toBe(0);
  expect(doctor(...WELL, '--strict').status).toBe(1);
  expect(doctor(...BROKEN).status).toBe(1);
});

test('a fault has its remedy below it, in the language of the reader', () => {
  expect(doctor(...BROKEN).stdout).toMatch(/^\[fault\] .*\/does\/not\/exist\.so.*\n {4}what to do: \S/m);
  expect(doctor(...BROKEN, '--lang', 'zh').stdout).toMatch(/^\[故障\] .*\/does\/not\/exist\.so.*\n {4}解决办法：\S/m);
});

test('--json has a row for each check', () => {
  const { stdout, status } = doctor(...BROKEN, '--json');
  const rows = JSON.parse(stdout) as { id: string; level: string; text: string; remedy: string | null }[];
  expect(status).toBe(1);
  expect(rows[0]).toMatchObject({ id: 'node', level: 'ok', remedy: null });
  expect(rows.find(({ id }) => id === 'NVML_LIBRARY_NOT_FOUND')).toMatchObject({
    level: 'fault',
    remedy: expect.stringMatching(/\S/),
  });
});

test('colours are only for terminals, or on demand', () => {
  expect(doctor(...WELL).stdout).not.toContain('\u001b');
});
