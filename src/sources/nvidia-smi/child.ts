import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Clock } from '../../model/clock.ts';
import type { Ending } from './failure.ts';
import type { Launch } from './launch.ts';

/** What is kept of the other output of a run, from its end. */
const KEPT_TEXT = 4096;
/** Output that comes after the end is waited for so long. */
const DRAIN_MS = 500;
/** How long a run may take to end when it is asked to. */
const END_MS = 1000;

export interface ChildOptions {
  readonly launch: Launch;
  readonly args: readonly string[];
  readonly clock: Clock;
  /** What it writes to standard output. `bytes` is only lent for the call. */
  readonly onOutput: (bytes: Uint8Array) => void;
  /** Called once, whatever happens. */
  readonly onEnd: (ending: Ending) => void;
}

/** One run of nvidia-smi. */
export class SmiChild {
  readonly #clock: Clock;
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  readonly #ended = Promise.withResolvers<void>();
  #text = '';
  #hasEnded = false;

  constructor({ launch, args, clock, onOutput, onEnd }: ChildOptions) {
    this.#clock = clock;
    const end = (code: number | null, startError: string | null): void => {
      if (this.#hasEnded) return;
      this.#hasEnded = true;
      this.#ended.resolve();
      onEnd({ code, startError, text: this.#text });
    };
    // Messages are recognised by their English words.
    const env = { ...process.env, LC_ALL: 'C' };
    this.#child = spawn(launch.command, [...launch.before, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env });
    this.#child.stdout.on('data', onOutput);
    this.#child.stderr.on('data', (bytes: Buffer) => this.note(bytes.toString()));
    this.#child.on('error', (error: NodeJS.ErrnoException) => end(null, error.code ?? error.message));
    this.#child.on('close', (code) => end(code, null));
    // What it has started itself may keep its output open after its end.
    this.#child.on('exit', (code) => clock.after(DRAIN_MS, () => end(code, null)));
  }

  /** Keeps a line that is no row, by which the end may be explained. */
  note(text: string): void {
    this.#text = (this.#text + text).slice(-KEPT_TEXT);
  }

  /** Ends it, by force where it does not obey. Resolves even if it cannot be ended, as one that hangs in the driver. */
  async stop(): Promise<void> {
    if (this.#hasEnded) return;
    this.#child.kill('SIGTERM');
    const stopTimer = this.#clock.after(END_MS, () => this.#child.kill('SIGKILL'));
    const stopWait = this.#clock.after(2 * END_MS, () => this.#ended.resolve());
    await this.#ended.promise;
    stopTimer();
    stopWait();
    // What hangs must not keep this process from ending.
    this.#child.unref();
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
  }
}
