import { spawnSync } from 'node:child_process';
import { afterEach, describe, expect, test } from 'vitest';
import { BACK_IN_SHELL, GPULSE, TestTerminal } from './test-terminal.ts';

/** The terminal is given back as it was, however the view ends. */

const DEMO = ['--lang', 'en', '--source', 'simulate:demo'];

let terminal: TestTerminal;

afterEach(() => terminal.close());

async function open(args: readonly string[] = DEMO, env: Readonly<Record<string, string>> = {}): Promise<string> {
  terminal = new TestTerminal({ columns: 100, rows: 30, env });
  terminal.run('echo before');
  await terminal.until(/^before/m);
  terminal.top(args);
  return terminal.until(/^GPU +STATE[\s\S]*F10 Quit/m);
}

/** The screen is the one from before, with a cursor and lines that wrap, and its mouse; keys are echoed and Ctrl-C is heard. */
async function expectClean(): Promise<void> {
  expect(await terminal.until(BACK_IN_SHELL)).toMatch(/^before/m);
  expect(terminal.state()).toEqual({ isAlternate: false, hasCursor: true, wraps: true, hasMouse: false });
  // What the shell edits lines with is not what its programs get.
  terminal.run("echo modes $(stty -a | grep -cE -- '(^| )-(echo|icanon|isig|opost)( |$)')");
  await terminal.until(/^modes 0$/m);
}

describe('the end', { timeout: 60_000 }, () => {
  test.each(['q', 'F10', 'C-c'])('by %s is a success', async (key) => {
    await open();
    expect(terminal.state()).toEqual({ isAlternate: true, hasCursor: false, wraps: false, hasMouse: true });
    terminal.press(key);
    await terminal.until(BACK_IN_SHELL);
    terminal.run('echo "status $?"');
    await terminal.until(/status 0/);
    await expectClean();
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('by %s is that signal', async (signal) => {
    await open();
    process.kill(terminal.pid(), signal);
    await terminal.until(BACK_IN_SHELL);
    terminal.run('echo "status $?"');
    const status = { SIGTERM: 143, SIGINT: 130, SIGHUP: 129 }[signal];
    await terminal.until(new RegExp(`status ${status}`));
    await expectClean();
  });

  test('by a fault leaves a clean terminal with the fault on it', async () => {
    const crash = "data:text/javascript,setTimeout(()=>{throw(new(Error)('a-fault'))},4000)";
    await open(DEMO, { NODE_OPTIONS: `--import="${crash}"` });
    await terminal.until(/a-fault/);
    await expectClean();
  });

  test('Ctrl-Z gives the terminal to the shell, fg takes it again', async () => {
    await open();
    terminal.press('C-z');
    await terminal.until(/Stopped/);
    await expectClean();
    terminal.run('fg');
    await terminal.until(/F10 Quit/);
    terminal.press('q');
    await terminal.until(BACK_IN_SHELL);
  });
});

describe('the screen', { timeout: 60_000 }, () => {
  test('is drawn anew where something was written over it', async () => {
    const screen = await open();
    terminal.resize(90, 20);
    await terminal.until((text) => /F10 Quit$/m.test(text.split('\n')[19] ?? ''));
    terminal.resize(100, 30);
    await terminal.until((text) => /F10 Quit$/m.test(text.split('\n')[29] ?? ''));
    expect(screen.split('\n')[2]).toBe(terminal.text().split('\n')[2]);
    terminal.press('C-l');
    expect(await terminal.until(/F10 Quit/)).toMatch(/^GPU +STATE/m);
  });

  test('has no colour with NO_COLOR, and states by glyph and word', async () => {
    await open(DEMO, { NO_COLOR: '1' });
    const styled = terminal.styled();
    const codes = styled
      .split('\x1b[')
      .slice(1)
      .map((part) => part.slice(0, part.indexOf('m')));
    // Below 30 are weight, underlining and inversion; 39 and 49 are what the terminal has by itself, the others colours.
    const colours = codes.flatMap((code) => code.split(';')).filter((code) => Number(code) >= 30);
    expect(colours.filter((code) => code !== '39' && code !== '49')).toEqual([]);
    expect(terminal.text()).toMatch(/‖ idle but held/);
  });

  test('in --ascii is made of ASCII', async () => {
    await open([...DEMO, '--ascii']);
    terminal.press('h');
    expect(await terminal.until(/^Keys/m)).toMatch(/^[\x20-\x7e\n]*$/);
    terminal.press('q');
    expect(await terminal.until(/^GPU +STATE/m)).toMatch(/^[\x20-\x7e\n]*$/);
  });

  test('is legible in a terminal of 20 x 4', async () => {
    await open();
    terminal.resize(20, 4);
    await terminal.until((text) => text.split('\n').length <= 5 && /►/.test(text));
  });
});

test('without a terminal the error says what to use instead', () => {
  terminal = new TestTerminal();
  const { status, stdout, stderr } = spawnSync(GPULSE, ['top', ...DEMO], { encoding: 'utf8', input: '' });
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^gpulse: .*top.*terminal.*gpulse (stat|watch)/);
  expect(stderr.trimEnd().split('\n').length).toBe(1);
  expect(status).toBeGreaterThan(0);
});
