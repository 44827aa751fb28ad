import { metric } from '../../../model/catalogue.ts';
import type { GpuProcess, ProcessKind } from '../../../model/process.ts';
import { type Absent, absent, isPresent, type Reading } from '../../../model/reading.ts';
import { commandName } from '../command-name.ts';
import { absenceIn } from '../csv/absence-words.ts';
import { MetricColumn } from '../csv/metric.ts';
import type { Slice } from '../log-devices.ts';

const MIB = 2 ** 20;
const MEMORY = new MetricColumn({ position: -1, title: '', metric: metric('memory_used_bytes'), scale: MIB });
const ENCODER = new TextEncoder();

const NOT_COLLECTED = absent('not-collected');

/** A process, and the MIG instance that it is in; null for each where there is none. */
export interface ListedProcess {
  readonly process: GpuProcess;
  readonly gpuInstance: number | null;
  readonly computeInstance: number | null;
}

/** What `C`, `G`, `C+G` and, for a client of MPS, `M` stand for. */
export function processKind(type: string): ProcessKind {
  const letters = type.toUpperCase();
  if (letters.includes('G')) return letters.length === 1 ? 'graphics' : 'compute+graphics';
  return 'compute';
}

/** `1005 MiB`, `56MiB`, or a word for why it is not told. */
export function processMemory(text: string): Reading {
  const bytes = ENCODER.encode(text);
  const value = MEMORY.read(bytes, 0, bytes.length);
  return Number.isNaN(value) ? absent(MEMORY.absence) : value;
}

/** A process id as it is printed; null for anything else. */
export function processId(text: string): number | null {
  return /^\d{1,10}$/.test(text) ? Number(text) : null;
}

/** An id of a MIG instance; null for `N/A`. */
export function instanceId(text: string): number | null {
  return /^\d{1,3}$/.test(text) ? Number(text) : null;
}

/** The texts that are printed about one process. */
export interface ProcessTexts {
  readonly pid: string;
  readonly type: string;
  readonly name: string;
  readonly memory: string;
  readonly gpuInstance: string;
  readonly computeInstance: string;
}

/** The process of some texts, or null if there is no process id among them. */
export function listedProcess(texts: ProcessTexts): ListedProcess | null {
  const pid = processId(texts.pid);
  if (pid === null) return null;
  const process: GpuProcess = {
    pid,
    kind: processKind(texts.type),
    memoryBytes: texts.memory === '' ? NOT_COLLECTED : processMemory(texts.memory),
    name: absenceIn(texts.name) === null ? commandName(texts.name.replaceAll(/\p{Cc}/gu, ' ')) : null,
    user: null,
  };
  return {
    process,
    gpuInstance: instanceId(texts.gpuInstance),
    computeInstance: instanceId(texts.computeInstance),
  };
}

/** The processes of a card: those of its instances are among them. A pid that is listed twice is one process. */
export function onCard(listed: readonly ListedProcess[]): GpuProcess[] {
  const byPid = new Map<number, GpuProcess>();
  for (const { process } of listed) {
    const before = byPid.get(process.pid);
    byPid.set(process.pid, before === undefined ? process : merged(before, process));
  }
  return [...byPid.values()];
}

/** The processes of a MIG instance, or why they cannot be listed. */
export function inInstance(
  listed: readonly ListedProcess[] | Absent,
  { gpuInstance, computeInstance }: Pick<Slice, 'gpuInstance' | 'computeInstance'>,
): readonly GpuProcess[] | Absent {
  if ('absent' in listed) return listed;
  return onCard(
    listed.filter((entry) => entry.gpuInstance === gpuInstance && entry.computeInstance === computeInstance),
  );
}

function merged(one: GpuProcess, other: GpuProcess): GpuProcess {
  const isBoth = isPresent(one.memoryBytes) && isPresent(other.memoryBytes);
  return {
    ...one,
    kind: one.kind === other.kind ? one.kind : 'compute+graphics',
    memoryBytes: isBoth ? Number(one.memoryBytes) + Number(other.memoryBytes) : one.memoryBytes,
    name: one.name ?? other.name,
  };
}
