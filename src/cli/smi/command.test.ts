import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { log } from './test-run.ts';

const GPULSE = resolve(import.meta.dirname, '../../../bin/gpulse');
const ENV = { PATH: process.env['PATH'] ?? '', TZ: 'UTC', LANG: 'C' };

function gpulse(...args: string[]) {
  const { stdout, stderr, status } = spawnSync(GPULSE, args, { encoding: 'utf8', env: ENV, timeout: 30_000 });
  return { stdout, stderr, status };
}

test('the words reach the command as nvidia-smi takes them', () => {
  const source = `replay:${log('csv/l40s-595-all-fields-load.csv')}`;
  const { stdout, status } = gpulse(
    'smi',
    '--query-gpu',
    'name,power.draw',
    '--format',
    'csv,noheader',
    '-lms',
    '5',
    '--source',
    source,
  );
  expect([stdout, status]).toEqual(['NVIDIA L40S, 110.23 W\n', 0]);
});

test('what is wrong goes to standard output, as scripts expect it', () => {
  const { stdout, stderr, status } = gpulse('smi', '--query-gpu=cuda_version', '--format=csv');
  expect([stdout, stderr, status]).toEqual(['Field "cuda_version" is not a valid field to query.\n\n', '', 2]);
});

test('why there is no GPU is said in both ways', () => {
  const { stdout, stderr, status } = gpulse('smi', '--source', 'nvml', '--nvml-library', '/does/not/exist.so');
  expect(stdout).toBe("NVIDIA-SMI couldn't find libnvidia-ml.so library in your system.\n");
  expect(stderr).toMatch(/^gpulse: .*\/does\/not\/exist\.so/);
  expect(status).toBe(12);
});

test('the help is in the language of its reader', () => {
  expect(gpulse('smi', '-h').stdout).toMatch(/^Usage: gpulse smi/);
  const chinese = gpulse('--lang', 'zh', 'smi', 'dmon', '-h').stdout;
  expect(chinese).toMatch(/^用法：/);
  expect(chinese).not.toMatch(/Options:|default:/);
});

test('a loop ends quietly when it is interrupted', async () => {
  const child = spawn(GPULSE, ['smi', '--source', 'simulate:demo', '--query-gpu=index', '--format=csv', '-l', '1'], {
    env: ENV,
  });
  await once(child.stdout, 'data');
  child.kill('SIGINT');
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
});
