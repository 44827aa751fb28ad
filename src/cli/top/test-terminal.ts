import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** For tests only: a real terminal, of tmux, with `gpulse top` or a shell in it. */

export const GPULSE = resolve(import.meta.dirname, '../../../bin/gpulse');

/** A frame that was asked for is there after this; a machine that is busy takes long to start a program. */
const PATIENCE_MS = 12_000;
const LOOK_MS = 50;

/** A screen on which the shell waits for the next command. */
export const BACK_IN_SHELL = /\$\s*$/;

export interface TestTerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
}

let started = 0;

export class TestTerminal {
  readonly #name = `gpulse-top-${process.pid}-${++started}`;
  /** Where layouts are kept; no layout of whoever runs the tests is read. */
  readonly config = mkdtempSync(join(tmpdir(), 'gpulse-top-'));

  /** Opens a terminal with a shell in it. */
  constructor({ columns = 120, rows = 40, env = {} }: TestTerminalOptions = {}) {
    const given = {
      ...{ TZ: 'UTC', LC_ALL: 'C.UTF-8', PS1: '$ ', TERM: 'screen-256color' },
      ...{ XDG_CONFIG_HOME: this.config, XDG_RUNTIME_DIR: this.config, ...env },
    };
    const words = Object.entries(given).map(([name, value]) => `'${name}=${value}'`);
    const shell = `env -u NO_COLOR -u FORCE_COLOR ${words.join(' ')} bash --norc --noprofile`;
    this.#tmux('-u', '-f', '/dev/null', 'new-session', '-d', '-x', `${columns}`, '-y', `${rows}`, shell);
  }

  /** Starts `gpulse top` from the shell. */
  top(args: readonly string[]): void {
    this.run(`${GPULSE} top ${args.join(' ')}`);
  }

  run(command: string): void {
    this.type(command);
    this.press('Enter');
  }

  /** Types text as it stands. */
  type(text: string): void {
    this.#tmux('send-keys', '-l', text);
  }

  /** Presses keys, by the names that tmux has for them. */
  press(...keys: readonly string[]): void {
    for (const key of keys) this.#tmux('send-keys', key);
  }

  resize(columns: number, rows: number): void {
    this.#tmux('resize-window', '-x', `${columns}`, '-y', `${rows}`);
  }

  /** The screen as it is, line by line, without spaces at the ends. */
  text(): string {
    return this.#tmux('capture-pane', '-p');
  }

  /** The same with colours. */
  styled(): string {
    return this.#tmux('capture-pane', '-p', '-e');
  }

  /** The screen once it matches; throws with what it was last where it never does. */
  async until(pattern: RegExp | ((text: string) => boolean)): Promise<string> {
    const matches = typeof pattern === 'function' ? pattern : (text: string) => pattern.test(text);
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      const text = this.text();
      if (matches(text)) return text;
      if (performance.now() > end) throw new Error(`never on the screen: ${pattern}\n${text}`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  /** Clicks in the middle of a text that is on the screen; throws where it is not. */
  click(text: string): void {
    const [column, row] = this.#placeOf(text);
    this.type(`\x1b[<0;${column};${row}M\x1b[<0;${column};${row}m`);
  }

  /** Turns the wheel by one notch over a text. */
  wheel(direction: 'up' | 'down', text: string): void {
    const [column, row] = this.#placeOf(text);
    this.type(`\x1b[<${direction === 'up' ? 64 : 65};${column};${row}M`);
  }

  /** Column and row, from 1, as a terminal reports them. Only narrow characters may stand before the text. */
  #placeOf(text: string): readonly [number, number] {
    const lines = this.text().split('\n');
    const row = lines.findIndex((line) => line.includes(text));
    if (row < 0) throw new Error(`not on the screen: ${text}\n${lines.join('\n')}`);
    return [(lines[row] ?? '').indexOf(text) + Math.ceil(text.length / 2), row + 1];
  }

  /** Which screen it shows, whether it has a cursor, whether long lines wrap, and whether it reports its mouse. */
  state(): Readonly<Record<'isAlternate' | 'hasCursor' | 'wraps' | 'hasMouse', boolean>> {
    const format = '#{alternate_on} #{cursor_flag} #{wrap_flag} #{mouse_any_flag}#{mouse_sgr_flag}';
    const [alternate, cursor, wrap, mouse] = this.#tmux('display-message', '-p', format).trim().split(' ');
    return { isAlternate: alternate === '1', hasCursor: cursor === '1', wraps: wrap === '1', hasMouse: mouse !== '00' };
  }

  /** Pid of the program that the shell runs. */
  pid(): number {
    const shell = this.#tmux('display-message', '-p', '#{pane_pid}').trim();
    return Number(execFileSync('pgrep', ['-P', shell], { encoding: 'utf8' }).split('\n')[0]);
  }

  /** Writes what is sent to the terminal from now on to a file too. */
  copyTo(path: string): void {
    this.#tmux('pipe-pane', '-o', `exec cat >> ${path}`);
  }

  close(): void {
    try {
      this.#tmux('kill-server');
    } catch {
      // It has ended by itself.
    }
    rmSync(this.config, { recursive: true, force: true });
  }

  #tmux(...args: readonly string[]): string {
    return execFileSync('tmux', ['-L', this.#name, ...args], { encoding: 'utf8' });
  }
}
