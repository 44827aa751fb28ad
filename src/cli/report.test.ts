import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ENTRY = resolve(import.meta.dirname, 'entry.ts');

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpulse-report-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

function gpulse(...args: readonly string[]) {
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, TZ: 'UTC', LANG: 'C' };
  return spawnSync(process.execPath, [ENTRY, ...args], { encoding: 'utf8', env, timeout: 60_000 });
}

function report(...args: readonly string[]) {
  return gpulse('report', ...args);
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

test('writes a page to a file, and data to the standard output', { timeout: 60_000 }, () => {
  const path = join(folder, 'report.html');
  expect(report(LOST, '--format', 'html', '-o', path).stdout).toBe('');
  expect(existsSync(path) && readFileSync(path, 'utf8')).toMatch(/^<!doctype html>/);
  const { findings } = JSON.parse(report(LOST, '--json').stdout);
  expect(findings[0]).toMatchObject({ rule: 'gpu-lost', state: 'confirmed', severity: 'critical' });
});

test('a run by its name: what it was, what it printed, and when', { timeout: 120_000 }, () => {
  const lines = Array.from({ length: 60 }, (_, i) => `Epoch: [0][${i}/60] Time 1.0${i % 9} Data 0.8${i % 9}`);
  writeFileSync(join(folder, 'lines'), `${lines.join('\n')}\n`);
  const wait = ['sh', '-c', `cat ${join(folder, 'lines')}; sleep 2; echo 'UserWarning: slow loader' >&2`];
  expect(gpulse('run', '--data', folder, '--source', 'simulate:data-starved,gpus=2', '--', ...wait).status).toBe(0);
  const { stdout } = report('last', '--data', folder);
  expect(stdout).toMatch(/Command: sh -c cat/);
  expect(stdout).toContain('GPU waits for input data (likely)');
  expect(stdout).toMatch(/\d\d:\d\d:\d\d UserWarning: slow loader/);
  const { run } = JSON.parse(report('last', '--data', folder, '--json').stdout);
  expect(run).toMatchObject({ exitCode: 0, command: wait });
  expect(report('20010101', '--data', folder)).toMatchObject({ status: 5, stderr: expect.stringContaining('runs') });
});

test.each([
  [[], 2, /name a file or a run/],
  [['--from=-1h'], 5, /no history/],
  [['a.csv', '--host', 'http://127.0.0.1:1'], 2, /not both/],
  [['--host', 'http://127.0.0.1:1'], 1, /does not answer/],
  [['--host', 'nonsense'], 2, /HOST:PORT/],
  [['nosuchrun'], 5, /"nosuchrun" is neither a file nor a run in .*runs; check the name/],
  [['2026'], 5, /"2026" is neither a file nor a run in /],
  [[''], 5, /"" is neither a file nor a run in /],
  [[LOST, '-o', '/nonexistent/report.txt'], 1, /cannot be written to \/nonexistent/],
])('%j is refused with what to do', (args, status, words) => {
  const refused = report(...args);
  expect(refused.stderr).toMatch(words);
  expect([refused.status, refused.stdout]).toEqual([status, '']);
});

test('compares two recordings', () => {
  expect(report(LOST, 'simulate:healthy-training,gpus=2,history=2m').stdout).toMatch(
    /better: gone is GPU lost[\s\S]*no longer found: GPU lost/,
  );
});

test('a file that is not there is one line with a remedy', () => {
  const { status, stderr } = report(join(folder, 'nothing.csv'));
  expect([status, stderr.trimEnd().split('\n').length]).toEqual([5, 1]);
});
