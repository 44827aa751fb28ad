import type { GpuProcess, ProcessKind } from '../../model/process.ts';
import { absent, type Reading } from '../../model/reading.ts';
import type { Client } from './clients.ts';
import type { EngineClass } from './fdinfo.ts';
import type { DeviceUse, GpuReader } from './gpu-reader.ts';

const NOT_SUPPORTED = absent('not-supported');
const NOT_COLLECTED = absent('not-collected');

interface Entry {
  readonly pid: number;
  deviceBytes: number | null;
  systemBytes: number | null;
  hasEngines: boolean;
  readonly used: Set<EngineClass>;
  /** Sums per group of engines; null where a rate needs another look. */
  readonly ratios: Map<EngineClass, number | null>;
  /** What the driver's own list of compute processes says; null where it is not in it. */
  compute: Reading | null;
}

/** The processes on one GPU, by pid, out of its clients and of the driver's own list of compute processes. */
export function listProcesses(
  clients: readonly Client[],
  compute: ReadonlyMap<number, Reading> | undefined,
  reader: GpuReader,
): GpuProcess[] {
  const entries = new Map<number, Entry>();
  for (const client of clients) if (!isUnused(client)) addClient(entryOf(entries, client.pid), client);
  for (const [pid, bytes] of compute ?? []) entryOf(entries, pid).compute = bytes;
  return [...entries.values()].sort((a, b) => a.pid - b.pid).map((entry) => toProcess(entry, reader));
}

/** What the clients of one GPU use of it together. */
export function sumUse(clients: readonly Client[], isComplete: boolean): DeviceUse {
  const ratios = new Map<EngineClass, number>();
  let deviceBytes = 0;
  let systemBytes = 0;
  let counting = 0;
  let waiting = 0;
  for (const client of clients) {
    deviceBytes += client.deviceBytes ?? 0;
    systemBytes += client.systemBytes ?? 0;
    if (client.hasEngines) counting++;
    for (const [engine, ratio] of client.ratios) {
      if (ratio === null) waiting++;
      else ratios.set(engine, Math.min(1, (ratios.get(engine) ?? 0) + ratio));
    }
  }
  const isWaiting = waiting > 0 && ratios.size === 0;
  const noRatios = counting < clients.length ? 'not-supported' : isWaiting ? 'not-collected' : null;
  return { isComplete, clients: clients.length, ratios, noRatios, deviceBytes, systemBytes };
}

function entryOf(entries: Map<number, Entry>, pid: number): Entry {
  let entry = entries.get(pid);
  if (entry === undefined) {
    entry = {
      pid,
      deviceBytes: null,
      systemBytes: null,
      hasEngines: false,
      used: new Set(),
      ratios: new Map(),
      compute: null,
    };
    entries.set(pid, entry);
  }
  return entry;
}

/** Compute libraries open every GPU, and go on with some of them. */
function isUnused({ deviceBytes, systemBytes, used }: Client): boolean {
  return deviceBytes === 0 && (systemBytes ?? 0) === 0 && used.size === 0;
}

function addClient(entry: Entry, { deviceBytes, systemBytes, hasEngines, used, ratios }: Client): void {
  entry.hasEngines ||= hasEngines;
  for (const engine of used) entry.used.add(engine);
  entry.deviceBytes = sum(entry.deviceBytes, deviceBytes);
  entry.systemBytes = sum(entry.systemBytes, systemBytes);
  for (const [engine, ratio] of ratios) entry.ratios.set(engine, sum(entry.ratios.get(engine) ?? null, ratio));
}

function sum(a: number | null, b: number | null): number | null {
  return a === null ? b : a + (b ?? 0);
}

function toProcess(entry: Entry, { isIntegrated, hasUnifiedVideo }: GpuReader): GpuProcess {
  const { pid } = entry;
  return {
    pid,
    kind: kindOf(entry),
    memoryBytes: memoryOf(entry, isIntegrated),
    name: null,
    user: null,
    smRatio: workRatio(entry),
    encoderRatio: hasUnifiedVideo ? NOT_SUPPORTED : shareOf(entry, 'encode'),
    decoderRatio: hasUnifiedVideo ? NOT_SUPPORTED : shareOf(entry, 'decode'),
  };
}

/** By what it has ever used; one that has used nothing yet is a client of the display. */
function kindOf({ used, compute }: Entry): ProcessKind {
  const computes = compute !== null || used.has('compute');
  if (!computes) return 'graphics';
  return used.has('graphics') ? 'compute+graphics' : 'compute';
}

/** The list of compute processes leaves out what they draw with, and may be newer: the larger figure is the truer one. */
function memoryOf({ deviceBytes, systemBytes, compute }: Entry, isIntegrated: boolean): Reading {
  const own = isIntegrated ? sum(deviceBytes, systemBytes) : deviceBytes;
  if (typeof compute === 'number') return Math.max(compute, own ?? 0);
  return own ?? compute ?? NOT_SUPPORTED;
}

/** Compute queues that a process feeds by itself pass the driver by, and its counters: no count of them is not zero. */
function workRatio({ hasEngines, ratios, compute }: Entry): Reading {
  const graphics = ratios.get('graphics');
  const computes = ratios.get('compute');
  if (compute !== null && computes === undefined) return NOT_SUPPORTED;
  if (graphics === undefined && computes === undefined) return hasEngines ? 0 : NOT_SUPPORTED;
  if (graphics == null && computes == null) return NOT_COLLECTED;
  return Math.min(1, (graphics ?? 0) + (computes ?? 0));
}

function shareOf({ hasEngines, ratios }: Entry, engine: EngineClass): Reading {
  const ratio = ratios.get(engine);
  if (ratio === undefined) return hasEngines ? 0 : NOT_SUPPORTED;
  return ratio === null ? NOT_COLLECTED : Math.min(1, ratio);
}
