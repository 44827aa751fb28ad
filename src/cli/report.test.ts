import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ENTRY = resolve(import.meta.dirname, 'entry.ts');

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpulse-report-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

function report(...args: readonly string[]) {
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, TZ: 'UTC', LANG: 'C' };
  return spawnSync(process.execPath, [ENTRY, 'report', ...args], { encoding: 'utf8', env, timeout: 60_000 });
}

const LOST = 'simulate:gpu-lost,gpus=2,history=2m';

test('prints the verdict, and fails where a script asked for it', () => {
  const plain = report(LOST);
  expect([plain.status, plain.stdout]).toEqual([0, expect.stringContaining('GPU lost (confirmed) on GPU 1')]);
  const strict = report(LOST, '--fail-on', 'critical', '--lang', 'zh');
  expect([strict.status, strict.stdout, strict.stderr]).toEqual([
    1,
    expect.stringContaining('掉卡（已确认）'),
    expect.stringContaining('gpu-lost'),
  ]);
});

test('writes a page to a file, and data to the standard output', () => {
  const path = join(folder, 'report.html');
  expect(report(LOST, '--format', 'html', '-o', path).stdout).toBe('');
  expect(existsSync(path) && readFileSync(path, 'utf8')).toMatch(/^<!doctype html>/);
  const { findings } = JSON.parse(report(LOST, '--json').stdout);
  expect(findings[0]).toMatchObject({ rule: 'gpu-lost', state: 'confirmed', severity: 'critical' });
});

test('compares two recordings', () => {
  expect(report(LOST, 'simulate:healthy-training,gpus=2,history=2m').stdout).toContain('no longer found: GPU lost');
});

test('a file that is not there is one line with a remedy', () => {
  const { status, stderr } = report(join(folder, 'nothing.csv'));
  expect([status, stderr.trimEnd().split('\n').length]).toEqual([5, 1]);
});
