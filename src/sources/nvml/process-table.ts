import { RECORD, RECORD_SIZE } from './process-record.ts';
import { codeOf } from './row.ts';

const SHARES_UNKNOWN = -codeOf('not-collected');
const NOBODY = -1;
const { gpu: GPU, pid: PID, kind: KIND, memory: MEMORY, sm: SM, decoder: DECODER } = RECORD;
const { gpuInstance: GPU_INSTANCE, computeInstance: COMPUTE_INSTANCE } = RECORD;

/** The processes of all GPUs in a tick, see {@link RECORD}. One per GPU, pid and MIG instance. */
export class ProcessTable {
  /** It is reused: copy what is to be kept. */
  records = new Float64Array(64 * RECORD_SIZE);
  /** How many there are. */
  count = 0;
  /** The first of the GPU that was begun last. */
  first = 0;
  readonly #byKey = new Map<number, number>();
  #gpu = 0;

  clear(): void {
    this.count = 0;
    this.begin(0);
  }

  /** The processes that follow are on another GPU. */
  begin(gpu: number): void {
    this.#gpu = gpu;
    this.first = this.count;
    this.#byKey.clear();
  }

  /** Offset of the record of a process of this GPU that runs in no instance; -1 where there is none. */
  find(pid: number): number {
    return this.#byKey.get(pid) ?? NOBODY;
  }

  /** Adds what a list of one kind of work says. The same process in two lists is one, with the memory that is known. */
  add(pid: number, kind: number, memory: number, gpuInstance: number, computeInstance: number): void {
    const key = keyOf(pid, gpuInstance, computeInstance);
    const known = this.#byKey.get(key);
    if (known !== undefined) {
      const { records } = this;
      records[known + KIND]! |= kind;
      records[known + MEMORY] = Math.max(records[known + MEMORY]!, memory);
      return;
    }
    if ((this.count + 1) * RECORD_SIZE > this.records.length) this.#grow();
    const { records } = this;
    const at = this.count++ * RECORD_SIZE;
    this.#byKey.set(key, at);
    records.fill(SHARES_UNKNOWN, at + SM, at + DECODER + 1);
    records[at + GPU] = this.#gpu;
    records[at + PID] = pid;
    records[at + KIND] = kind;
    records[at + MEMORY] = memory;
    records[at + GPU_INSTANCE] = gpuInstance;
    records[at + COMPUTE_INSTANCE] = computeInstance;
  }

  #grow(): void {
    const larger = new Float64Array(this.records.length * 2);
    larger.set(this.records);
    this.records = larger;
  }
}

/** A small integer for the usual process, in no instance: a map is fastest with those. Instance ids are below 1023. */
function keyOf(pid: number, gpuInstance: number, computeInstance: number): number {
  return pid + ((gpuInstance + 1) * 1024 + computeInstance + 1) * 2 ** 32;
}
