import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeDriver, HAS_FAKE_DRIVER } from '../../sources/nvml/fake-driver.ts';
import { openRecordingReader, type RecordingReader } from '../../sources/recording/recording-reader.ts';
import { PATIENT, TestHome, until } from '../gpulse-process.ts';

const LOGS = resolve(import.meta.dirname, '../../../testdata/logs/csv');
const DEMO = ['--lang', 'en', '--source', 'simulate:demo', '-i', '100ms'];

let home: TestHome;

beforeEach(() => {
  home = new TestHome();
});

afterEach(() => home.dispose());

/** Every tick of a recording, and the notices of its reader. */
async function read(...names: readonly string[]) {
  const reader: RecordingReader = await openRecordingReader({ path: home.path(...names) });
  const ticks = [];
  for await (const tick of reader) ticks.push(tick);
  const notices = reader.notices().map(({ key }) => key);
  await reader.close();
  return { ticks, notices };
}

function sizeOf(name: string): number {
  return statSync(home.path(name), { throwIfNoEntry: false })?.size ?? 0;
}

/** Files that were put aside, in the order of their times. */
function aside(): string[] {
  return readdirSync(home.folder)
    .filter((name) => /^gpu\.\d{8}T\d{6}Z(-\d+)?\.ndjson$/.test(name))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

describe('the own format', PATIENT, () => {
  test('every command that reads logs reads it', async () => {
    const { stderr, status } = home.run(['record', ...DEMO, '-d', '1s', '-o', 'gpu.ndjson']);
    expect([status, stderr]).toEqual([
      0,
      expect.stringMatching(/^simulated, not this machine\ngpu\.ndjson: ticks \d+,/),
    ]);
    const { ticks, notices } = await read('gpu.ndjson');
    expect(notices).toEqual(['notice.recording-simulated']);
    expect(ticks.length).toBeGreaterThan(3);
    expect(ticks[0]!.devices.length).toBe(8);
    expect(home.run(['stat', '--source', 'replay:gpu.ndjson']).stdout.match(/^\[\d\] NVIDIA H100/gm)?.length).toBe(8);
    expect(home.run(['report', '--lang', 'en', 'gpu.ndjson']).stdout).toMatch(/samples of 8 GPUs/);
    const server = home.start(home.gpulse, [
      'serve',
      '--lang',
      'en',
      '--listen',
      '127.0.0.1:0',
      '--source',
      'replay:gpu.ndjson',
    ]);
    await server.says(/http:\/\/127\.0\.0\.1:\d+/);
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(server.stdout + server.stderr)![0];
    const { gpus } = (await (await fetch(`${url}/api/v1/gpus`)).json()) as { gpus: unknown[] };
    expect(gpus.length).toBe(8);
    server.child.kill('SIGTERM');
    await server.ended;
  });

  test.skipIf(!HAS_FAKE_DRIVER)('holds what the driver says, processes and events', async () => {
    const driver = new FakeDriver({ script: `gpus 2\nprocess 1 pid ${process.pid} memory 1073741824 kind compute` });
    const args = [
      'record',
      '--lang',
      'en',
      '--source',
      'nvml',
      '--nvml-library',
      driver.library,
      '-i',
      '200ms',
      '-o',
      'gpu.ndjson',
    ];
    const recorder = home.start(home.gpulse, args);
    await until(() => home.lines('gpu.ndjson').length > 1);
    driver.script('gpus 2\ngpu 0 lost on');
    await new Promise((done) => setTimeout(done, 1500));
    recorder.child.kill('SIGINT');
    expect((await recorder.ended).code).toBe(0);
    driver.dispose();
    const { ticks } = await read('gpu.ndjson');
    const [first] = ticks;
    const processes = first!.devices[1]!.processes;
    expect('absent' in processes ? [] : processes.map(({ pid }) => pid)).toEqual([process.pid]);
    const kinds = ticks.flatMap(({ events }) => events.map(({ kind }) => kind));
    expect(kinds.toSorted()).toEqual(['gpu-lost', 'process-ended']);
    expect(ticks.at(-1)!.devices.map(({ state }) => state)).toEqual(['lost', 'ok']);
  });

  test('only the GPUs that are asked for', async () => {
    home.run(['record', ...DEMO, '-d', '500ms', '--gpu', '2,5', '-o', 'gpu.ndjson']);
    const { ticks } = await read('gpu.ndjson');
    expect(ticks.at(-1)!.devices.map(({ device }) => device.index)).toEqual([2, 5]);
  });

  test.each(['99', '0,99'])('one of them that is not there is refused before any file is touched: %s', (list) => {
    home.run(['record', ...DEMO, '-d', '300ms', '-o', 'gpu.ndjson']);
    const before = readFileSync(home.path('gpu.ndjson'), 'utf8');
    const { stderr, status } = home.run(['record', ...DEMO, '-d', '60s', '--gpu', list, '-o', 'gpu.ndjson']);
    expect([stderr, status]).toEqual([expect.stringMatching(/^gpulse: there is no GPU "99"/), 2]);
    expect(readFileSync(home.path('gpu.ndjson'), 'utf8')).toBe(before);
    expect(aside()).toEqual([]);
  });

  test('of a log too, at its end', () => {
    const source = ['--source', `replay:${join(LOGS, 'rtx2070-gap180s.csv')}`];
    const { stderr, status } = home.run(['record', '--lang', 'en', ...source, '--gpu', '0,99', '-o', 'gpu.ndjson']);
    expect([stderr, status]).toEqual([expect.stringContaining('there is no GPU "99"'), 2]);
  });
});

describe('csv', PATIENT, () => {
  test.each(['a100-2s-long-mostly-idle.log', 'h200-2s-mostly-idle.log', 'rtx2070-gap180s.csv'])(
    'is what nvidia-smi has written, byte for byte: %s',
    (name) => {
      const log = readFileSync(join(LOGS, name), 'utf8').replaceAll('\r', '');
      const fields = log
        .slice(0, log.indexOf('\n'))
        .replaceAll(/ \[[^\]]*\]/g, '')
        .replaceAll(', ', ',');
      const args = [
        'record',
        '--source',
        `replay:${join(LOGS, name)}`,
        '--format',
        'csv',
        '--fields',
        fields,
        '-o',
        '-',
      ];
      const { stdout, status } = home.run(args);
      expect(status).toBe(0);
      expect(stdout.trimEnd()).toBe(log.trimEnd());
    },
  );

  test('a field that nvidia-smi does not have is refused before anything is opened', () => {
    const args = ['record', ...DEMO, '--format', 'csv', '--fields', 'timestamp,soul', '-o', 'gpu.csv'];
    const { stderr, status } = home.run(args);
    const said = /^gpulse: --fields does not take "soul"; "gpulse smi --help-query-gpu" lists the fields$/m;
    expect([stderr, status]).toEqual([expect.stringMatching(said), 2]);
    const alone = home.run(['record', ...DEMO, '--fields', 'index', '-o', 'gpu.csv']);
    expect([alone.stderr, alone.status]).toEqual([expect.stringContaining('--fields needs --format csv'), 2]);
    expect(existsSync(home.path('gpu.csv'))).toBe(false);
  });
});

describe('rotation', PATIENT, () => {
  test('by size: each file stands on its own, and nothing is lost between them', async () => {
    const { stderr } = home.run(['record', ...DEMO, '-d', '4s', '-o', 'gpu.ndjson', '--rotate-size', '60kB']);
    const files = [...aside(), 'gpu.ndjson'];
    expect(files.length).toBeGreaterThan(2);
    expect(sizeOf(files[0]!)).toBeLessThan(120_000);
    let count = 0;
    for (const name of files) {
      const { ticks } = await read(name);
      count += ticks.length;
      expect(ticks.every(({ devices }) => devices.every(({ readings }) => readings.isReadable()))).toBe(true);
      const kinds = ticks.flatMap(({ events }) => events.map(({ kind }) => kind));
      expect(kinds).not.toContain('recording-restarted');
    }
    expect(stderr).toContain(`: ticks ${count},`);
  });

  test('only so many of those that were put aside are kept, the newest', () => {
    home.run(['record', ...DEMO, '-d', '4s', '-o', 'gpu.ndjson', '--rotate-size', '60kB', '--keep', '1']);
    const [only, ...others] = aside();
    expect(others).toEqual([]);
    const started = (name: string): string => JSON.parse(home.lines(name)[0]!).started;
    expect(Date.parse(started('gpu.ndjson')) - Date.parse(started(only!))).toBeLessThan(3000);
  });

  test('by time, with a csv header in every file', () => {
    home.run(['record', ...DEMO, '-d', '3s', '-o', 'gpu.csv', '--format', 'csv', '--rotate-time', '1s']);
    const names = readdirSync(home.folder).filter((name) => name.endsWith('.csv'));
    expect(names.length).toBeGreaterThanOrEqual(2);
    for (const name of names) expect(home.lines(name)[0]).toMatch(/^timestamp, index, uuid/);
  });

  test('a recording of that name is put aside, any other file is left alone', async () => {
    home.run(['record', ...DEMO, '-d', '300ms', '-o', 'gpu.ndjson']);
    home.run(['record', ...DEMO, '-d', '300ms', '-o', 'gpu.ndjson']);
    expect(aside().length).toBe(1);
    expect((await read(aside()[0]!)).ticks.length).toBeGreaterThan(0);
    writeFileSync(home.path('thesis.txt'), 'chapter 1');
    const { stderr, status } = home.run(['record', ...DEMO, '-d', '300ms', '-o', 'thesis.txt']);
    expect([stderr, status]).toEqual([expect.stringMatching(/thesis\.txt exists and is no recording/), 2]);
    expect(readFileSync(home.path('thesis.txt'), 'utf8')).toBe('chapter 1');
  });
});

describe('whatever happens, the file can be read', PATIENT, () => {
  test.each(['gpu.ndjson', 'gpu.ndjson.gz', 'gpu.ndjson.zst'])('kill -9 while %s is written', async (name) => {
    const recorder = home.start(home.gpulse, ['record', ...DEMO, '-o', name]);
    await until(() => sizeOf(name) > 4000);
    await new Promise((done) => setTimeout(done, 1000));
    recorder.child.kill('SIGKILL');
    const killedAt = Date.now();
    await recorder.ended;
    const { ticks } = await read(name);
    expect(killedAt - ticks.at(-1)!.at).toBeLessThan(3000);
    expect(ticks.at(-1)!.devices.length).toBe(8);
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s ends it in good order', async (signal) => {
    const recorder = home.start(home.gpulse, ['record', ...DEMO, '-o', 'gpu.ndjson.gz']);
    await until(() => sizeOf('gpu.ndjson.gz') > 4000);
    recorder.child.kill(signal);
    expect((await recorder.ended).code).toBe(0);
    const { ticks, notices } = await read('gpu.ndjson.gz');
    expect(recorder.stderr).toContain(`gpu.ndjson.gz: ticks ${ticks.length},`);
    expect(notices).toEqual(['notice.recording-simulated']);
    // A whole file also for those who are strict.
    expect(spawnSync('gzip', ['-t', home.path('gpu.ndjson.gz')]).status).toBe(0);
  });

  test('a full disk is said, sampling goes on, and nothing is missing once there is room again', async () => {
    // A limit on the size of files stops writes in the middle of a line, as a full disk does, and can be lifted.
    const command = `ulimit -S -f 40; exec "$0" "$@"`;
    const args = [home.gpulse, 'record', ...DEMO, '-o', 'gpu.ndjson'];
    const recorder = home.start('bash', ['-c', command, ...args]);
    await recorder.says(/gpu\.ndjson cannot be written: file too large; sampling goes on, ticks wait in memory/);
    const { pid = 0 } = recorder.child;
    const torn = await read('gpu.ndjson');
    expect(torn.ticks.length).toBeGreaterThan(0);
    expect(spawnSync('prlimit', ['--pid', String(pid), '--fsize=unlimited:unlimited']).status).toBe(0);
    await recorder.says(/gpu\.ndjson can be written again/);
    recorder.child.kill('SIGTERM');
    expect((await recorder.ended).code).toBe(0);
    const { ticks, notices } = await read('gpu.ndjson');
    expect(notices).toEqual(['notice.recording-simulated']);
    expect(recorder.stderr).toContain(`gpu.ndjson: ticks ${ticks.length},`);
  });

  test('a disk that stays full is a failure with its cause at the end', () => {
    const { stderr, status } = home.run(['record', ...DEMO, '-d', '500ms', '-o', '/dev/full']);
    expect(stderr).toMatch(
      /\d+ of \d+ ticks are not in \/dev\/full: no space left on device; what was written can be read/,
    );
    expect(status).toBe(5);
  });

  test('a reader of standard output that goes away is no failure', () => {
    const command = `"$0" record --lang en --source simulate:demo -i 100ms -o - | head -n 2 | wc -l; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', command, home.gpulse], {
      encoding: 'utf8',
      env: home.env,
      timeout: 100_000,
    });
    expect([stdout, stderr]).toEqual(['2\n0\n', 'simulated, not this machine\n']);
  });

  test('a folder that does not exist is said at once', () => {
    symlinkSync('nowhere/else.ndjson', home.path('link.ndjson'));
    for (const name of ['nowhere/gpu.ndjson', 'link.ndjson']) {
      const { stderr, status } = home.run(['record', ...DEMO, '-o', name]);
      expect(stderr).toContain(`gpulse: ${name} cannot be created: there is no directory `);
      expect(stderr).toMatch(/nowhere; create the directory/);
      expect(status).toBe(1);
    }
    const folder = home.run(['record', ...DEMO, '-o', '.']);
    expect(folder.stderr).toMatch(/^gpulse: \. cannot be created: illegal operation on a directory; check the path/);
    expect(home.run(['record', ...DEMO, '-o', '']).status).toBe(2);
  });
});

describe('a pipe', PATIENT, () => {
  beforeEach(() => spawnSync('mkfifo', [home.path('pipe')]));

  test('gets what a file would get', async () => {
    const reader = home.start('sh', ['-c', 'cat pipe > copy.ndjson']);
    const { status } = home.run(['record', ...DEMO, '-d', '1s', '-o', 'pipe', '--rotate-time', '300ms']);
    expect(status).toBe(0);
    await reader.ended;
    expect(statSync(home.path('pipe')).isFIFO()).toBe(true);
    expect((await read('copy.ndjson')).ticks.length).toBeGreaterThan(3);
  });

  test('that nobody reads is said, and what is not read to its end does not keep the program from ending', async () => {
    const { stderr, status } = home.run(['record', ...DEMO, '-d', '1s', '-o', 'pipe']);
    expect([stderr, status]).toEqual(['gpulse: pipe is a pipe that nobody reads; start its reader first\n', 1]);
    const reader = home.start('sh', ['-c', 'sleep 60 < pipe']);
    const recorder = home.start(home.gpulse, ['record', ...DEMO, '-i', '100ms', '-o', 'pipe']);
    await recorder.says(/simulated/);
    await new Promise((done) => setTimeout(done, 3000));
    recorder.child.kill('SIGTERM');
    await recorder.ended;
    reader.child.kill('SIGKILL');
  });
});
