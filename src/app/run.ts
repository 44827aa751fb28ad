import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { conclude, type Diagnosis, TICKS_TELL } from '../diagnosis/diagnosis.ts';
import { TickLog } from '../diagnosis/window/tick-log.ts';
import type { Device } from '../model/device.ts';
import { AppError, toAppError } from '../model/errors.ts';
import type { Millis } from '../model/reading.ts';
import { RUN_FILES, type RunRecord, startTicks, writeRun } from '../runs/run-record.ts';
import { createRun, pruneRuns, type RunLimits } from '../runs/run-store.ts';
import { RecordingEncoder } from '../sources/recording/own-format/encoder.ts';
import { alreadyVisible } from '../waiting/visible-devices.ts';
import type { SourceOptions } from './open-source.ts';
import { type Recording, startRecording } from './record.ts';
import { type CapturedChild, startCaptured } from './run-capture.ts';
import {
  asStarted,
  exitCodeOf,
  findCommand,
  isDetachedFromTerminal,
  passSignals,
  plainEnvironment,
} from './run-child.ts';
import { RunOutput } from './run-output.ts';
import { RunProcesses } from './run-processes.ts';
import { findingsOf, gpusOf } from './run-summary.ts';
import { VERSION } from './version.ts';

export interface RunOptions {
  readonly command: readonly string[];
  readonly source: SourceOptions;
  readonly intervalMs: number;
  /** Directory below which runs are kept. */
  readonly root: string;
  readonly limits: RunLimits;
  /** GPUs to record; null for those that the environment leaves to the command. */
  readonly wanted: ((device: Device) => boolean) | null;
  /** Throws GPU_NOT_LISTED where a GPU that was asked for is not among all; null where none was. */
  readonly requireListed: ((all: readonly Device[]) => void) | null;
  readonly logFile: string | null;
  /** False to use pipes on a terminal too. */
  readonly hasTerminal: boolean;
  /** Told of what goes wrong while the command runs. */
  readonly warn: (failure: AppError) => void;
  /** Called once it runs. */
  readonly started?: (child: CapturedChild) => void;
}

export interface RunOutcome {
  readonly exitCode: number;
  /** Null where nothing could be kept. */
  readonly run: RunRecord | null;
  readonly directory: string | null;
  /** Null where no GPU was recorded. */
  readonly diagnosis: Diagnosis | null;
}

/** A driver that is slow to start must not hold up a command that has ended. */
const START_PATIENCE_MS = 3000;
/** Nor a disk that does not answer one that is to start. */
const PLACE_PATIENCE_MS = 5000;

/**
 * Runs a command and records what its GPUs do. Whatever goes wrong with the recording, the command starts, goes on, and
 * ends as it would alone. Throws COMMAND_NOT_FOUND and COMMAND_NOT_EXECUTABLE.
 */
export async function runCommand(options: RunOptions): Promise<RunOutcome> {
  const { command, source, root, warn } = options;
  findCommand(command[0] ?? '', process.env);
  const startedAt = source.clock.now();
  const place = await inTime(createRun(root, startedAt), source.clock).catch((error: unknown) => {
    warn(new AppError('RUN_NOT_KEPT', { path: root, detail: detailOf(error) }, { cause: error }));
    return null;
  });
  // A fault of gpulse is no reason to leave the command alone.
  const survive = (error: unknown): void => warn(toAppError(error));
  process.on('uncaughtException', survive);
  process.on('unhandledRejection', survive);
  try {
    return place === null ? await runAlone(options) : await runRecorded(options, place, startedAt);
  } finally {
    process.off('uncaughtException', survive);
    process.off('unhandledRejection', survive);
  }
}

/** Rejects where a file system does not answer: that must not keep the command from starting. */
async function inTime<Result>(made: Promise<Result>, { after }: SourceOptions['clock']): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const stop = after(PLACE_PATIENCE_MS, () => late.reject(new Error('ETIMEDOUT: no answer in time')));
  return Promise.race([made, late.promise]).finally(stop);
}

function detailOf(error: unknown): string {
  return error instanceof Error ? (/^[A-Z]+: ([^,]+)/.exec(error.message)?.[1] ?? error.message) : String(error);
}

/** Where nothing can be kept. */
async function runAlone({ command, started }: RunOptions): Promise<RunOutcome> {
  const child = startCaptured({
    command: asStarted(command, process.env),
    env: plainEnvironment(process.env),
    directory: '/dev/null',
    hasTerminal: true,
  });
  started?.(child);
  const stop = passSignals(child.send);
  const exitCode = exitCodeOf(await child.ended);
  stop();
  return { exitCode, run: null, directory: null, diagnosis: null };
}

interface Place {
  readonly id: string;
  readonly directory: string;
}

async function runRecorded(options: RunOptions, { id, directory }: Place, startedAt: Millis): Promise<RunOutcome> {
  const { command, source, logFile, hasTerminal, warn } = options;
  const { clock } = source;
  const env = { ...plainEnvironment(process.env), GPULSE_RUN_ID: id, GPULSE_RUN_DIR: directory };
  const child = startCaptured({ command: asStarted(command, process.env), env, directory, hasTerminal });
  options.started?.(child);
  const stopSignals = passSignals((signal) => {
    // With nohup the end of the terminal is not for the command.
    if (signal !== 'SIGHUP' || !isDetachedFromTerminal(process.env)) child.send(signal);
  });
  const output = new RunOutput({ clock, directory, folder: process.cwd(), streams: child.streams, logFile });
  const processes = new RunProcesses(`GPULSE_RUN_DIR=${directory}`);
  const log = new TickLog();
  const recording = record(options, directory, output, (tick) => {
    processes.observe(tick);
    log.add(tick);
  });
  const base = await describe(options, id, startedAt);
  const keep = (run: RunRecord): Promise<void> =>
    writeRun(directory, run).catch((error: unknown) => warn(notKept(directory, error)));
  await keep(base);
  const end = await child.ended;
  const endedAt = clock.now();
  await child.drained();
  await output.close();
  const made = await ending(recording, clock);
  const diagnosis = made.recording === null ? null : concludeRun(log, directory, made.origin);
  const run: RunRecord = {
    ...base,
    endedAt,
    exitCode: exitCodeOf(end),
    signal: end.signal,
    noGpu: made.failure?.code ?? null,
    source: made.recording?.source().name ?? null,
    gpus: diagnosis === null ? [] : gpusOf(diagnosis, processes.gpus(), { from: startedAt, to: endedAt }),
    processes: processes.list(),
    progress: output.progress(),
    findings: diagnosis === null ? [] : findingsOf(diagnosis),
  };
  if (made.failure !== null) warn(made.failure);
  // On a full disk that makes room for the record.
  await removeCopies(child, directory);
  await keep(run);
  await pruneRuns(options.root, options.limits).catch(() => []);
  stopSignals();
  return { exitCode: exitCodeOf(end), run, directory, diagnosis };
}

function notKept(path: string, error: unknown): AppError {
  return new AppError('RUN_NOT_KEPT', { path, detail: detailOf(error) }, { cause: error });
}

/** Starts to record, beside the command. */
function record(
  options: RunOptions,
  directory: string,
  output: RunOutput,
  observe: NonNullable<Parameters<typeof startRecording>[0]['observe']>,
): Promise<Recording | AppError> {
  const { source, intervalMs, wanted, requireListed, warn } = options;
  return startRecording({
    source,
    path: join(directory, RUN_FILES.recording),
    intervalMs,
    wanted: wanted ?? (() => true),
    check: requireListed === null ? null : lenient(requireListed, options),
    ...(wanted === null ? { narrow: leftTo } : {}),
    takeEvents: () => output.takeEvents(),
    observe,
    rotateBytes: Number.POSITIVE_INFINITY,
    rotateMs: Number.POSITIVE_INFINITY,
    keep: Number.POSITIVE_INFINITY,
    text: ({ name, origin }) =>
      new RecordingEncoder({ version: VERSION, host: hostname(), source: name, origin, intervalMs, hasCommands: true }),
  }).catch((error: unknown) => {
    const failure = toAppError(error);
    // What was asked for is wrong: that is of use at once.
    if (failure.code === 'GPU_NOT_LISTED') warn(failure);
    return failure;
  });
}

/** Where some of the GPUs that were asked for are there, these are recorded all the same. */
function lenient(
  check: NonNullable<RunOptions['requireListed']>,
  { wanted, warn }: RunOptions,
): NonNullable<RunOptions['requireListed']> {
  return (all) => {
    try {
      check(all);
    } catch (error) {
      if (wanted === null || !all.some(wanted)) throw error;
      warn(toAppError(error));
    }
  };
}

/**
 * The GPUs that CUDA_VISIBLE_DEVICES leaves to a command, with the cards of MIG instances; all where it does not say, or
 * not for sure: one too many in a recording does no harm.
 */
function leftTo(all: readonly Device[]): (device: Device) => boolean {
  const visible = alreadyVisible(process.env, all);
  if (visible === null || visible === 'ambiguous') return () => true;
  const uuids = new Set(visible.flatMap(({ uuid, mig }) => (mig === undefined ? [uuid] : [uuid, mig.parent])));
  return ({ uuid, mig }) => uuids.has(uuid) || (mig !== undefined && uuids.has(mig.parent));
}

interface Made {
  readonly recording: Recording | null;
  readonly origin: string;
  readonly failure: AppError | null;
}

/** Ends the recording, and tells what was wrong with it. */
async function ending(started: Promise<Recording | AppError>, { after }: SourceOptions['clock']): Promise<Made> {
  const late = new Promise<AppError>((resolve) => {
    after(START_PATIENCE_MS, () => resolve(new AppError('RUN_TOO_SHORT')));
  });
  const recording = await Promise.race([started, late]);
  if (recording instanceof AppError) return { recording: null, origin: '', failure: recording };
  const failure = await recording.stop().then(
    () => null,
    (error: unknown) => toAppError(error),
  );
  return { recording, origin: recording.origin, failure };
}

function concludeRun(log: TickLog, directory: string, origin: string): Diagnosis {
  return conclude(log, {
    ...TICKS_TELL,
    name: directory,
    format: 'gpulse',
    seesXids: origin === 'simulated',
  });
}

async function describe({ command }: RunOptions, id: string, startedAt: Millis): Promise<RunRecord> {
  return {
    version: 1,
    id,
    command,
    folder: process.cwd(),
    host: hostname(),
    user: userName(),
    recorder: { pid: process.pid, startTicks: await startTicks(process.pid) },
    startedAt,
    endedAt: null,
    exitCode: null,
    signal: null,
    noGpu: null,
    source: null,
    gpus: [],
    processes: [],
    progress: null,
    findings: [],
  };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? '?');
  }
}

/** What only served to hand the output over. */
async function removeCopies({ streams }: CapturedChild, directory: string): Promise<void> {
  const { rm } = await import('node:fs/promises');
  for (const { path } of streams) await rm(path, { force: true });
  await rm(join(directory, 'pid'), { force: true });
}
