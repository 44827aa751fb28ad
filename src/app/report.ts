import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { conclude, concludeProgram, type Diagnosis, TICKS_TELL } from '../diagnosis/diagnosis.ts';
import { emptyProgramLog, readProgramLine, saysSomething } from '../diagnosis/program-log/program-log.ts';
import { TickLog } from '../diagnosis/window/tick-log.ts';
import type { Clock } from '../model/clock.ts';
import type { Device } from '../model/device.ts';
import { AppError } from '../model/errors.ts';
import { isoTime } from '../model/format.ts';
import type { Extent, Notice, Source } from '../model/ports.ts';
import type { Millis } from '../model/reading.ts';
import { openRecordingReader, type RecordingReader } from '../sources/recording/recording-reader.ts';
import { TickFinisher } from '../sources/tick-finisher.ts';
import { openSource, simulatedHistoryMs } from './open-source.ts';
import { type FoundRun, findRecordedRun } from './run-lookup.ts';

export interface ReportOptions {
  /** A file, `-`, a run, `replay:FILE` or `simulate:SCENARIO[,option=value…]`. */
  readonly path: string;
  readonly timeZone: string | null;
  readonly clock: Clock;
  /** Directory below which runs are kept; the usual one by default. */
  readonly data?: string | null;
  /** Only what lies between these times; all of it by default. */
  readonly within?: Extent | null;
}

/** A simulation goes on for so long after its past, so that what is to happen has happened. */
const AFTER_PAST_MS = 600_000;
const SIMULATED_STEP_MS = 1000;

/** What a line of a training log says stands at its beginning. */
const LONGEST_LINE = 4096;

const SIMULATE = 'simulate:';
const REPLAY = 'replay:';

/**
 * Reads a recording to its end and diagnoses it. Throws what the source throws, RUN_NOT_FOUND, RUN_AMBIGUOUS,
 * RUN_WITHOUT_READINGS, and NOTHING_RECORDED for a time in which there is nothing.
 */
export async function diagnoseRecording(options: ReportOptions): Promise<Diagnosis> {
  const { path, clock, data = null } = options;
  if (path.startsWith(SIMULATE)) return diagnoseSimulation(path, clock);
  if (path.startsWith(REPLAY)) return diagnoseFile({ ...options, path: path.slice(REPLAY.length) }, null);
  const run = path === '-' ? null : await findRecordedRun(path, data);
  if (run === null) return diagnoseFile(options, null);
  if (run.recording === null) return diagnoseOutput(run);
  return diagnoseFile({ ...options, path: run.recording }, run);
}

async function diagnoseFile(
  { path, timeZone, within = null }: ReportOptions,
  run: FoundRun | null,
): Promise<Diagnosis> {
  let reader: RecordingReader;
  try {
    reader = await openRecordingReader({ path, ...(timeZone === null ? {} : { timeZone }) });
  } catch (error) {
    const program = isUnknownLog(error) && path !== '-' ? await diagnoseProgram(path) : null;
    if (program === null) throw error;
    return program;
  }
  const log = new TickLog();
  const finisher = new TickFinisher(sourceOf(reader, path), null);
  try {
    for (let ticks = await reader.nextTicks(); ticks !== null; ticks = await reader.nextTicks()) {
      for (const tick of ticks) {
        const whole = finisher.finish(tick);
        if (within === null || (whole.at >= within.from && whole.at < within.to)) log.add(whole);
        reader.recycle(tick);
      }
    }
  } finally {
    await reader.close();
  }
  const { rows, skippedRows, gpus, from, to, format, seesXids } = reader.summary();
  if (within !== null && log.length === 0 && log.events.length === 0) {
    throw new AppError('NOTHING_RECORDED', { from: isoTime(within.from), to: isoTime(within.to) });
  }
  return conclude(log, {
    name: run?.directory ?? path,
    format: format ?? '',
    skipped: skippedRows,
    // Of a part only what is in it counts.
    ...(within === null ? { rows, gpus, from, to } : { rows: null, gpus: null, from: null, to: null }),
    notices: reader.notices(),
    seesXids,
    ...(run === null ? {} : { run: run.facts, output: run.output }),
  });
}

/** A run on no GPU may have printed something about itself. Throws RUN_WITHOUT_READINGS where it has not. */
function diagnoseOutput({ directory, facts, output }: FoundRun): Diagnosis {
  const log = emptyProgramLog();
  for (const { text } of output) readProgramLine(log, text);
  if (!saysSomething(log)) throw new AppError('RUN_WITHOUT_READINGS', { id: facts.id });
  return concludeProgram(log, { name: directory, run: facts, output });
}

function isUnknownLog(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'RECORDING_NOT_RECOGNISED' || error.code === 'RECORDING_EMPTY');
}

/** What a training program has printed about itself; null where that is nothing a verdict could be made of. */
async function diagnoseProgram(path: string): Promise<Diagnosis | null> {
  const log = emptyProgramLog();
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    readProgramLine(log, line.slice(0, LONGEST_LINE));
  }
  if (!saysSomething(log)) return null;
  return concludeProgram(log, { name: path });
}

async function diagnoseSimulation(spec: string, clock: Clock): Promise<Diagnosis> {
  const probe = await openSource({ spec, nvmlLibrary: null, timeZone: null, clock });
  if (!probe.ok) throw probe.reason;
  const { source } = probe;
  const log = new TickLog();
  const finisher = new TickFinisher(source, null);
  const to: Millis = Math.floor(clock.now() / 1000) * 1000;
  const from = to - (await simulatedHistoryMs(spec)) - AFTER_PAST_MS;
  for (let at = from; at <= to; at += SIMULATED_STEP_MS) {
    const tick = await source.sample(at);
    if (tick !== null) log.add(finisher.finish(tick));
  }
  await source.close();
  return conclude(log, { ...TICKS_TELL, name: source.name, format: 'simulation', from, to, seesXids: true });
}

/** The devices of a recording as they become known, for whoever completes its ticks. */
function sourceOf(reader: RecordingReader, path: string): Source {
  return {
    name: `${REPLAY}${path}`,
    origin: 'recorded',
    // It is known by the ticks only which there are: none can have been silent.
    devices: (): readonly Device[] => [],
    sample: () => reader.next(),
    notices: (): readonly Notice[] => reader.notices(),
    close: () => reader.close(),
  };
}
