import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isatty } from 'node:tty';
import { findCommand, isInForeground, type RunningChild, sendSignal, startChild } from './run-child.ts';

/** How the output of a command reaches its reader, and gpulse. */
type CaptureMode = 'terminal' | 'pipes' | 'none';

/** A copy of one stream of output. */
export interface CapturedStream {
  readonly name: 'out' | 'err' | 'tty';
  readonly path: string;
}

/** A command that runs with its output copied. */
export interface CapturedChild {
  readonly mode: CaptureMode;
  /** Programs for want of which the output is copied in a lesser way, or not at all. */
  readonly missing: readonly string[];
  readonly streams: readonly CapturedStream[];
  readonly ended: RunningChild['ended'];
  readonly pid: number | null;
  send(signal: NodeJS.Signals): void;
  /** Resolves once all output has been passed on, or is held by a process that the command has left behind. */
  drained(): Promise<void>;
}

export interface CaptureOptions {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Where the copies go. */
  readonly directory: string;
  /** False to use pipes on a terminal too. */
  readonly hasTerminal: boolean;
}

/** Once a command has ended, output that does not come any further is waited for no longer than this. */
const DRAIN_MS = 2000;
const LOOK_MS = 50;

/**
 * Starts a command with its output copied to files. Between it and its reader stand `tee` and, on a terminal, `script`:
 * small programs that go on when gpulse does not, or when the disk is full. gpulse reads their copies and is never in the
 * way. Without `script` there are pipes on a terminal too; without `tee` the output is not copied, and reaches its reader
 * directly.
 */
export function startCaptured(options: CaptureOptions): CapturedChild {
  const missing = ['tee', 'mkfifo'].filter((name) => !isThere(name));
  if (missing.length > 0) return direct(options, missing);
  // In the background, `script` would be stopped as soon as it touched the terminal.
  const isTerminal = options.hasTerminal && isatty(0) && isatty(1) && isInForeground();
  try {
    if (!isTerminal) return throughPipes(options, []);
    return hasScript() ? onTerminal(options) : throughPipes(options, ['script']);
  } catch {
    // A disk that takes no file, or a file system without pipes: the command matters more than its copy.
    return direct(options, []);
  }
}

function direct({ command, env }: CaptureOptions, missing: readonly string[]): CapturedChild {
  const child = startChild({ command, env, stdio: 'inherit' });
  return {
    mode: 'none',
    missing,
    streams: [],
    ...child,
    send: (signal) => sendSignal(child.pid, signal),
    drained: () => Promise.resolve(),
  };
}

function throughPipes({ command, env, directory }: CaptureOptions, missing: readonly string[]): CapturedChild {
  const out = copier(directory, 'out', 1);
  const err = copier(directory, 'err', 2);
  const child = startChild({ command, env, stdio: ['inherit', out.input, err.input] });
  closeSync(out.input);
  closeSync(err.input);
  return {
    mode: 'pipes',
    missing,
    streams: [out, err],
    ...child,
    send: (signal) => sendSignal(child.pid, signal),
    drained: () => drained([out, err]),
  };
}

/** The command has a terminal of its own, which `script` joins to the one of gpulse: keys, size and colours pass. */
function onTerminal({ command, env, directory }: CaptureOptions): CapturedChild {
  const pidFile = join(directory, 'pid');
  const out = copier(directory, 'tty', 1);
  // What the reader has separated stays separate.
  const err = isatty(2) ? null : copier(directory, 'err', 2);
  const shell = env['SHELL'];
  const steps = [
    shell === undefined ? 'unset SHELL' : `SHELL=${quoted(shell)}`,
    `echo $$ > ${quoted(pidFile)}`,
    `exec ${command.map(quoted).join(' ')}${err === null ? '' : ' 2>&3 3>&-'}`,
  ];
  const child = startChild({
    command: ['script', '-q', '-e', '-c', steps.join('; '), '/dev/null'],
    env: { ...env, SHELL: '/bin/sh' },
    stdio: ['inherit', out.input, 'inherit', ...(err === null ? [] : [err.input])],
  });
  closeSync(out.input);
  if (err !== null) closeSync(err.input);
  const streams = err === null ? [out] : [out, err];
  return {
    mode: 'terminal',
    missing: [],
    streams,
    ...child,
    // `script` would end with the signal and take the terminal away from the command.
    send: (signal) => sendSignal(pidIn(pidFile) ?? child.pid, signal),
    drained: () => drained(streams),
  };
}

interface Copier extends CapturedStream {
  /** Where the command writes. */
  readonly input: number;
  readonly tee: ChildProcess;
  readonly ended: Promise<void>;
}

/** Starts a `tee` that passes on to a descriptor of gpulse what is written to its input. Throws the system's error. */
function copier(directory: string, name: CapturedStream['name'], target: 1 | 2): Copier {
  const path = join(directory, `copy-${name}`);
  const pipe = join(directory, `pipe-${name}`);
  execFileSync('mkfifo', ['-m', '600', pipe], { stdio: 'ignore' });
  closeSync(openSync(path, 'w', 0o600));
  // Both ends at once, so that neither waits for the other.
  const both = openSync(pipe, constants.O_RDWR);
  const [reading, input] = [openSync(pipe, 'r'), openSync(pipe, 'w')];
  closeSync(both);
  unlinkSync(pipe);
  // A session of its own: keys on the terminal must not end it before the command has said its last word.
  const tee = spawn('tee', ['-a', path], { stdio: [reading, target, 'ignore'], detached: true });
  closeSync(reading);
  tee.unref();
  const ended = new Promise<void>((resolve) => {
    tee.once('exit', () => resolve());
    tee.once('error', () => resolve());
  });
  return { name, path, input, tee, ended };
}

async function drained(streams: readonly Copier[]): Promise<void> {
  let isOver = false;
  void Promise.all(streams.map(({ ended }) => ended)).then(() => {
    isOver = true;
  });
  const sizes = (): string => streams.map(({ path }) => sizeOf(path)).join();
  let [last, since] = [sizes(), performance.now()];
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, isOver ? 0 : LOOK_MS));
    if (isOver) return;
    const now = sizes();
    if (now !== last) [last, since] = [now, performance.now()];
    else if (performance.now() - since > DRAIN_MS) return;
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}

function isThere(name: string): boolean {
  try {
    findCommand(name, process.env);
    return true;
  } catch {
    return false;
  }
}

/** Only that of util-linux passes exit codes on. */
function hasScript(): boolean {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).includes(
      'util-linux',
    );
  } catch {
    return false;
  }
}

function pidIn(file: string): number | null {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    return pid > 0 ? pid : null;
  } catch {
    return null;
  }
}

/** A word as a shell takes it. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
