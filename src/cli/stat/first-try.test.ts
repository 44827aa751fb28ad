import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { FakeDriver, HAS_FAKE_DRIVER } from '../../sources/nvml/fake-driver.ts';

const GPULSE = resolve(import.meta.dirname, '../../../bin/gpulse');
const ENTRY = resolve(import.meta.dirname, '../entry.ts');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpulse-try-'));
});
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 5 }));

/** A look at the driver is tried in haste before it is taken with patience; an option before the command spares the haste. */
describe.skipIf(!HAS_FAKE_DRIVER)('a look at the driver', () => {
  let driver: FakeDriver;
  afterEach(() => driver.dispose());

  function run(command: string, words: readonly string[], env: Record<string, string> = {}) {
    const { stdout, stderr, status } = spawnSync(command, [...words, '--nvml-library', driver.library], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] ?? '', HOME: folder, XDG_RUNTIME_DIR: folder, TZ: 'UTC', LANG: 'C', ...env },
      timeout: 60_000,
    });
    return { stdout, stderr, status };
  }
  const usual = (...flags: readonly string[]) => run(GPULSE, ['stat', ...flags]);
  const patient = (...flags: readonly string[]) => run(GPULSE, ['--lang', 'en', 'stat', ...flags]);
  const hasty = (...flags: readonly string[]) =>
    run(process.execPath, [ENTRY, 'stat', ...flags], { GPULSE_TRY: 'first' });

  test('shows as much in haste as with patience', { timeout: 120_000 }, async () => {
    const process0 = `process 0 pid ${process.pid} memory 1073741824 kind compute`;
    driver = new FakeDriver({
      script: ['gpus 3', 'gpu 1 reasons 64', 'gpu 2 mig on', process0].join('\n'),
    });
    for (const flags of [
      [],
      ['-c', '-u', '-p', '-F', '-e', '-P', '--no-header'],
      ['--exit-code-if-unhealthy', '9'],
      ['--state', 'busy'],
    ]) {
      // On a busy machine the owner of a process may come too late for one of the two.
      const isSame = () => isDeepStrictEqual(hasty(...flags), patient(...flags));
      await expect.poll(isSame, { message: flags.join(' '), timeout: 60_000 }).toBe(true);
      expect(hasty(...flags).stdout).toContain('NVIDIA H100');
    }
    const readings = (stdout: string): string[] => Object.keys(JSON.parse(stdout).gpus[0].readings);
    expect(readings(hasty('--json').stdout)).toEqual(readings(patient('--json').stdout));
  });

  test('on which a GPU hangs is taken again, and says the same', { timeout: 120_000 }, () => {
    driver = new FakeDriver({ script: 'gpus 2\ngpu 1 hang nvmlDeviceGetUtilizationRates' });
    expect(hasty()).toEqual({ stdout: '', stderr: '', status: 14 });
    const found = usual();
    expect(found.stdout).toMatch(/^\[0\] NVIDIA H100 80GB HBM3 \|.*W.*\n\[1\] NVIDIA H100 80GB HBM3 \| stale.*\n$/);
    expect(found.stderr).toContain('GPU 1');
    expect(found.status).toBe(5);
    // A status that could be mistaken for the end of the first try is only given by the second.
    const asked = usual('--exit-code-if-unhealthy', '14');
    expect([asked.stdout.split('\n').length, asked.status]).toEqual([3, 14]);
  });

  test('that cannot be opened is not taken again', () => {
    driver = new FakeDriver({ script: 'fail nvmlInit_v2 9' });
    const found = usual();
    expect(found).toEqual(hasty());
    expect([found.stderr.split('\n').length, found.status]).toEqual([2, 3]);
  });
});
