import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakeDriver, HAS_FAKE_DRIVER } from '../sources/nvml/fake-driver.ts';
import { PATIENT, TestHome } from './gpulse-process.ts';

let home: TestHome;

beforeEach(() => {
  home = new TestHome();
});

afterEach(() => home.dispose());

test('--one-line has all GPUs of a tick in one line', PATIENT, () => {
  writeFileSync(
    home.path('gpu.csv'),
    [
      'timestamp, index, utilization.gpu [%], memory.used [MiB], memory.total [MiB], temperature.gpu, power.draw [W]',
      '2025/01/01 10:00:00.000, 0, 12 %, 1024 MiB, 81920 MiB, 40, 99.50 W',
      '2025/01/01 10:00:00.000, 1, 0 %, 0 MiB, 81920 MiB, 30, 60.00 W',
      '2025/01/01 10:00:01.000, 0, 87 %, 10240 MiB, 81920 MiB, 72, 235.44 W',
      '2025/01/01 10:00:01.000, 1, [N/A], 0 MiB, 81920 MiB, 30, 60.00 W',
      '',
    ].join('\n'),
  );
  const { stdout } = home.run(['watch', '--utc', '--one-line', '--source', 'replay:gpu.csv']);
  expect(stdout).toBe(
    [
      '[2025-01-01T10:00:00Z] GPU0: 12%, Mem: 1024/81920 MB, Temp: 40°C, Power: 99.5W | GPU1: 0%, Mem: 0/81920 MB, Temp: 30°C, Power: 60.0W',
      '[2025-01-01T10:00:01Z] GPU0: 87%, Mem: 10240/81920 MB, Temp: 72°C, Power: 235.4W | GPU1: ??%, Mem: 0/81920 MB, Temp: 30°C, Power: 60.0W',
      '',
    ].join('\n'),
  );
  const only = home.run(['watch', '--utc', '--one-line', '--gpu', '1', '-c', '1', '--source', 'replay:gpu.csv']);
  expect(only.stdout).toBe('[2025-01-01T10:00:00Z] GPU1: 0%, Mem: 0/81920 MB, Temp: 30°C, Power: 60.0W\n');
});

test.skipIf(!HAS_FAKE_DRIVER)('a lost card says so among the others', PATIENT, () => {
  const driver = new FakeDriver({ script: 'gpus 2\ngpu 1 lost on' });
  const args = ['watch', '--lang', 'en', '--one-line', '-c', '2', '-i', '200ms', '--source', 'nvml'];
  const { stdout, status } = home.run([...args, '--nvml-library', driver.library]);
  driver.dispose();
  expect(status).toBe(0);
  expect(stdout.split('\n')[0]).toMatch(
    /^\[\d\d:\d\d:\d\d\] GPU0: 35%, Mem: \d+\/81920 MB, Temp: 41°C, Power: [\d.]+W \| GPU1: lost/,
  );
});

test('a pipe gets neither colours nor cursor codes, and one that closes is no failure', PATIENT, () => {
  const command = `"$0" watch --lang en --one-line -i 100ms --source simulate:demo | head -n 2; echo "\${PIPESTATUS[0]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', command, home.gpulse], {
    encoding: 'utf8',
    env: home.env,
    timeout: 100_000,
  });
  expect(stdout).toMatch(/^\[.*\n\[.*\n0\n$/);
  expect(stdout).not.toContain('\u001b');
  expect(stderr).toBe('simulated, not this machine\n');
});

test('SIGTERM ends it in the middle of nothing', PATIENT, async () => {
  const watching = home.start(home.gpulse, ['watch', '--lang', 'en', '-i', '100ms', '--source', 'simulate:demo']);
  await watching.says(/GPU7: .*\n/);
  watching.child.kill('SIGTERM');
  expect((await watching.ended).code).toBe(0);
  expect(watching.stdout.endsWith('\n')).toBe(true);
});
