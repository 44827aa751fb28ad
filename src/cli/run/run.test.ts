import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RunRecord } from '../../runs/run-record.ts';
import { FakeDriver, HAS_FAKE_DRIVER } from '../../sources/nvml/fake-driver.ts';
import { openRecordingReader } from '../../sources/recording/recording-reader.ts';
import { PATIENT, TestHome, until } from '../gpulse-process.ts';

const OWN = ['run', '--lang', 'en', '-i', '200ms', '--data', 'data'];
const DEMO = [...OWN, '--source', 'simulate:demo', '--gpu', '0'];
/** No GPU at all. */
const NONE = [...OWN, '--source', 'nvml', '--nvml-library', '/no/such/library'];

/** A namespace in which a small disk can be mounted. */
const UNSHARE = ['--map-root-user', '--mount'];
const MAY_MOUNT = spawnSync('unshare', [...UNSHARE, 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;

let home: TestHome;

beforeEach(() => {
  home = new TestHome();
});

afterEach(() => home.dispose());

function runs(): string[] {
  try {
    return readdirSync(home.path('data', 'runs')).toSorted();
  } catch {
    return [];
  }
}

function lastRun(): RunRecord {
  return JSON.parse(readFileSync(home.path('data', 'runs', runs().at(-1)!, 'run.json'), 'utf8'));
}

function lastOutput(): string[] {
  return home.lines('data', 'runs', runs().at(-1)!, 'output.log');
}

async function lastRecording() {
  const reader = await openRecordingReader({ path: home.path('data', 'runs', runs().at(-1)!, 'recording.ndjson.gz') });
  const ticks = [];
  for await (const tick of reader) ticks.push(tick);
  await reader.close();
  return ticks;
}

describe('the command is as it would be without gpulse', PATIENT, () => {
  test.each([0, 1, 7, 255])('its exit code %i is that of gpulse', (code) => {
    expect(home.run([...NONE, '--', 'sh', '-c', `exit ${code}`]).status).toBe(code);
    expect(lastRun().exitCode).toBe(code);
  });

  test('a signal that ends it is told as a shell tells it', () => {
    const { status, stderr } = home.run([...NONE, '--', 'sh', '-c', 'kill -SEGV $$']);
    expect(status).toBe(128 + 11);
    expect(stderr).toMatch(/gpulse: sh ended after .* with signal SIGSEGV/);
    expect(lastRun()).toMatchObject({ exitCode: 139, signal: 'SIGSEGV' });
  });

  test('output and errors stay apart, byte for byte, however much it is', () => {
    const script = 'head -c 3000000 /dev/urandom | tee out.bin; printf "no line end" >&2';
    writeFileSync(home.path('command.sh'), script);
    const command = `"$@" > copy.bin 2> err.txt`;
    const words = [home.gpulse, ...NONE, '--no-summary', '--', 'sh', 'command.sh'];
    const { status } = spawnSync('bash', ['-c', command, '-', ...words], {
      cwd: home.folder,
      env: home.env,
      timeout: 100_000,
    });
    expect(status).toBe(0);
    expect(readFileSync(home.path('copy.bin')).equals(readFileSync(home.path('out.bin')))).toBe(true);
    expect(readFileSync(home.path('err.txt'), 'utf8')).toMatch(/^no line end/);
  });

  test('it reads standard input', () => {
    const command = `printf 'a\\nb\\n' | "$@"`;
    const words = [home.gpulse, ...NONE, '--no-summary', '--', 'wc', '-l'];
    const { stdout } = spawnSync('bash', ['-c', command, '-', ...words], {
      cwd: home.folder,
      env: home.env,
      encoding: 'utf8',
      timeout: 100_000,
    });
    expect(stdout.trim()).toBe('2');
  });

  test('words of the command are its own, whatever they look like', () => {
    const words = ['--lang', 'zh', '-i', "it's $HOME", '', '*'];
    const { stdout, stderr } = home.run([...NONE, '--no-summary', '--', 'printf', '[%s]', ...words]);
    expect(stdout).toBe(words.map((word) => `[${word}]`).join(''));
    expect(stderr).not.toMatch(/\p{Script=Han}/u);
  });

  test('one that does not exist, or cannot be executed, has the code of a shell', () => {
    const missing = home.run([...NONE, '--', 'no-such-command']);
    expect([missing.status, missing.stderr]).toEqual([
      127,
      expect.stringMatching(/there is no command "no-such-command"/),
    ]);
    writeFileSync(home.path('plain'), 'x');
    chmodSync(home.path('plain'), 0o644);
    expect(home.run([...NONE, '--', './plain']).status).toBe(126);
    expect(runs()).toEqual([]);
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGUSR1', 'SIGHUP'] as const)(
    '%s reaches it, and its answer counts',
    async (signal) => {
      const name = signal.slice(3);
      const script = `trap 'echo got ${name}; exit 42' ${name}; echo ready; while :; do sleep 0.1; done`;
      const running = home.start(home.gpulse, [...NONE, '--', 'bash', '-c', script]);
      await running.says(/ready/);
      running.child.kill(signal);
      expect((await running.ended).code).toBe(42);
      expect(running.stdout).toBe(`ready\ngot ${name}\n`);
      expect(lastRun().exitCode).toBe(42);
    },
  );

  test('nohup keeps its meaning', async () => {
    const running = home.start('nohup', [home.gpulse, ...NONE, '--', 'sh', '-c', 'echo ready; sleep 2; echo done']);
    await running.says(/ready/);
    running.child.kill('SIGHUP');
    await running.ended;
    expect(running.stdout).toBe('ready\ndone\n');
  });

  test('kill -9 of gpulse leaves it alone, and what was recorded can be read', async () => {
    const script = 'for i in 1 2 3 4 5 6 7 8; do echo line $i; sleep 0.4; done; echo over > over.txt';
    const running = home.start(home.gpulse, [...DEMO, '--', 'sh', '-c', script]);
    await running.says(/line 4/);
    running.child.kill('SIGKILL');
    await until(() => existsSync(home.path('over.txt')));
    await until(() => running.stdout.includes('line 8'));
    expect((await lastRecording()).length).toBeGreaterThan(1);
    expect(home.run(['runs', '--lang', 'en', '--data', 'data']).stdout).toMatch(/its recorder was killed/);
  });

  test('where nothing can be kept it runs all the same', () => {
    writeFileSync(home.path('data'), 'a file');
    const { stdout, stderr, status } = home.run([...NONE, '--', 'sh', '-c', 'echo out; exit 3']);
    expect([stdout, status]).toEqual(['out\n', 3]);
    expect(stderr).toMatch(/the run cannot be kept in data\/runs: not a directory; .* \(the command goes on\)/);
  });

  test('nor does a place in which there can be no directory hold it up', () => {
    const words = [...NONE, '--data', '/proc/nowhere', '--', 'sh', '-c', 'echo out; exit 3'];
    const { stdout, stderr, status } = home.run(words);
    expect([stdout, status]).toEqual(['out\n', 3]);
    expect(stderr).toMatch(/the run cannot be kept in \/proc\/nowhere\/runs: .* \(the command goes on\)/);
  });

  test('without a name for the place nothing starts', () => {
    const { stdout, stderr, status } = home.run([...NONE, '--data', '', '--', 'echo', 'out']);
    expect([stdout, status]).toEqual(['', 2]);
    expect(stderr).toContain('--data');
    expect(existsSync(home.path('runs'))).toBe(false);
  });

  test('a GPU that is not there is said, those that are there are recorded', () => {
    const wrong = home.run([...OWN, '--source', 'simulate:demo', '--gpu', '99', '--', 'sh', '-c', 'echo out; exit 3']);
    expect([wrong.stdout, wrong.status]).toEqual(['out\n', 3]);
    expect(wrong.stderr.match(/there is no GPU "99"; .* \(the command goes on\)/g)).toHaveLength(1);
    const some = home.run([...OWN, '--source', 'simulate:demo', '--gpu', '99,1', '--', 'sleep', '2']);
    expect(some.stderr).toContain('there is no GPU "99"');
    expect(lastRun().gpus.map(({ index }) => index)).toEqual([1]);
  });

  test.skipIf(!MAY_MOUNT)('a disk that fills up costs the recording, not the run', () => {
    mkdirSync(home.path('data'));
    const command = 'mount -t tmpfs -o size=96k none data; "$@"';
    const lines =
      'i=0; while [ $i -lt 6000 ]; do i=$((i+1)); echo "a line of output that is not short $i"; done; exit 5';
    const words = [...UNSHARE, 'bash', '-c', command, '-', home.gpulse, ...DEMO, '--', 'sh', '-c', lines];
    const { stdout, stderr, status } = spawnSync('unshare', words, {
      cwd: home.folder,
      env: home.env,
      encoding: 'utf8',
      timeout: 100_000,
    });
    expect(stderr).toMatch(/no space left on device/);
    expect(stderr).toMatch(/gpulse: sh ended after .* with exit code 5/);
    expect(stdout.trimEnd().split('\n').length).toBe(6000);
    expect(status).toBe(5);
  });
});

describe('what is kept', PATIENT, () => {
  test('lines with times, steps and epochs as markers, and a summary', async () => {
    const script = `import sys, time
print("***** Running training *****", flush=True)
for step in range(1, 7):
    time.sleep(0.5)
    print({"loss": round(2 / step, 3), "grad_norm": 1.0, "learning_rate": 5e-05, "epoch": step / 2}, flush=True)
    print(f"\\r {step * 16}%|##   | {step}/6 [00:01<00:05,  2.00it/s]", end="", file=sys.stderr, flush=True)
print("Saving model checkpoint to out/checkpoint-6", flush=True)`;
    writeFileSync(home.path('train.py'), script);
    const { stderr, status } = home.run([...DEMO, '--', 'python3', 'train.py']);
    expect(status).toBe(0);
    expect(stderr).toMatch(/gpulse: python3 ended after [\d.]+ s with exit code 0/);
    expect(stderr).toMatch(
      /GPU 0 {2}utilisation [\d.]+% mean, [\d.]+% P95 · memory up to [\d.]+ GiB of [\d.]+ GiB · [\d.]+ Wh/,
    );
    expect(stderr).toMatch(/simulated, not this machine/);
    expect(stderr).toMatch(/step 6\/6 · epoch 3 · [\d.]+ m?s per step · loss 0\.333/);
    expect(stderr).toMatch(/more: gpulse report \d{8}-\d{6}/);
    const run = lastRun();
    expect(run).toMatchObject({
      command: ['python3', 'train.py'],
      folder: home.folder,
      exitCode: 0,
      source: 'simulate:demo',
    });
    expect(run.endedAt! - run.startedAt).toBeGreaterThan(2500);
    expect(run.progress).toMatchObject({ step: 6, totalSteps: 6, epoch: 3, loss: 0.333, checkpoints: 1 });
    expect(run.progress!.meanStepSeconds).toBeGreaterThan(0.4);
    expect(lastOutput()[0]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z out \*{5} Running training \*{5}$/);
    const marks = (await lastRecording()).flatMap(({ events }) => events.filter(({ kind }) => kind === 'marker'));
    const phases = marks.map(({ params }) => params['phase']);
    expect(phases.filter((phase) => phase === 'epoch').length).toBeGreaterThanOrEqual(2);
    expect(phases).toContain('step');
    expect(phases).toContain('checkpoint');
    const steps = marks.filter(({ params }) => params['phase'] === 'step').map(({ at }) => at);
    for (const at of steps) expect(at).toBeGreaterThanOrEqual(run.startedAt);
  });

  test.skipIf(!HAS_FAKE_DRIVER)('its processes on the GPUs, its energy, and only what is its own', async () => {
    const driver = new FakeDriver({ script: 'gpus 3' });
    const script = 'echo $$ > pid; while [ ! -e stop ]; do sleep 0.1; done';
    const running = home.start(home.gpulse, [
      ...[...OWN, '--source', 'nvml', '--nvml-library', driver.library],
      ...['--', 'sh', '-c', script],
    ]);
    await until(() => existsSync(home.path('pid')) && readFileSync(home.path('pid'), 'utf8') !== '');
    const pid = Number(readFileSync(home.path('pid'), 'utf8'));
    driver.script(
      `gpus 3\nprocess 1 pid ${pid} memory 2147483648 kind compute\nprocess 2 pid 1 memory 99 kind compute`,
    );
    await new Promise((done) => setTimeout(done, 8000));
    writeFileSync(home.path('stop'), '');
    expect((await running.ended).code).toBe(0);
    driver.dispose();
    const { processes, gpus } = lastRun();
    expect(processes.map((one) => [one.pid, one.gpus.length, one.peakMemoryBytes])).toEqual([[pid, 1, 2147483648]]);
    expect(gpus.map(({ index }) => index)).toEqual([1]);
  });

  test.skipIf(!HAS_FAKE_DRIVER)('the GPUs that CUDA_VISIBLE_DEVICES leaves to the command', async () => {
    const driver = new FakeDriver({ script: 'gpus 3' });
    const args = [...OWN, '--source', 'nvml', '--nvml-library', driver.library, '--', 'sleep', '4'];
    home.run(args, { CUDA_VISIBLE_DEVICES: '2', CUDA_DEVICE_ORDER: 'PCI_BUS_ID' });
    driver.dispose();
    expect(lastRun().gpus.map(({ index }) => index)).toEqual([2]);
  });

  test('logging.jsonl of a trainer is found by its mention', () => {
    const script = `import json, time
print("[INFO:swift] The logging file will be saved in: out/logging.jsonl", flush=True)
time.sleep(1.5)
with open("out/logging.jsonl", "a") as f:
    for step in (5, 10):
        row = {"loss": 3.5 / step, "learning_rate": 1e-4, "epoch": step / 10, "global_step/max_steps": f"{step}/20", "train_speed(s/it)": 0.25}
        f.write(json.dumps(row) + "\\n"); f.flush(); time.sleep(0.6)`;
    writeFileSync(home.path('train.py'), script);
    mkdirSync(home.path('out'));
    home.run([...DEMO, '--', 'python3', 'train.py']);
    expect(lastRun().progress).toMatchObject({ step: 10, totalSteps: 20, epoch: 1, loss: 0.35 });
  });

  test('the program may write markers itself', async () => {
    const script =
      'echo "step 3 loss=0.5" >> $GPULSE_RUN_DIR/markers; sleep 1; echo "GPULSE marker new data" ; sleep 0.5';
    home.run([...DEMO, '--', 'sh', '-c', script]);
    expect(lastRun().progress).toMatchObject({ step: 3, loss: 0.5 });
    const texts = (await lastRecording()).flatMap(({ events }) => events.map(({ params }) => params['text']));
    expect(texts).toContain('new data');
  });

  test('the command finds its folder from wherever it goes', () => {
    home.run([...NONE, '--', 'sh', '-c', 'cd /; echo "marker from afar" >> "$GPULSE_RUN_DIR/markers"']);
    expect(home.lines('data', 'runs', lastRun().id, 'markers')).toEqual(['marker from afar']);
    expect(lastOutput().at(-1)).toMatch(/ mark marker from afar$/);
  });

  test('without a GPU the run is kept, and why nothing was measured is said', () => {
    const { stderr } = home.run([...NONE, '--', 'sh', '-c', 'sleep 0.5']);
    expect(stderr).toMatch(/\/no\/such\/library.*\(the command goes on\)/);
    expect(lastRun()).toMatchObject({ noGpu: 'NVML_LIBRARY_NOT_FOUND', gpus: [], exitCode: 0 });
  });

  test('without tee the output is not copied, and that is said', () => {
    mkdirSync(home.path('bin'));
    for (const name of ['sh', 'bash', 'node', 'find', 'readlink', 'dirname', 'echo', 'sed']) {
      const path = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim();
      if (path.startsWith('/')) symlinkSync(path, home.path('bin', name));
    }
    const { stdout, stderr, status } = home.run([...NONE, '--', 'sh', '-c', 'echo hi; exit 4'], {
      PATH: home.path('bin'),
    });
    expect([stdout, status]).toEqual(['hi\n', 4]);
    expect(stderr).toMatch(/the output is not recorded, since tee, mkfifo of coreutils is not installed/);
  });
});

describe('runs', PATIENT, () => {
  function list(...more: readonly string[]) {
    return home.run(['runs', '--lang', 'en', '--data', 'data', ...more]);
  }

  test('lists, removes and prunes', () => {
    expect(list()).toMatchObject({ status: 2, stderr: expect.stringContaining('data is no directory') });
    mkdirSync(home.path('data'));
    expect(list()).toMatchObject({ status: 0, stderr: expect.stringMatching(/there are no runs in data\/runs/) });
    for (const code of [0, 1, 2]) home.run([...NONE, '--no-summary', '--', 'sh', '-c', `exit ${code}`]);
    const lines = list().stdout.trimEnd().split('\n');
    expect(lines.map((line) => /exit code (\d)/.exec(line)?.[1])).toEqual(['0', '1', '2']);
    const { runs: entries } = JSON.parse(list('--json').stdout) as { runs: { id: string; state: string }[] };
    expect(entries.map(({ state }) => state)).toEqual(['ended', 'ended', 'ended']);
    expect(list('rm', entries[0]!.id).stdout).toBe(`removed ${entries[0]!.id}\n`);
    expect(home.run(['runs', 'prune', '--data', 'data', '--keep', '1', '--lang', 'en']).stdout).toBe(
      `removed ${entries[1]!.id}\n`,
    );
    expect(runs()).toEqual([entries[2]!.id]);
    const { stderr, status } = list('rm', '19990101-000000');
    expect([stderr, status]).toEqual([expect.stringMatching(/there is no run "19990101-000000"/), 5]);
  });

  test('what is no subcommand, and what is missing behind one', () => {
    const unknown = home.run(['runs', '--lang', 'en', 'foo']);
    expect([unknown.stderr, unknown.status]).toEqual([expect.stringMatching(/'foo' .*rm and prune/), 2]);
    const without = home.run(['--lang', 'en', 'runs', 'rm']);
    expect([without.stderr, without.status]).toEqual([expect.stringContaining('see "gpulse runs rm --help"'), 2]);
  });

  test('one that goes on is neither removed nor pruned', async () => {
    const running = home.start(home.gpulse, [...NONE, '--', 'sh', '-c', 'echo ready; sleep 30']);
    await running.says(/ready/);
    await until(() => /goes on/.test(list().stdout));
    expect(list('rm', 'last').stderr).toMatch(/has not ended yet/);
    home.run([...NONE, '--no-summary', '--', 'true']);
    list('prune', '--keep', '1');
    expect(runs().length).toBe(2);
    running.child.kill('SIGTERM');
    await running.ended;
  });

  test('run itself keeps no more than it is told', () => {
    for (let i = 0; i < 3; i++) home.run([...NONE, '--no-summary', '--keep', '2', '--', 'true']);
    expect(runs().length).toBe(2);
  });
});
