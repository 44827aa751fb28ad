import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { constants as system } from 'node:os';
import { delimiter, join } from 'node:path';
import { AppError } from '../model/errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** How a command ended: with a code, or by a signal. */
export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A command that runs. */
export interface RunningChild {
  /** Null where it could not be started after all. */
  readonly pid: number | null;
  readonly ended: Promise<ChildEnd>;
}

/** What the shell says: the code of the command, or 128 and the number of the signal that ended it. */
export function exitCodeOf({ code, signal }: ChildEnd): number {
  return signal === null ? (code ?? 1) : 128 + system.signals[signal];
}

/** Path of a command as a shell would find it. Throws COMMAND_NOT_FOUND or COMMAND_NOT_EXECUTABLE. */
export function findCommand(command: string, env: Environment): string {
  const places = command.includes('/') ? [''] : (env['PATH'] ?? '/usr/bin:/bin').split(delimiter);
  let isThere = false;
  for (const place of places) {
    const path = command.includes('/') ? command : join(place || '.', command);
    try {
      if (!statSync(path).isFile()) continue;
      isThere = true;
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // The next place may have one that can be executed.
    }
  }
  if (isThere) throw new AppError('COMMAND_NOT_EXECUTABLE', { command, detail: 'EACCES' });
  throw new AppError('COMMAND_NOT_FOUND', { command });
}

/** What bin/gpulse found before Node put it away: signals that are to be ignored, and the limit of open files. */
const IGNORED = 'GPULSE_IGNORED_SIGNALS';
const OPEN_FILES = 'GPULSE_OPEN_FILES';

/** An environment without what gpulse tells itself in it. */
export function plainEnvironment(env: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && entry[0] !== IGNORED && entry[0] !== OPEN_FILES,
    ),
  );
}

/**
 * The words that start a command as gpulse itself was started: Node does away with ignored signals, on which `nohup` rests,
 * and raises the limit of open files. The process stays the same, since the shell is replaced by the command.
 */
export function asStarted(command: readonly string[], env: Environment): readonly string[] {
  const mask = /^[0-9a-f]{1,16}$/i.test(env[IGNORED] ?? '') ? BigInt(`0x${env[IGNORED]}`) : 0n;
  const ignored = (['SIGHUP', 'SIGINT', 'SIGQUIT'] as const).filter(
    (signal) => (mask & (1n << BigInt(system.signals[signal] - 1))) !== 0n,
  );
  const files = /^\d{1,9}$/.test(env[OPEN_FILES] ?? '') ? env[OPEN_FILES] : undefined;
  if (ignored.length === 0 && files === undefined) return command;
  const steps = [
    ...(ignored.length === 0 ? [] : [`trap '' ${ignored.map((signal) => signal.slice(3)).join(' ')}`]),
    ...(files === undefined ? [] : [`ulimit -S -n ${files} 2>/dev/null`]),
    'exec "$0" "$@"',
  ];
  return ['/bin/sh', '-c', steps.join('; '), ...command];
}

/** True where gpulse itself is to survive the end of its terminal, as with `nohup`. */
export function isDetachedFromTerminal(env: Environment): boolean {
  return (Number.parseInt((env[IGNORED] ?? '').slice(-1), 16) & 1) === 1;
}

export interface StartOptions {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stdio: StdioOptions;
}

/** Starts a command. It has the terminal, the folder and the process group of gpulse. */
export function startChild({ command, env, stdio }: StartOptions): RunningChild {
  const [file = '', ...words] = command;
  const child: ChildProcess = spawn(file, words, { env, stdio });
  const ended = new Promise<ChildEnd>((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      resolve({ code: error.code === 'ENOENT' ? 127 : 126, signal: null }),
    );
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  return { pid: child.pid ?? null, ended };
}

const PASSED_ON = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;

/**
 * Passes signals that gpulse gets on to the command until it is stopped, so that gpulse ends when the command does. What a
 * terminal sends to the whole foreground it sends to the command too, which must not get it twice.
 */
export function passSignals(send: (signal: NodeJS.Signals) => void): () => void {
  const listeners = PASSED_ON.map((signal) => {
    const listener = (): void => {
      const isOfTerminal = signal === 'SIGINT' || signal === 'SIGQUIT';
      if (!isOfTerminal || !isInForeground()) send(signal);
    };
    process.on(signal, listener);
    return () => void process.off(signal, listener);
  });
  return () => {
    for (const stop of listeners) stop();
  };
}

/** Sends a signal; that the process may be gone is no fault. */
export function sendSignal(pid: number | null, signal: NodeJS.Signals): void {
  try {
    if (pid !== null) process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}

/** True where keys typed on the terminal reach this process group. */
export function isInForeground(): boolean {
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1');
    const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return group === foreground;
  } catch {
    return process.stdin.isTTY === true;
  }
}
