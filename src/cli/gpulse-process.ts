import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** For tests only: gpulse as a process of its own, as its users start it. */

const GPULSE = resolve(import.meta.dirname, '../../bin/gpulse');

/** For tests only: a machine may be so busy that starting a program takes seconds. */
export const PATIENT = { timeout: 120_000 };

/** For tests only: a folder that is also the home of what is started in it. */
export class TestHome {
  readonly folder = mkdtempSync(join(tmpdir(), 'gpulse-home-'));
  /** Path of the program. */
  readonly gpulse = GPULSE;
  readonly #children: ChildProcess[] = [];
  readonly #terminals: Terminal[] = [];

  /** Nothing of the environment of the tests but the programs. */
  get env(): Record<string, string> {
    return { PATH: process.env['PATH'] ?? '', HOME: this.folder, TZ: 'UTC', LANG: 'C' };
  }

  path(...names: readonly string[]): string {
    return join(this.folder, ...names);
  }

  /** Lines of a file; none where it is not there. */
  lines(...names: readonly string[]): string[] {
    try {
      return readFileSync(this.path(...names), 'utf8')
        .split('\n')
        .filter((line) => line !== '');
    } catch {
      return [];
    }
  }

  run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const { stdout, stderr, status } = spawnSync(GPULSE, args, {
      encoding: 'utf8',
      cwd: this.folder,
      env: { ...this.env, ...env },
      timeout: 100_000,
      maxBuffer: 2 ** 26,
    });
    return { stdout, stderr, status };
  }

  start(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Started {
    const child = spawn(command, args, { cwd: this.folder, env: { ...this.env, ...env } });
    this.#children.push(child);
    return new Started(child);
  }

  /** A terminal whose shell is ready. */
  async terminal(columns = 100, rows = 24): Promise<Terminal> {
    const terminal = new Terminal(this.folder, columns, rows);
    this.#terminals.push(terminal);
    await terminal.shows(/\$/);
    return terminal;
  }

  dispose(): void {
    for (const child of this.#children) child.kill('SIGKILL');
    for (const terminal of this.#terminals) terminal.close();
    // What was killed may still have had something to write.
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

/** For tests only: a process, and what it has printed so far. */
export class Started {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  stdout = '';
  stderr = '';

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.ended = new Promise((done) => {
      child.once('close', (code, signal) => done({ code, signal }));
    });
  }

  /** Resolves once it has printed something like that; fails with what it has printed instead. */
  async says(pattern: RegExp): Promise<void> {
    await until(
      () => pattern.test(this.stdout + this.stderr),
      () => `${pattern} in ${this.stdout}${this.stderr}`,
    );
  }
}

const LOOKS = 600;
const LOOK_MS = 100;

/** For tests only: resolves once `isSo`, and fails after a minute. */
export async function until(isSo: () => boolean, what: () => string = () => ''): Promise<void> {
  for (let looks = 0; !isSo(); looks++) {
    if (looks === LOOKS) throw new Error(`did not come: ${what()}`);
    await new Promise((done) => setTimeout(done, LOOK_MS));
  }
}

let terminals = 0;

/** For tests only: a shell in a terminal of its own, driven by tmux. */
class Terminal {
  readonly #session = `gpulse-${process.pid}-${++terminals}`;

  constructor(folder: string, columns: number, rows: number) {
    const shell = `env -i PATH="$PATH" TERM=screen HOME=${folder} PS1="$ " TZ=UTC LANG=C bash --norc --noprofile`;
    const size = ['-x', String(columns), '-y', String(rows)];
    this.#tmux('-f', '/dev/null', 'new-session', '-d', ...size, '-c', folder, shell);
  }

  /** Types a line into what runs there. */
  type(command: string): void {
    this.#tmux('send-keys', '-l', command);
    this.#tmux('send-keys', 'Enter');
  }

  key(name: string): void {
    this.#tmux('send-keys', name);
  }

  resize(columns: number, rows: number): void {
    this.#tmux('resize-window', '-x', String(columns), '-y', String(rows));
  }

  /** What has been shown, with what has been scrolled away. */
  text(): string {
    return this.#tmux('capture-pane', '-p', '-S', '-');
  }

  async shows(pattern: RegExp): Promise<string> {
    await until(
      () => pattern.test(this.text()),
      () => `${pattern} in ${this.text()}`,
    );
    return this.text();
  }

  /** Types a command once the shell asks for one: what is typed earlier belongs to what still runs. */
  async ask(command: string): Promise<void> {
    await this.shows(/^(\^C)?\$\s*$(?![\s\S]*\S)/m);
    this.type(command);
  }

  close(): void {
    this.#tmux('kill-server');
  }

  #tmux(...args: readonly string[]): string {
    return execFileSync('tmux', ['-L', this.#session, ...args], { encoding: 'utf8' });
  }
}
