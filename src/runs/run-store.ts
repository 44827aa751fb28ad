import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { AppError } from '../model/errors.ts';
import type { Millis } from '../model/reading.ts';
import { makeDirectory } from './make-directory.ts';
import { type RunRecord, type RunState, readRun, stateOf } from './run-record.ts';

/** A run that is kept. */
export interface KeptRun {
  readonly directory: string;
  readonly run: RunRecord;
  readonly state: RunState;
  readonly bytes: number;
}

/** Where runs are kept below a data directory. */
export function runsDirectory(data: string): string {
  return join(data, 'runs');
}

/** Makes the directory of a new run, whose path is absolute; its name is its id. Throws the system's error. */
export async function createRun(root: string, at: Millis): Promise<{ id: string; directory: string }> {
  await makeDirectory(root);
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString();
  const stamp = local.slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  for (let n = 1; ; n++) {
    const id = n === 1 ? stamp : `${stamp}-${n}`;
    try {
      await mkdir(join(root, id), { mode: 0o700 });
      return { id, directory: resolve(root, id) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** Every run, the oldest first. */
export async function listRuns(root: string): Promise<readonly KeptRun[]> {
  const names = await readdir(root).catch((): string[] => []);
  const runs = await Promise.all(names.map((name) => keptRun(join(root, name))));
  return runs
    .filter((run) => run !== null)
    .sort((a, b) => a.run.startedAt - b.run.startedAt || a.run.id.localeCompare(b.run.id, 'en', { numeric: true }));
}

async function keptRun(directory: string): Promise<KeptRun | null> {
  const run = await readRun(directory);
  if (run === null) return null;
  return { directory, run, state: await stateOf(run), bytes: await sizeOf(directory) };
}

async function sizeOf(directory: string): Promise<number> {
  const names = await readdir(directory).catch((): string[] => []);
  const sizes = await Promise.all(
    names.map(async (name) => (await stat(join(directory, name)).catch(() => null))?.size ?? 0),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/**
 * The run that a word names: `last`, an id or the beginning of one, or the path of its directory. Throws RUN_NOT_FOUND or
 * RUN_AMBIGUOUS.
 */
export async function findRun(root: string, word: string): Promise<KeptRun> {
  const there = await keptRun(resolve(word));
  if (there !== null) return there;
  const runs = await listRuns(root);
  const found = word === 'last' ? runs.slice(-1) : matching(runs, word);
  const [only] = found;
  if (only === undefined) throw new AppError('RUN_NOT_FOUND', { id: word, path: root });
  if (found.length > 1) {
    throw new AppError('RUN_AMBIGUOUS', { id: word, found: found.map(({ run }) => run.id).join(', ') });
  }
  return only;
}

function matching(runs: readonly KeptRun[], word: string): readonly KeptRun[] {
  const same = runs.filter(({ run }) => run.id === word);
  return same.length > 0 || word === '' ? same : runs.filter(({ run }) => run.id.startsWith(word));
}

/** Throws RUN_GOES_ON for one that has not ended. */
export async function removeRun({ directory, run, state }: KeptRun): Promise<void> {
  if (state === 'running') throw new AppError('RUN_GOES_ON', { id: run.id });
  await rm(directory, { recursive: true, force: true });
}

/** What is kept of runs that have ended. */
export interface RunLimits {
  readonly count: number;
  readonly bytes: number;
}

/** Removes the oldest runs beyond the limits; never one that goes on, and never the newest. Gives what was removed. */
export async function pruneRuns(root: string, { count, bytes }: RunLimits): Promise<readonly KeptRun[]> {
  const newestFirst = (await listRuns(root)).toReversed();
  let sum = 0;
  const removed = newestFirst.filter((kept, i) => {
    sum += kept.bytes;
    return i > 0 && kept.state !== 'running' && (i >= count || sum > bytes);
  });
  for (const kept of removed) await removeRun(kept);
  return removed;
}
