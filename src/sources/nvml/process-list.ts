import type { GpuProcess, ProcessKind } from '../../model/process.ts';
import { absent, isPresent, type Reading } from '../../model/reading.ts';
import { absenceReason } from '../../model/reading-set.ts';
import { COMPUTE, GRAPHICS, RECORD, RECORD_SIZE } from './process-record.ts';

const NO_INSTANCE = -1;

/**
 * The processes in the records of a tick, a list per GPU. One that runs in several MIG instances of a GPU is one. `totals`
 * is the memory of each GPU: more than that is held by nobody.
 */
export function readProcesses(records: Float64Array, totals: readonly (number | null)[]): readonly GpuProcess[][] {
  const lists = totals.map((): GpuProcess[] => []);
  for (let at = 0; at < records.length; at += RECORD_SIZE) {
    const gpu = records[at + RECORD.gpu]!;
    const list = lists[gpu]!;
    const process = readProcess(records, at, totals[gpu] ?? Number.POSITIVE_INFINITY);
    const isInInstance = records[at + RECORD.gpuInstance] !== NO_INSTANCE;
    const before = isInInstance ? list.findIndex(({ pid }) => pid === process.pid) : -1;
    if (before < 0) list.push(process);
    else list[before] = together(list[before]!, process);
  }
  return lists;
}

function readProcess(records: Float64Array, at: number, total: number): GpuProcess {
  const memory = records[at + RECORD.memory]!;
  return {
    pid: records[at + RECORD.pid]!,
    kind: kindOf(records[at + RECORD.kind]!),
    memoryBytes: memory > total ? absent('error') : readingOf(memory),
    name: null,
    user: null,
    smRatio: readingOf(records[at + RECORD.sm]!),
    memoryRatio: readingOf(records[at + RECORD.memoryUse]!),
    encoderRatio: readingOf(records[at + RECORD.encoder]!),
    decoderRatio: readingOf(records[at + RECORD.decoder]!),
  };
}

/** Each instance has memory of its own. A sum of which a part is unknown is unknown. */
function together(a: GpuProcess, b: GpuProcess): GpuProcess {
  return {
    ...a,
    kind: a.kind === b.kind ? a.kind : 'compute+graphics',
    memoryBytes: sumOf(a.memoryBytes, b.memoryBytes),
  };
}

function sumOf(a: Reading, b: Reading): Reading {
  if (!isPresent(a)) return a;
  return isPresent(b) ? a + b : b;
}

function readingOf(number: number): Reading {
  return number >= 0 ? number : absent(absenceReason(-number));
}

function kindOf(bits: number): ProcessKind {
  if (bits === (COMPUTE | GRAPHICS)) return 'compute+graphics';
  return bits === GRAPHICS ? 'graphics' : 'compute';
}
