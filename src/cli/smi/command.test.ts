import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeDriver, HAS_FAKE_DRIVER } from '../../sources/nvml/fake-driver.ts';
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

describe.skipIf(!HAS_FAKE_DRIVER)('errors between two rounds of a loop', { timeout: 60_000 }, () => {
  let driver: FakeDriver;
  beforeEach(() => {
    driver = new FakeDriver({ script: 'gpus 2\n' });
  });
  afterEach(() => driver.dispose());

  /** Lets Xids come after the first round, and ends the loop with what was told of them, or once it is too late for that. */
  async function loop(...words: readonly string[]) {
    const child = spawn(GPULSE, ['smi', '--nvml-library', driver.library, ...words, '-lms', '200'], { env: ENV });
    const said = { out: '', err: '' };
    let end = Number.POSITIVE_INFINITY;
    child.stderr.on('data', (chunk: Buffer) => {
      said.err += chunk.toString();
      end = Math.min(end, performance.now() + 500);
    });
    child.stdout.on('data', (chunk: Buffer) => {
      if (said.out === '') {
        driver.script('gpus 2\nxid 1 1 79\nxid 2 0 13\n');
        // The kernel's own word on an Xid, which says more, is waited for.
        end = performance.now() + 6000;
      }
      said.out += chunk.toString();
      if (performance.now() > end) child.kill('SIGINT');
    });
    await once(child, 'close');
    return said;
  }

  test('are told on standard error, of the GPUs that were asked for', async () => {
    const { out, err } = await loop('--query-gpu=index', '--format=csv,noheader', '-i', '1');
    expect(out).toMatch(/^(1\n)+$/);
    expect(err).toMatch(/^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d\.\d{3}, GPU 1: Xid 79, .*\n$/);
  });

  test('are left out beside XML, as nvidia-smi leaves them out', async () => {
    const { out, err } = await loop('-q', '-x');
    expect([out.startsWith('<?xml'), err]).toEqual([true, '']);
  });
});
