import { createReadStream, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { OutputLine, RunFacts } from '../diagnosis/run-facts.ts';
import { AppError } from '../model/errors.ts';
import { RUN_FILES, type RunRecord } from '../runs/run-record.ts';
import { findRun, runsDirectory } from '../runs/run-store.ts';
import { defaultDataDirectory } from './config.ts';

/** A run is called by its time, or is the last one. */
const RUN_ID = /^(last|\d{1,8}(-\d{0,6})?(-\d+)?)$/;

/** A word without a path or an ending is as likely meant to be a run as a file. */
const MAY_BE_RUN = /^[^./]*$/;

/** Lines of output kept; of more, every second one, again and again. */
const MOST_LINES = 40_000;
const LONGEST_LINE = 4096;

/** `2026-01-31T12:00:00.000Z err text`, as a run writes its output. */
const OUTPUT_LINE = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) (?:out|err|tty|mark) (.*)$/;

/** A run with what can be told of it beside its readings. */
export interface FoundRun {
  readonly directory: string;
  /** Null where no GPU could be read. */
  readonly recording: string | null;
  readonly facts: RunFacts;
  readonly output: readonly OutputLine[];
}

/**
 * The run that a word names by its id, its directory or `last`; null for any other word, which is the name of a file. Throws
 * RUN_NOT_FOUND, RUN_AMBIGUOUS, and REPORT_NOT_FOUND for a word that is neither.
 */
export async function findRecordedRun(word: string, data: string | null): Promise<FoundRun | null> {
  const found = statSync(word, { throwIfNoEntry: false });
  const root = runsDirectory(data ?? defaultDataDirectory(process.env));
  const isRun = found === undefined ? RUN_ID.test(word) : found.isDirectory();
  if (found === undefined && !isRun && MAY_BE_RUN.test(word)) throw notFound(word, root);
  if (!isRun) return null;
  const { directory, run } = await findRun(root, word).catch((error: unknown) => {
    const isNeither =
      found === undefined && word !== 'last' && error instanceof AppError && error.code === 'RUN_NOT_FOUND';
    throw isNeither ? notFound(word, root) : error;
  });
  const recording = join(directory, RUN_FILES.recording);
  return {
    directory,
    recording: existsSync(recording) ? recording : null,
    facts: factsOf(run),
    output: await outputIn(join(directory, RUN_FILES.output)),
  };
}

function notFound(word: string, path: string): AppError {
  return new AppError('REPORT_NOT_FOUND', { word, path });
}

function factsOf({ progress, ...run }: RunRecord): RunFacts {
  const { id, command, folder, host, user, startedAt, endedAt, exitCode, signal } = run;
  return {
    ...{ id, command, folder, host, user, startedAt, endedAt, exitCode, signal },
    steps: progress?.step ?? null,
    stepSeconds: progress?.meanStepSeconds ?? null,
  };
}

/** Empty where the output was not kept. */
async function outputIn(path: string): Promise<readonly OutputLine[]> {
  if (!existsSync(path)) return [];
  let lines: OutputLine[] = [];
  let [stride, count] = [1, 0];
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    const [, time = '', text = ''] = OUTPUT_LINE.exec(line.slice(0, LONGEST_LINE)) ?? [];
    const at = Date.parse(time);
    if (Number.isNaN(at) || count++ % stride !== 0) continue;
    lines.push({ at, text });
    if (lines.length < MOST_LINES) continue;
    lines = lines.filter((_, index) => index % 2 === 0);
    stride *= 2;
  }
  return lines;
}
