import type { Clock, Stop } from '../../model/clock.ts';
import { AppError } from '../../model/errors.ts';
import type { DeviceSample } from '../../model/tick.ts';
import { csvFormat } from '../recording/csv/format.ts';
import { LineSplitter } from '../recording/lines.ts';
import { LogDevices } from '../recording/log-devices.ts';
import { RecordingReport } from '../recording/report.ts';
import type { FormatReader } from '../recording/rows.ts';
import { ZoneClock } from '../recording/time-zone.ts';
import { SmiChild } from './child.ts';
import { type Ending, failureOf, unknownFields, unreachableGpu } from './failure.ts';
import { fieldsInHelp, type QueryFields } from './fields.ts';
import { Instants } from './instants.ts';
import type { Launch } from './launch.ts';

export interface QueryLoopOptions {
  readonly launch: Launch;
  readonly query: 'gpu' | 'compute-apps';
  readonly fields: QueryFields;
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly onSamples: (samples: readonly DeviceSample[]) => void;
  /** It ended and is tried again later; or, for `gpu`, nothing has come for too long. */
  readonly onFailure: (failure: AppError) => void;
  /** The tool gives nothing because of the GPU at a place. True if it can be asked for the others. */
  readonly onUnreachable: (busId: string) => boolean;
  /** Places of the GPUs to ask for; null for all. */
  readonly places: () => readonly string[] | null;
}

/** Rows of one go follow each other within this time. */
const QUIET_MS = 100;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
/** Nothing for so many intervals, and for so long, is a tool that hangs. Starting it can take long. */
const SILENT_INTERVALS = 5;
const SILENT_MS = 30_000;
/** The list of fields is only worth a short wait: without it unknown fields are found one by one. */
const HELP_MS = 5000;
const REMOTE_HELP_MS = 20_000;

/**
 * Keeps one query of nvidia-smi running in loop mode: finds out which fields this version knows, reads its rows with the
 * reader of its logs, and starts it again with growing pauses when it ends or falls silent.
 */
export class QueryLoop {
  readonly #options: QueryLoopOptions;
  readonly #devices = new LogDevices();
  readonly #instants: Instants;
  #child: SmiChild | null = null;
  #reader: FormatReader | null = null;
  #pauseMs = FIRST_PAUSE_MS;
  #stopQuiet: Stop | null = null;
  /** Nothing has been given out in this run. */
  #isFirst = true;
  #stopSilence: Stop = () => {};
  #stopPause: Stop = () => {};
  #isStopped = false;
  readonly #settled = Promise.withResolvers<void>();
  /** Why the run that goes on was asked to end. */
  #stopReason: AppError | 'restart' | null = null;

  constructor(options: QueryLoopOptions) {
    this.#options = options;
    this.#instants = new Instants(this.#devices, (samples) => this.#take(samples));
  }

  /** Asks for the fields the tool knows, then runs. Resolves with the first answer, or when the first run has failed. */
  async start(): Promise<void> {
    const { fields, query } = this.#options;
    const known = fieldsInHelp(await this.#help(query));
    // A list without the most common fields is no list of fields.
    if (known.has(query === 'gpu' ? 'index' : 'pid')) fields.keepKnown(known);
    if (!this.#isStopped) this.#run();
    await this.#settled.promise;
  }

  /** Runs again now, since the GPUs to ask for have changed. */
  restart(): void {
    this.#stopPause();
    this.#pauseMs = FIRST_PAUSE_MS;
    if (this.#child === null) this.#run();
    else this.#stopFor('restart');
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#settled.resolve();
    this.#stopTimers();
    this.#stopPause();
    await this.#child?.stop();
  }

  #help(query: string): Promise<string> {
    const { launch, clock } = this.#options;
    return new Promise((resolve) => {
      const parts: Uint8Array[] = [];
      const child = new SmiChild({
        launch,
        args: [`--help-query-${query}`],
        clock,
        onOutput: (bytes) => parts.push(bytes.slice()),
        onEnd: () => {
          stopWait();
          this.#child = null;
          resolve(Buffer.concat(parts).toString());
        },
      });
      this.#child = child;
      const waitMs = launch.host === null ? HELP_MS : REMOTE_HELP_MS;
      const stopWait = clock.after(waitMs, () => void child.stop().then(() => resolve('')));
    });
  }

  #run(): void {
    const { launch, query, fields, intervalMs, clock, places } = this.#options;
    const only = places();
    const child: SmiChild = new SmiChild({
      launch,
      args: [
        ...(only === null ? [] : ['-i', only.join(',')]),
        `--query-${query}=${fields.names.join(',')}`,
        '--format=csv,nounits',
        '-lms',
        String(Math.max(Math.round(intervalMs), 1)),
      ],
      clock,
      onOutput: (bytes) => {
        lines.push(bytes);
        this.#armQuiet();
        this.#armSilence();
      },
      onEnd: (ending) => {
        lines.end();
        this.#ended(ending);
      },
    });
    const lines = this.#linesOf(child);
    this.#child = child;
    this.#isFirst = true;
    this.#armSilence();
  }

  /** Cuts the output into lines for a new reader. */
  #linesOf(child: SmiChild): LineSplitter {
    const reader = csvFormat.open({
      sink: this.#instants,
      devices: this.#devices,
      report: new RecordingReport(),
      zone: new ZoneClock('UTC'),
      anchor: 0,
      columns: null,
    });
    this.#reader = reader;
    return new LineSplitter({
      line: (bytes, start, end, number, isWhole) => {
        const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString();
        // Only messages are sentences; rows are many.
        if (MESSAGE.test(text)) child.note(`${text}\n`);
        reader.line(bytes, start, end, number, isWhole);
      },
      tooLong: () => {},
    });
  }

  #ended(ending: Ending): void {
    this.#stopTimers();
    this.#reader?.end();
    this.#instants.finish();
    this.#reader = null;
    this.#child = null;
    const reason = this.#stopReason;
    this.#stopReason = null;
    if (this.#isStopped) return;
    if (reason === 'restart') {
      this.#run();
      return;
    }
    const { fields, launch, onFailure, onUnreachable } = this.#options;
    const rejected = unknownFields(ending.text).filter((name) => fields.reject(name));
    if (rejected.length > 0 && fields.names.length > 0) {
      this.#run();
      return;
    }
    const place = unreachableGpu(ending.text);
    if (place !== null && onUnreachable(place)) {
      this.#run();
      return;
    }
    onFailure(reason ?? failureOf(ending, launch));
    this.#settled.resolve();
    this.#stopPause = this.#options.clock.after(this.#pauseMs, () => this.#run());
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
  }

  /** Rows that have come are given out a moment later, whatever comes meanwhile. */
  #armQuiet(): void {
    this.#stopQuiet ??= this.#options.clock.after(QUIET_MS, () => {
      this.#stopQuiet = null;
      if (this.#reader?.isHolding === true) this.#reader.settle();
      this.#instants.finish();
      // A header without rows is an answer of its own: there is no process.
      if (this.#isFirst && this.#options.query === 'compute-apps') this.#take([]);
    });
  }

  #take(samples: readonly DeviceSample[]): void {
    this.#isFirst = false;
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#options.onSamples(samples);
    this.#settled.resolve();
  }

  /** A list of processes is silent while there are none. */
  #armSilence(): void {
    this.#stopSilence();
    const { query, clock, intervalMs, launch, onFailure } = this.#options;
    if (query !== 'gpu') return;
    const silentMs = Math.max(SILENT_INTERVALS * intervalMs, SILENT_MS);
    this.#stopSilence = clock.after(silentMs, () => {
      const where = launch.host === null ? '' : ` (${launch.host})`;
      const failure = new AppError('SMI_TIMEOUT', { where, seconds: Math.round(silentMs / 1000) });
      onFailure(failure);
      // What hangs in the driver cannot be ended, and another one would hang too: that waits until this one has ended.
      this.#stopFor(failure);
    });
  }

  #stopFor(reason: AppError | 'restart'): void {
    this.#stopReason = reason;
    void this.#child?.stop();
  }

  #stopTimers(): void {
    this.#stopQuiet?.();
    this.#stopQuiet = null;
    this.#stopSilence();
  }
}

/** What nvidia-smi says when it gives no rows. */
const MESSAGE =
  /is not a valid field|Unable to|Failed to|has failed|No devices|NVML|Permission|couldn't|not found|Error:/i;
