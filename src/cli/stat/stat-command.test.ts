import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { FakeDriver, HAS_FAKE_DRIVER } from '../../sources/nvml/fake-driver.ts';

const GPULSE = resolve(import.meta.dirname, '../../../bin/gpulse');
const LOST_LOG = resolve(import.meta.dirname, '../../../testdata/logs/kernel/xid79-german-locale.txt');
const ESCAPE = '\u001b';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gpulse-stat-'));
});
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 5 }));

const ENV = () => ({ PATH: process.env['PATH'] ?? '', HOME: folder, XDG_RUNTIME_DIR: folder, TZ: 'UTC', LANG: 'C' });

function gpulse(args: readonly string[], env: Record<string, string> = {}) {
  const { stdout, stderr, status } = spawnSync(GPULSE, args, {
    encoding: 'utf8',
    env: { ...ENV(), ...env },
    timeout: 30_000,
  });
  return { stdout, stderr, status };
}

/** What the tests read of a document of `--json`. */
interface Look {
  readonly at: number;
  readonly gpus: readonly {
    readonly at: number;
    readonly state: string;
    readonly readings: Readonly<Record<string, number | null>>;
  }[];
}

const DEMO = ['stat', '--source', 'simulate:healthy-training'] as const;

describe('a look that finds nothing to show', () => {
  const [NOTHING, SIMULATED] = ['no GPU fits the filters\n', 'simulated, not this machine\n'];

  test('says so, and is not taken for a healthy owner', { timeout: 60_000 }, () => {
    const nobody = gpulse([...DEMO, '--user', 'nobody']);
    expect([nobody.stdout, nobody.stderr, nobody.status]).toEqual(['', SIMULATED + NOTHING, 0]);
    expect(gpulse([...DEMO, '--job', '4711', '--exit-code-if-unhealthy', '9']).status).toBe(9);
    const lost = gpulse([...DEMO, '--state', 'lost', '--exit-code-if-unhealthy', '9']);
    expect([lost.stderr, lost.status]).toEqual([SIMULATED + NOTHING, 0]);
    expect(gpulse([...DEMO, '--user', 'nobody', '--lang', 'zh']).stderr).toContain('没有符合条件的 GPU\n');
  });

  test('because its options are wrong leaves no timer behind', () => {
    const { stderr, status } = gpulse(['stat', '--remote', 'foo']);
    expect([stderr.split('\n').length, status]).toEqual([2, 2]);
    expect(stderr).not.toContain('waiting');
  });
});

test.each([
  { flags: [], printed: /^\[0\] NVIDIA GPU \| lost\n$/ },
  { flags: ['-i', '1'], printed: /^20\d\d-\d\d-\d\dT[\d:.]+Z\n\[0\] NVIDIA GPU \| lost\n$/ },
])('a log whose GPU is lost ends as the driver would: $flags', ({ flags, printed }) => {
  const look = ['stat', '--source', `replay:${LOST_LOG}`, ...flags];
  const { stdout, stderr, status } = gpulse(look);
  expect(stdout).toMatch(printed);
  expect([stderr, status]).toEqual([expect.stringContaining('GPU 0 lost'), 5]);
  const asked = gpulse([...look, '--json', '--exit-code-if-unhealthy', '42']);
  expect(JSON.parse(asked.stdout).gpus[0].state).toBe('lost');
  expect([asked.stderr, asked.status]).toEqual([expect.stringMatching(/^not healthy: GPU 0 lost\n$/m), 42]);
});

describe('a pipe', () => {
  test('gets no colour, unless it is asked for', { timeout: 60_000 }, () => {
    const colored = (args: readonly string[], env: Record<string, string> = {}): boolean =>
      gpulse([...DEMO, '-c', ...args], env).stdout.includes(ESCAPE);
    expect(colored([])).toBe(false);
    expect(colored(['--color'])).toBe(true);
    expect(colored(['--force-color'])).toBe(true);
    expect(colored([], { FORCE_COLOR: '1' })).toBe(true);
    expect(colored([], { FORCE_COLOR: '0' })).toBe(false);
    expect(colored(['--no-color'], { FORCE_COLOR: '1' })).toBe(false);
    expect(colored([], { NO_COLOR: '1', FORCE_COLOR: '1' })).toBe(true);
  });

  test('gets a line of JSON for each look of -i, until somebody interrupts', async () => {
    const child = spawn(GPULSE, [...DEMO, '--json', '-i', '0.2'], { env: ENV() });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.split('\n').length > 3) child.kill('SIGINT');
    });
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
    const looks = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(looks.length).toBeGreaterThan(2);
    for (const { gpus } of looks) expect(gpus).toHaveLength(8);
    expect(looks[1].at).toBeGreaterThan(looks[0].at);
  });

  test('has the time in front of each look of -i, in both layouts', () => {
    const first = (flags: string): string[] => {
      const command = `${GPULSE} ${DEMO.join(' ')} -i 0.1 ${flags} | head -n 10`;
      return spawnSync('bash', ['-c', command], { encoding: 'utf8', env: ENV(), timeout: 30_000 }).stdout.split('\n');
    };
    const own = first('');
    expect([own[0], own[9]].map((line) => new Date(line ?? '').toISOString().slice(0, 19))).toEqual([
      expect.stringMatching(/^20\d\d-/),
      expect.stringMatching(/^20\d\d-/),
    ]);
    expect(own[1]).toMatch(/^\[0\] NVIDIA/);
    expect(first('-c')[9]).toMatch(/ 20\d\d /);
  });

  test('that is closed ends -i in silence', () => {
    const { stdout, stderr } = spawnSync('bash', ['-c', `${GPULSE} ${DEMO.join(' ')} -i 0.1 | head -n 3`], {
      encoding: 'utf8',
      env: ENV(),
      timeout: 30_000,
    });
    expect(stdout.trimEnd().split('\n')).toHaveLength(3);
    expect(stdout).not.toContain(ESCAPE);
    expect(stderr).toBe('simulated, not this machine\n');
  });
});

describe.skipIf(!HAS_FAKE_DRIVER)('a driver', () => {
  let driver: FakeDriver | null = null;
  afterEach(() => {
    driver?.dispose();
    driver = null;
  });

  function ask(script: string, ...args: string[]) {
    driver = new FakeDriver({ script });
    return gpulse(['stat', '--nvml-library', driver.library, ...args]);
  }

  test('with a lost GPU is printed whole, and the exit code is one that was asked for', { timeout: 60_000 }, () => {
    const script = 'gpus 2\ngpu 1 lost on';
    const usual = ask(script);
    expect(usual.stdout.trimEnd().split('\n')).toHaveLength(2);
    expect([usual.status, usual.stderr]).toEqual([5, expect.stringContaining('GPU 1 lost')]);
    const asked = ask(script, '--exit-code-if-unhealthy', '42');
    expect([asked.status, asked.stderr]).toEqual([42, 'not healthy: GPU 1 lost\n']);
    const other = ask(script, '--exit-code-if-unhealthy', '--id', '0');
    expect([other.status, other.stderr]).toEqual([0, '']);
  });

  test('of which a GPU is slowed by heat is unhealthy', () => {
    const { status, stderr } = ask('gpus 1\ngpu 0 reasons 64', '--exit-code-if-unhealthy');
    expect([status, stderr]).toEqual([5, 'not healthy: GPU 0 slowed or worn\n']);
  });

  /** Looks with `-i 0.2` until `isEnough` of the documents so far; gives them, and how the command ended. */
  async function follow(flags: readonly string[], isEnough: (looks: readonly Look[]) => boolean) {
    const words = ['stat', '--json', '-i', '0.2', '--nvml-library', driver?.library ?? '', ...flags];
    const child = spawn(GPULSE, words, { env: ENV() });
    const said = { out: '', err: '' };
    const looks = (): readonly Look[] =>
      said.out
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line));
    child.stdout.on('data', (chunk: Buffer) => {
      said.out += chunk.toString();
      if (isEnough(looks())) child.kill('SIGTERM');
    });
    child.stderr.on('data', (chunk: Buffer) => {
      said.err += chunk.toString();
    });
    const [status] = await once(child, 'close');
    return { looks: looks(), stderr: said.err, status };
  }

  test('that is followed ends with the code for what was seen at any time', { timeout: 60_000 }, async () => {
    driver = new FakeDriver({ script: 'gpus 2\ngpu 1 reasons 64' });
    const hurt = await follow(['--exit-code-if-unhealthy', '9'], (looks) => {
      if (looks.length === 2) driver?.script('gpus 2');
      return looks.at(-1)?.gpus[1]?.readings['clock_event_reasons'] === 0;
    });
    expect([hurt.status, hurt.stderr]).toEqual([9, 'not healthy: GPU 1 slowed or worn\n']);
    const well = await follow(['--exit-code-if-unhealthy'], (looks) => looks.length === 2);
    expect([well.status, well.stderr]).toEqual([0, '']);
    const nobody = await follow(['--exit-code-if-unhealthy', '--job', '4711'], (looks) => looks.length === 2);
    expect(nobody.status).toBe(5);
    driver.script('gpus 2\ngpu 1 reasons 64');
    expect((await follow([], (looks) => looks.length === 2)).status).toBe(0);
  });

  test('of which a GPU hangs is stale after as long as everywhere else', { timeout: 60_000 }, async () => {
    driver = new FakeDriver({ script: 'gpus 2' });
    const { looks } = await follow([], (seen) => {
      if (seen.length === 2) driver?.script('gpus 2\ngpu 1 hang *');
      const isStale = seen.at(-1)?.gpus[1]?.state === 'stale';
      if (isStale) driver?.script('gpus 2');
      return isStale;
    });
    // Three seconds, as with every interval below one: the tick that shows it is at most one interval old.
    const silent = (looks.at(-1)?.at ?? 0) - (looks.at(-1)?.gpus[1]?.at ?? 0);
    expect(silent).toBeGreaterThan(3000 - 250);
  });

  test('is not opened where serve runs: that one is asked', { timeout: 60_000 }, async () => {
    driver = new FakeDriver({ script: `gpus 3\nprocess 0 pid ${process.pid} memory 1048576 kind compute` });
    const serve = spawn(
      GPULSE,
      ['serve', '--listen', '127.0.0.1:0', '--data', join(folder, 'data'), '--nvml-library', driver.library],
      { env: ENV(), stdio: ['ignore', 'pipe', 'inherit'] },
    );
    try {
      await once(serve.stdout, 'data');
      const { stdout, stderr, status } = gpulse(['stat', '--debug', '-u']);
      expect(stderr).toMatch(/^read from http:\/\/127\.0\.0\.1:\d+\/ \(nvml\) in \d+ ms\n$/);
      expect(stdout.match(/^\[\d\] NVIDIA H100 80GB HBM3 \|/gm)).toHaveLength(3);
      expect(status).toBe(0);
      const url = /http:\S+/.exec(stderr)?.[0] ?? '';
      const named = JSON.parse(gpulse(['stat', '--json', '--server', url, '--id', '0']).stdout);
      expect([named.server, named.gpus.length]).toEqual([url, 1]);
      expect(named.gpus[0].processes[0].pid).toBe(process.pid);
      // Another script for the second reader: it is seen that the driver was opened.
      const own = gpulse(['stat', '--no-server', '--debug', '--nvml-library', driver.library]);
      expect(own.stderr).toMatch(/^read from nvml in \d+ ms\n$/);
    } finally {
      serve.kill('SIGTERM');
      await once(serve, 'exit');
    }
    // Nobody listens any more: what it left word of is gone, and the driver is asked.
    expect(gpulse(['stat', '--server', 'http://127.0.0.1:9']).stderr).toMatch(/connection refused/);
    expect(gpulse(['stat', '--server', 'http://127.0.0.1:9', '--lang', 'zh']).stderr).toMatch(/连接被拒绝/);
  });
});

describe('a terminal', () => {
  let session = '';
  afterEach(() => tmux('kill-server'));

  function tmux(...args: readonly string[]): string {
    return execFileSync('tmux', ['-L', session, ...args], { encoding: 'utf8' });
  }

  function open(columns: number, rows: number): void {
    session = `gpulse-stat-${process.pid}-${Math.trunc(performance.now())}`;
    const shell = `env PS1='$ ' TZ=UTC HOME=${folder} HISTFILE= XDG_RUNTIME_DIR=${folder} LANG=C.UTF-8 bash --norc --noprofile`;
    tmux('-f', '/dev/null', '-u', 'new-session', '-d', '-x', String(columns), '-y', String(rows), shell);
  }

  async function screen(pattern: RegExp, ...flags: string[]): Promise<string> {
    for (let tries = 0; ; tries++) {
      const text = tmux('capture-pane', '-p', ...flags);
      if (pattern.test(text) || tries > 150) return text;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  function type(command: string): void {
    tmux('send-keys', '-l', command);
    tmux('send-keys', 'Enter');
  }

  const rowsOf = (text: string): string[] => text.split('\n').filter((line) => /^\[\d\]/.test(line));

  test('is refreshed in place, resized, and given back with the last frame on it', { timeout: 60_000 }, async () => {
    open(100, 16);
    type('echo before');
    type(`${GPULSE} stat --lang en -i 0.2 --source simulate:healthy-training`);
    expect(rowsOf(await screen(/^\[7\]/m))).toHaveLength(8);
    // A second frame takes the place of the first one.
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(rowsOf(await screen(/^\[7\]/m))).toHaveLength(8);
    expect(await screen(/^\[0\]/m)).not.toContain('before');
    tmux('resize-window', '-x', '50', '-y', '6');
    const narrow = (await screen(/… \+/)).split('\n');
    expect(narrow.filter((line) => /^\[\d\]/.test(line)).length).toBeLessThan(6);
    for (const line of rowsOf(narrow.join('\n'))) expect(line).toMatch(/^\[\d\] NVIDIA .*…$/);
    tmux('resize-window', '-x', '100', '-y', '16');
    await screen(/^\[7\]/m);
    tmux('send-keys', 'C-c');
    type('echo "status $?"');
    const after = await screen(/status \d/);
    expect(after).toContain('before');
    expect(after).toContain('status 0');
    expect(rowsOf(after)).toHaveLength(8);
    expect(tmux('display-message', '-p', '#{cursor_flag} #{alternate_on}').trim()).toBe('1 0');
  });

  test('takes colours, and none with NO_COLOR', async () => {
    open(100, 24);
    type(`${GPULSE} stat --lang en -c --source simulate:healthy-training; echo done`);
    expect(await screen(/^done/m, '-e')).toContain(`${ESCAPE}[34mNVIDIA`);
    type(`clear; NO_COLOR=1 ${GPULSE} stat --lang en -c --source simulate:healthy-training; echo again`);
    expect(await screen(/^again/m, '-e')).not.toContain(`${ESCAPE}[34m`);
  });

  test('of 40 columns is not wrapped', async () => {
    open(40, 24);
    type(`clear; ${GPULSE} stat --lang en --source simulate:healthy-training; echo done`);
    const lines = rowsOf(await screen(/^done/m));
    expect(lines).toHaveLength(8);
    for (const line of lines) expect(line.endsWith('…')).toBe(true);
  });
});
