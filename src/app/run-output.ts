import { isAbsolute, join } from 'node:path';
import type { Clock } from '../model/clock.ts';
import type { GpuEvent } from '../model/event.ts';
import { isoTime } from '../model/format.ts';
import type { Millis } from '../model/reading.ts';
import { AppendFile } from '../runs/append-file.ts';
import { OutputLines } from '../runs/output-lines.ts';
import { ProgressLog, type RunProgress } from '../runs/progress.ts';
import { readProgressLine } from '../runs/progress-line.ts';
import { RUN_FILES } from '../runs/run-record.ts';
import { Tail } from '../runs/tail.ts';
import type { CapturedStream } from './run-capture.ts';

/** A progress bar that draws over its line is kept so often. */
const REDRAWN_EVERY_MS = 1000;
/** How long the rest of each stream is read once the command has ended. */
const PATIENCE_MS = 5000;
/** Output of more characters than this is not kept to its end. */
const MOST_OUTPUT = 256 * 2 ** 20;
/** Trainers that write their figures to a file say where. */
const LOG_FILE = /([^\s'"=:,[\]()]*logging\.jsonl)\b/;

export interface RunOutputOptions {
  readonly clock: Clock;
  readonly directory: string;
  readonly folder: string;
  readonly streams: readonly CapturedStream[];
  /** A file with figures of the trainer; null to find out. */
  readonly logFile: string | null;
}

/** Reads what a command prints, keeps it with times, and finds its progress. */
export class RunOutput {
  readonly #options: RunOutputOptions;
  readonly #log: AppendFile;
  readonly #progress = new ProgressLog();
  readonly #tails: { readonly tail: Tail; end(): void }[] = [];
  #events: GpuEvent[] = [];
  #followed: string | null = null;

  constructor(options: RunOutputOptions) {
    this.#options = options;
    const { directory, streams, logFile } = options;
    this.#log = new AppendFile(join(directory, RUN_FILES.output), MOST_OUTPUT);
    for (const { name, path } of streams) this.#follow(path, name, true);
    this.#follow(join(directory, RUN_FILES.markers), 'mark', false);
    if (logFile !== null) this.#followLog(logFile);
  }

  /** Markers since the last call. */
  takeEvents(): readonly GpuEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  progress(): RunProgress {
    return this.#progress.progress();
  }

  /** Reads what is left, unless that is so much that whoever waits for the end of the command would wonder. */
  async close(): Promise<void> {
    for (const { tail, end } of this.#tails) {
      const left = await tail.close(PATIENCE_MS);
      end();
      if (left > 0) this.#log.line(`${isoTime(this.#options.clock.now())} end … (+${left} bytes)`);
    }
    this.#events.push(...this.#progress.end(this.#options.clock.now()));
    await this.#log.close();
  }

  #follow(path: string, name: string, isDisposable: boolean): void {
    const { clock } = this.#options;
    const lines = new OutputLines();
    let redrawnAt = Number.NEGATIVE_INFINITY;
    const take = (found: readonly { text: string; isRedrawn: boolean }[]): void => {
      const at = clock.now();
      const stamp = isoTime(at);
      for (const { text, isRedrawn } of found) {
        this.#read(name === 'mark' ? `GPULSE ${text}` : text, at);
        if (isRedrawn && at - redrawnAt < REDRAWN_EVERY_MS) continue;
        if (isRedrawn) redrawnAt = at;
        if (name !== 'json') this.#log.line(`${stamp} ${name} ${text}`);
      }
    };
    const tail = new Tail({ path, isDisposable, take: (bytes) => take(lines.push(bytes)) });
    this.#tails.push({ tail, end: () => take(lines.end()) });
  }

  #read(text: string, at: Millis): void {
    const line = readProgressLine(text);
    if (line !== null) this.#events.push(...this.#progress.add(line, at));
    if (this.#followed !== null || !text.includes('logging.jsonl')) return;
    const path = LOG_FILE.exec(text)?.[1];
    if (path !== undefined) this.#followLog(path);
  }

  #followLog(path: string): void {
    if (this.#followed !== null) return;
    this.#followed = path;
    this.#follow(isAbsolute(path) ? path : join(this.#options.folder, path), 'json', false);
  }
}
