import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FakeDriver, HAS_FAKE_DRIVER } from '../sources/nvml/fake-driver.ts';
import { PATIENT, TestHome } from './gpulse-process.ts';

describe.skipIf(!HAS_FAKE_DRIVER)('while the driver does not start', () => {
  let home: TestHome;
  let driver: FakeDriver;
  beforeAll(() => {
    home = new TestHome();
    driver = new FakeDriver({ script: 'gpus 3\nhang nvmlInit_v2' });
  });
  afterAll(() => {
    driver.dispose();
    home.dispose();
  });

  test.each([['stat', '-i', '1'], ['pick'], ['wait', '-q']])(
    '%s %s says what it waits for',
    PATIENT,
    async (...words) => {
      const child = spawn(
        home.gpulse,
        [...words.filter((word) => word !== undefined), '--nvml-library', driver.library],
        {
          env: home.env,
          stdio: ['ignore', 'ignore', 'pipe'],
        },
      );
      const [said] = await once(child.stderr, 'data');
      child.kill('SIGKILL');
      expect(String(said)).toBe('waiting for the driver …\n');
    },
  );

  test.each([
    ['stat', '-i', '1'],
    ['smi', '-l', '1', '--query-gpu=index', '--format=csv'],
    ['smi', 'dmon'],
    ['record', '-o', 'recording.ndjson'],
    ['wait', '--', 'true'],
    ['watch'],
  ])('the first signal ends %s %s', PATIENT, async (...words) => {
    const split = words.indexOf('--');
    const [own, rest] = split < 0 ? [words, []] : [words.slice(0, split), words.slice(split)];
    const child = spawn(home.gpulse, [...own, '--nvml-library', driver.library, ...rest], {
      env: home.env,
      cwd: join(home.folder),
      stdio: 'ignore',
    });
    // Its handlers are there, and it is in the driver.
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect(child.exitCode ?? child.signalCode).toBeNull();
    child.kill('SIGTERM');
    const [code, signal] = await once(child, 'exit');
    expect(code === null ? signal : code).not.toBe('SIGKILL');
    expect([143, 'SIGTERM', 0]).toContain(code ?? signal);
  });
});
