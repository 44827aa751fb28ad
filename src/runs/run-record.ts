import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Millis } from '../model/reading.ts';
import type { RunProgress } from './progress.ts';

/** The names of what a run leaves in its directory. */
export const RUN_FILES = {
  /** Who, when, how it ended, in short. */
  record: 'run.json',
  /** What the GPUs did. */
  recording: 'recording.ndjson.gz',
  /** Every line of the output with its time. */
  output: 'output.log',
  /** Where the program may write markers. */
  markers: 'markers',
} as const;

/** What a GPU did while the run lasted. Null for what its driver does not tell. */
export interface RunGpu {
  readonly uuid: string;
  readonly index: number;
  readonly name: string;
  readonly meanUtilization: number | null;
  readonly p95Utilization: number | null;
  readonly peakMemoryBytes: number | null;
  readonly memoryBytes: number | null;
  readonly energyJoules: number | null;
}

/** A process of the run that was on a GPU. */
export interface RunProcess {
  readonly pid: number;
  readonly name: string | null;
  /** UUIDs. */
  readonly gpus: readonly string[];
  readonly peakMemoryBytes: number | null;
}

/** A cause that the report names. */
export interface RunFinding {
  readonly rule: string;
  readonly state: string;
  readonly severity: string;
  readonly lostSeconds: number;
}

/** `run.json`. */
export interface RunRecord {
  readonly version: 1;
  readonly id: string;
  readonly command: readonly string[];
  readonly folder: string;
  readonly host: string;
  readonly user: string;
  /** Of the gpulse that records it, to tell a run that goes on from one whose recorder was killed. */
  readonly recorder: { readonly pid: number; readonly startTicks: string | null };
  readonly startedAt: Millis;
  readonly endedAt: Millis | null;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Why no GPU could be read; null where it could. */
  readonly noGpu: string | null;
  readonly source: string | null;
  readonly gpus: readonly RunGpu[];
  readonly processes: readonly RunProcess[];
  readonly progress: RunProgress | null;
  readonly findings: readonly RunFinding[];
}

/** Replaces the file as a whole, so that nobody reads half of it. Throws the system's error. */
export async function writeRun(directory: string, run: RunRecord): Promise<void> {
  const path = join(directory, RUN_FILES.record);
  await writeFile(`${path}.new`, `${JSON.stringify(run, null, 2)}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** Null where there is none, or it cannot be read. */
export async function readRun(directory: string): Promise<RunRecord | null> {
  try {
    const run: unknown = JSON.parse(await readFile(join(directory, RUN_FILES.record), 'utf8'));
    return isRun(run) ? run : null;
  } catch {
    return null;
  }
}

function isRun(value: unknown): value is RunRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { id, command, startedAt, gpus } = value as Record<string, unknown>;
  return typeof id === 'string' && Array.isArray(command) && typeof startedAt === 'number' && Array.isArray(gpus);
}

/** How a run stands: `broken` where its recorder ended before it could say how the run ended. */
export type RunState = 'running' | 'ended' | 'broken';

export async function stateOf({ endedAt, recorder }: RunRecord): Promise<RunState> {
  if (endedAt !== null) return 'ended';
  const ticks = await startTicks(recorder.pid);
  return ticks !== null && ticks === recorder.startTicks ? 'running' : 'broken';
}

/** When a process was started, in ticks since boot: with its pid that names it for good. Null where it is gone. */
export async function startTicks(pid: number): Promise<string | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
