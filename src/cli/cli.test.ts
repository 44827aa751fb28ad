import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiGpus } from '../model/api.ts';

const GPULSE = resolve(import.meta.dirname, '../../bin/gpulse');

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpulse-cli-'));
  writeFileSync(
    join(folder, 'gpu.csv'),
    [
      'timestamp, index, name, utilization.gpu [%], memory.used [MiB], memory.total [MiB], temperature.gpu, power.draw [W]',
      '2025/01/01 10:00:00.000, 0, NVIDIA A100, 12 %, 1024 MiB, 81920 MiB, 40, 99.50 W',
      '2025/01/01 10:00:00.000, 1, NVIDIA A100, 0 %, 0 MiB, 81920 MiB, 30, 60.00 W',
      '2025/01/01 10:00:01.000, 0, NVIDIA A100, 87 %, 10240 MiB, 81920 MiB, 72, 235.44 W',
      '2025/01/01 10:00:01.000, 1, NVIDIA A100, [N/A], 0 MiB, 81920 MiB, 30, 60.00 W',
      '',
    ].join('\n'),
  );
});

afterAll(() => rmSync(folder, { recursive: true }));

function gpulse(args: readonly string[], env: Record<string, string> = {}) {
  const { stdout, stderr, status } = spawnSync(GPULSE, args, {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, TZ: 'UTC', LANG: 'C', ...env },
    timeout: 30_000,
  });
  return { stdout, stderr, status };
}

describe('help', () => {
  test('lists the commands', () => {
    const { stdout, status } = gpulse(['--help']);
    expect(status).toBe(0);
    for (const command of ['serve', 'stat', 'watch', 'export', 'doctor']) expect(stdout).toContain(`  ${command}`);
  });

  test('without arguments is the help', () => {
    expect(gpulse([]).stdout).toBe(gpulse(['--help']).stdout);
  });

  test.each(['serve', 'stat', 'watch', 'export', 'doctor'])('%s explains itself in both languages', (command) => {
    expect(gpulse([command, '--help']).stdout).toMatch(/^Usage: /);
    const chinese = gpulse([command, '--help', '--lang', 'zh']).stdout;
    expect(chinese).toMatch(/^用法：/);
    expect(chinese).not.toMatch(/Options:|default:|display help/);
  });

  test('is there for whoever only chooses a language', () => {
    const { stdout, status } = gpulse(['--lang', 'zh']);
    expect([stdout.slice(0, 3), status]).toEqual(['用法：', 0]);
    expect(gpulse(['completion', '--help', '--lang', 'zh']).stdout).toContain('参数：');
  });

  test('follows the locale', () => {
    expect(gpulse(['--help'], { LANG: 'zh_CN.UTF-8' }).stdout).toMatch(/^用法：/);
  });

  test('prints the version', () => {
    expect(gpulse(['--version']).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('failures are one line on standard error with a remedy', () => {
  test.each([
    [['frobnicate'], 2, /unknown command 'frobnicate'.*gpulse --help/],
    [['stat', '--frobnicate'], 2, /unknown option '--frobnicate'.*gpulse stat --help/],
    [['help', 'frobnicate'], 2, /unknown command 'frobnicate'.*gpulse --help/],
    [['stat', '--id', ''], 2, /option '--id' needs a value.*gpulse stat --help/],
    [['stat', '--user= , '], 2, /option '--user' needs a value/],
    [['watch', '--gpu', ''], 2, /option '--gpu' needs a value.*gpulse watch --help/],
    [['top', '--gpu='], 2, /option '--gpu' needs a value/],
    [['stat', '--nvml-library', ''], 2, /option '--nvml-library' needs a value.*gpulse stat --help/],
    [['serve', '--data', ' '], 2, /option '--data' needs a value.*gpulse serve --help/],
    [['serve', '--allowed-host', 'a', ''], 2, /option '--allowed-host' needs a value/],
    [['serve', '--time-zone', '', '--source', 'simulate:demo'], 2, /--time-zone does not take ""/],
    [['export', '--config='], 2, /option '--config' needs a value/],
    [['report', '-o', '', 'a.csv'], 2, /option '--output' needs a value.*gpulse report --help/],
    [['run', '--log=', '--', 'true'], 2, /option '--log' needs a value.*gpulse run --help/],
    [['stat', '--server', 'http://127.0.0.1:9', '--source', 'auto'], 2, /give --server or --source, not both/],
    [['top', '--server', 'http://127.0.0.1:9', '--remote', 'ssh:a'], 2, /give --server or --remote, not both/],
    [['stat', '--server', 'http://127.0.0.1:9', '--no-server'], 2, /give --server or --no-server, not both/],
    [['stat', '--no-server', '--server', 'http://127.0.0.1:9'], 2, /give --server or --no-server, not both/],
    [['stat', '--time-zone', 'Mars/Base', '--source', 'simulate:demo'], 2, /--time-zone does not take "Mars\/Base"/],
    [['stat', 'now'], 2, /'stat' takes no arguments.*gpulse stat --help/],
    [['stat', '--lang', 'fr'], 2, /option '--lang <LANG>' does not take 'fr' \(en, zh\)/],
    [['completion', 'tcsh'], 2, /argument 'SHELL' does not take 'tcsh' \(bash, zsh, fish\).*gpulse completion --help/],
    [['stat', '--source'], 2, /option '--source <SOURCE>' needs a value/],
    [['stat', '--source', 'tegra'], 2, /no source "tegra"; use auto, nvml/],
    [['stat', '--source', 'simulate:nonsense'], 2, /no scenario "nonsense"/],
    [['stat', '--source', 'replay:/does/not/exist'], 5, /\/does\/not\/exist cannot be read/],
    [['watch', '-i', 'often', '--source', 'simulate:demo'], 2, /--interval does not take "often"/],
    [['watch', '-c', '0', '--source', 'simulate:demo'], 2, /--count does not take "0"/],
    [['stat', '--time-zone', 'Mars/Base', '--source', 'replay:/dev/null'], 2, /--time-zone does not take "Mars\/Base"/],
    [['serve', '--listen', 'nowhere'], 2, /--listen does not take "nowhere"/],
    [['stat', '--nvml-library', '/does/not/exist.so'], 3, /\/does\/not\/exist\.so/],
  ])('%j', (args, exit, pattern) => {
    const { stdout, stderr, status } = gpulse(args);
    expect(stderr).toMatch(pattern);
    expect(stderr.trimEnd().split('\n').length).toBe(1);
    expect(stdout).toBe('');
    expect(status).toBe(exit);
  });

  test('in Chinese', () => {
    expect(gpulse(['stat', '--source', 'tegra', '--lang', 'zh']).stderr).toMatch(/^gpulse: 没有名为“tegra”的数据源；/);
    expect(gpulse(['stat', '--bogus', '--lang', 'zh']).stderr).toBe(
      'gpulse: 未知选项“--bogus”；请查看 gpulse stat --help\n',
    );
    expect(gpulse(['help', 'bogus', '--lang', 'zh']).stderr).toBe('gpulse: 未知命令“bogus”；请查看 gpulse --help\n');
    expect(gpulse(['stat', '--id=', '--lang', 'zh']).stderr).toBe(
      'gpulse: 选项“--id”缺少值；请查看 gpulse stat --help\n',
    );
  });
});

describe('stat', () => {
  test('prints one line per GPU with what a log says last', () => {
    expect(gpulse(['stat', '--source', `replay:${folder}/gpu.csv`]).stdout).toBe(
      [
        '[0] NVIDIA A100 |  72°C,  87 % |  235 /   ?? W |  10240 /  81920 MB',
        '[1] NVIDIA A100 |  30°C,  ?? % |   60 /   ?? W |      0 /  81920 MB',
        '',
      ].join('\n'),
    );
  });

  test('--json is the shape of /api/v1/gpus', () => {
    const { stdout } = gpulse(['stat', '--json', '--source', `replay:${folder}/gpu.csv`]);
    const { gpus } = JSON.parse(stdout) as ApiGpus;
    expect(
      gpus.map(({ index, readings, absent }) => [index, readings['utilization_ratio'], absent['utilization_ratio']]),
    ).toEqual([
      [0, 0.87, undefined],
      [1, null, 'not-supported'],
    ]);
  });

  test('a simulation shows its eight GPUs and says that it is one', () => {
    const { stdout, stderr } = gpulse(['stat', '--source', 'simulate:demo']);
    expect(stdout.trimEnd().split('\n').length).toBe(8);
    expect(stderr).toBe('simulated, not this machine\n');
  });

  test('output that cannot be written is a failure with its cause', () => {
    const command = `${GPULSE} stat --lang en --source simulate:demo > /dev/full`;
    const { stderr, status } = spawnSync('bash', ['-c', command], { encoding: 'utf8', timeout: 20_000 });
    expect(status).toBe(1);
    expect(stderr).toMatch(/the output cannot be written: .*ENOSPC/);
  });
});

describe('doctor', () => {
  test('a GPU of which nothing can be read is a fault', () => {
    const log = join(folder, 'blind.csv');
    writeFileSync(
      log,
      'timestamp, index, name, utilization.gpu [%]\n2025/01/01 10:00:00.000, 0, NVIDIA A100, [Unknown Error]\n',
    );
    const { stdout, status } = gpulse(['doctor', '--source', `replay:${log}`]);
    expect(stdout).toContain('[fault] nothing can be read from GPU 0 (NVIDIA A100)');
    expect(status).toBe(1);
  });

  test('lists for any source what each GPU reports, and why not', () => {
    const { stdout, status } = gpulse(['doctor', '--capabilities', '--source', `replay:${folder}/gpu.csv`]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^ +GPU 0 +GPU 1$/m);
    expect(stdout).toMatch(/^ {2}Utilisation +87% +not supported$/m);
    expect(stdout).toMatch(/^ {2}SM clock +not collected +not collected$/m);
    const { source, gpus } = JSON.parse(
      gpulse(['doctor', '--capabilities', '--json', '--source', `replay:${folder}/gpu.csv`]).stdout,
    );
    expect([source, gpus.length]).toEqual([`replay:${folder}/gpu.csv`, 2]);
  });
});

describe('watch', () => {
  test('prints a line per GPU and tick of a log, then ends', () => {
    const { stdout, status } = gpulse(['watch', '--utc', '--source', `replay:${folder}/gpu.csv`]);
    expect(status).toBe(0);
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      '[2025-01-01T10:00:00Z] GPU0: 12% | Mem: 1024/81920 MB | Temp: 40°C | Power: 99.5W',
      '[2025-01-01T10:00:00Z] GPU1: 0% | Mem: 0/81920 MB | Temp: 30°C | Power: 60.0W',
      '[2025-01-01T10:00:01Z] GPU0: 87% | Mem: 10240/81920 MB | Temp: 72°C | Power: 235.4W',
    ]);
  });

  test('reads the times of a log in the zone it was recorded in', () => {
    const args = ['watch', '--utc', '--time-zone', 'Asia/Shanghai', '-c', '1', '--source', `replay:${folder}/gpu.csv`];
    expect(gpulse(args).stdout).toContain('[2025-01-01T02:00:00Z] GPU0: 12%');
  });

  test('shows only the GPUs asked for, so many times', () => {
    const { stdout } = gpulse(['watch', '--gpu', '1,3', '-c', '2', '-i', '100ms', '--source', 'simulate:demo']);
    expect(stdout.match(/GPU\d/g)).toEqual(['GPU1', 'GPU3', 'GPU1', 'GPU3']);
  });

  test.each([
    ['99', 'simulate:demo'],
    ['foo', 'replay:LOG'],
  ])('--gpu %s is refused where %s has no such GPU', (gpu, source) => {
    const args = ['watch', '--gpu', gpu, '-i', '100ms', '--source', source.replace('LOG', `${folder}/gpu.csv`)];
    const { stdout, stderr, status } = gpulse(args);
    expect([stdout, status]).toEqual(['', 2]);
    expect(stderr).toContain(`there is no GPU "${gpu}"`);
  });

  test('a reader that goes away is no failure', () => {
    const command = `${GPULSE} watch --lang en -i 100ms --source simulate:demo | head -n 1`;
    const { stdout, stderr } = spawnSync('bash', ['-o', 'pipefail', '-c', command], {
      encoding: 'utf8',
      timeout: 20_000,
    });
    expect(stdout.split('\n').length).toBe(2);
    expect(stderr).toBe('simulated, not this machine\n');
  });
});
