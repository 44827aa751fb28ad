import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** What is measured; `GPULSE=/path/to/gpulse` measures another build. */
export const GPULSE = process.env['GPULSE'] ?? resolve(import.meta.dirname, '../bin/gpulse');
const FAKE_NVML = resolve(import.meta.dirname, '../testdata/fake-nvml/build/new/libnvidia-ml.so.1');

/** Arguments that make gpulse read the fake NVIDIA library. */
export const ON_FAKE_NVML = ['--nvml-library', FAKE_NVML] as const;

const CLOCK_TICKS_PER_SECOND = 100;

/** User and system CPU time of a process and its threads so far, in seconds: proc(5), fields 14 and 15. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND;
}

/** Resident memory of a process in bytes. */
export function residentBytes(pid: number): number {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) * 1024;
}

/** Starts a command and resolves when its output matches `ready`. */
export async function start(
  command: string,
  args: readonly string[],
  ready: RegExp,
  env: Record<string, string> = {},
): Promise<ChildProcess & { readonly pid: number; readonly announced: string }> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } });
  const announced = await new Promise<string>((resolve, reject) => {
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const match = ready.exec(output)?.[0];
      if (match !== undefined) resolve(match);
    });
    child.once('exit', (code) => reject(new Error(`${command} ended with ${code}`)));
  });
  if (child.pid === undefined) throw new Error(`${command} did not start`);
  return Object.assign(child, { pid: child.pid, announced });
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
