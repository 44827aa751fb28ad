import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeDriver, HAS_FAKE_DRIVER } from '../../sources/nvml/fake-driver.ts';
import { BACK_IN_SHELL, TestTerminal } from './test-terminal.ts';

/** Keys against the real library interface: 3 GPUs, two of them used by processes that exist. */

let driver: FakeDriver;
let terminal: TestTerminal;
let sleepers: (ChildProcess & { pid: number })[];

function sleeper(seconds: number): ChildProcess & { pid: number } {
  const child = spawn('sleep', [String(seconds)], { stdio: 'ignore' });
  if (child.pid === undefined) throw new Error('sleep did not start');
  return Object.assign(child, { pid: child.pid });
}

/** Lines of the process table: from its heading on, as far as they begin with the index of a GPU. */
function processes(screen: string): string[] {
  const lines = screen.split('\n');
  const head = lines.findIndex((line) => /^GPU +PID/.test(line));
  return lines.slice(head + 1).filter((line) => /^ +\d+ +\d+ /.test(line));
}

function commands(screen: string): string[] {
  return processes(screen).map((line) => /sleep \d+/.exec(line)?.[0] ?? line);
}

beforeEach(() => {
  sleepers = [sleeper(7001), sleeper(7002), sleeper(7003)];
  const [a, b, c] = sleepers.map(({ pid }) => pid);
  const script = [
    'gpus 3',
    ...['gpu 0 utilization 90', 'gpu 1 utilization 40', 'gpu 2 utilization 0'],
    `process 0 pid ${a} memory 3221225472 kind compute`,
    `process 0 pid ${b} memory 1073741824 kind compute`,
    `process 1 pid ${c} memory 2147483648 kind compute`,
    ...[`use 0 pid ${a} at ~1000 sm 10`, `use 0 pid ${b} at ~1000 sm 70`, `use 1 pid ${c} at ~1000 sm 40`],
  ];
  driver = new FakeDriver({ script: `${script.join('\n')}\n` });
  terminal = new TestTerminal({ columns: 120, rows: 30 });
});

afterEach(() => {
  terminal.close();
  driver.dispose();
  for (const child of sleepers) child.kill('SIGKILL');
});

async function open(...args: readonly string[]): Promise<string> {
  terminal.top(['--lang', 'en', '--no-server', '--nvml-library', driver.library, ...args]);
  return terminal.until((text) => commands(text).length === 3 && /F10 Quit/.test(text));
}

describe.skipIf(!HAS_FAKE_DRIVER)('keys', { timeout: 60_000 }, () => {
  test('sort as in htop, turn round as in nvtop, and choose a column from the list', async () => {
    expect(commands(await open())).toEqual(['sleep 7001', 'sleep 7003', 'sleep 7002']);
    terminal.press('P');
    const byUse = await terminal.until(/GPU%▼/);
    expect(commands(byUse)).toEqual(['sleep 7002', 'sleep 7003', 'sleep 7001']);
    terminal.press('+');
    expect(commands(await terminal.until(/GPU%▲/))).toEqual(['sleep 7001', 'sleep 7003', 'sleep 7002']);
    terminal.press('F6');
    await terminal.until(/Sort by/);
    terminal.press('Up', 'Enter');
    expect(commands(await terminal.until(/COMMAND▲/))).toEqual(['sleep 7001', 'sleep 7002', 'sleep 7003']);
  });

  test('the filter takes effect with every letter, stays with Enter and goes with Esc', async () => {
    await open();
    const pid = String(sleepers[2]?.pid);
    terminal.press('/');
    terminal.type(pid.slice(0, 1));
    terminal.type(pid.slice(1));
    expect(commands(await terminal.until((text) => commands(text).length === 1))).toEqual(['sleep 7003']);
    terminal.press('Enter');
    expect(await terminal.until(/F10 Quit/)).toContain(`Filter: ${pid} `);
    terminal.press('Escape');
    expect(commands(await terminal.until((text) => commands(text).length === 3)).length).toBe(3);
    terminal.press('F4');
    terminal.type('gpu0 nobody');
    await terminal.until(/No process matches the filter/);
    terminal.press('C-w');
    expect(commands(await terminal.until((text) => commands(text).length === 2))).toEqual(['sleep 7001', 'sleep 7002']);
  });

  test('a digit opens one GPU with its processes, the arrows go to the next, Esc goes back', async () => {
    await open();
    terminal.press('1');
    const one = await terminal.until(/GPU 1 · H100/);
    expect(one).not.toMatch(/STATE/);
    expect(commands(one)).toEqual(['sleep 7003']);
    expect(one).toMatch(/Utilisation +40% /);
    expect(one).toMatch(/Clocks lowered by nothing/);
    await terminal.until(/PCIe received 1\.86 GiB\/s +PCIe sent 954 MiB\/s/);
    terminal.press('Left');
    expect(commands(await terminal.until(/GPU 0 · H100/)).length).toBe(2);
    terminal.press('Escape');
    expect(await terminal.until(/^GPU +STATE/m)).toMatch(/USED BY/);
  });

  test('reasons for lowered clocks stand in words', async () => {
    driver.script('gpus 1\ngpu 0 utilization 90\ngpu 0 reasons 64\n');
    terminal.top(['--lang', 'zh', '--no-server', '--nvml-library', driver.library]);
    await terminal.until(/硬件过热降频/);
    terminal.press('0');
    expect(await terminal.until(/频率受限原因/)).toMatch(/▼ 降频 · 硬件过热降频/);
  });

  test('x hides a GPU, the setup shows it again, F12 keeps the layout for the next time', async () => {
    await open();
    terminal.press('Tab', 'Down', 'x');
    expect(await terminal.until(/GPU 1 is hidden/)).toMatch(/3 GPUs, 1 hidden/);
    terminal.press('t', 'c', 'F12');
    await terminal.until(/Saved to/);
    const saved = JSON.parse(readFileSync(join(terminal.config, 'gpulse', 'top.json'), 'utf8')) as Record<
      string,
      unknown
    >;
    expect(saved).toMatchObject({ isTree: true, hasCharts: false, hidden: [expect.stringMatching(/^GPU-/)] });
    terminal.press('q');
    await terminal.until(BACK_IN_SHELL);
    terminal.top(['--lang', 'en', '--no-server', '--nvml-library', driver.library]);
    const again = await terminal.until(/3 GPUs, 1 hidden/);
    expect(again).toMatch(/processes: 2, GPUs: 1/);
    terminal.press('F2');
    await terminal.until(/□ GPU 1/);
    terminal.press('End', 'Up', 'Space');
    await terminal.until(/■ GPU 1/);
    terminal.press('Escape');
    expect(await terminal.until(/processes: 3, GPUs: 2/)).not.toMatch(/hidden/);
  });

  test('a GPU whose driver hangs does not hold up the keys', async () => {
    await open();
    driver.script('gpus 3\nhang *\n');
    await terminal.until(/No data|does not answer|stale/);
    const began = performance.now();
    terminal.press('h');
    await terminal.until(/^Keys/m);
    expect(performance.now() - began).toBeLessThan(2000);
    terminal.press('q', 'q');
    await terminal.until(BACK_IN_SHELL);
  });

  test('what is held stays while sampling goes on', async () => {
    await open();
    terminal.press('Space');
    await terminal.until(/PAUSED/);
    driver.script('gpus 3\ngpu 0 utilization 11\n');
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect(terminal.text()).toMatch(/^ +0 .* 90% /m);
    terminal.press('Space');
    await terminal.until(/^ +0 .* 11% /m);
  });
});

describe.skipIf(!HAS_FAKE_DRIVER)('a signal to a process', { timeout: 60_000 }, () => {
  test('is sent after a question, and only after y', async () => {
    await open();
    const [first] = sleepers;
    const ended = new Promise<string | null>((resolve) => first?.once('exit', (_code, signal) => resolve(signal)));
    terminal.press('F9');
    await terminal.until(new RegExp(`Send a signal to ${first?.pid} sleep`));
    terminal.press('Enter');
    await terminal.until(new RegExp(`Send SIGTERM to ${first?.pid} sleep`));
    terminal.press('n');
    await terminal.until((text) => !/Send SIGTERM/.test(text));
    expect(first?.exitCode).toBe(null);
    expect(first?.signalCode).toBe(null);
    terminal.press('k', 'Down', 'Enter');
    await terminal.until(/Send SIGINT/);
    terminal.press('y');
    expect(await ended).toBe('SIGINT');
    expect(await terminal.until(/was sent/)).toMatch(new RegExp(`SIGINT was sent to ${first?.pid}`));
  });

  test('is refused with --readonly, and the bar does not offer it', async () => {
    expect(await open('--readonly')).not.toMatch(/F9/);
    terminal.press('F9');
    await terminal.until(/Read-only/);
    expect(terminal.text()).not.toMatch(/Send a signal/);
  });

  test('is refused for a simulation', async () => {
    terminal.top(['--lang', 'en', '--source', 'simulate:demo']);
    expect(await terminal.until(/F10 Quit/)).not.toMatch(/F9/);
    await terminal.until(/jupyter/);
    terminal.press('k');
    await terminal.until(/not processes of this machine/);
  });
});
