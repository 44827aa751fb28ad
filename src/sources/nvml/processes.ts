import { CODE, type Code, PROCESS } from './abi.ts';
import { absenceOf, noteCode } from './answers.ts';
import { type Gpu, NEVER, REST } from './gpu.ts';
import type { Nvml } from './nvml.ts';
import { codeOf } from './row.ts';
import { type SymbolName, symbol } from './symbols.ts';

/** Numbers per process in the records: position of the GPU, pid, kind, and bytes or minus the code of a reason. */
export const RECORD_SIZE = 4;

/** Kind in a record: a bit set. MPS clients compute. */
export const COMPUTE = 1;
export const GRAPHICS = 2;

interface List {
  readonly kind: number;
  /** Newest first, with the size of the entries it writes. */
  readonly versions: readonly { readonly symbol: number; readonly size: number }[];
}

const LISTS: readonly List[] = [
  listOf(COMPUTE, [
    'nvmlDeviceGetComputeRunningProcesses_v3',
    'nvmlDeviceGetComputeRunningProcesses_v2',
    'nvmlDeviceGetComputeRunningProcesses',
  ]),
  listOf(GRAPHICS, [
    'nvmlDeviceGetGraphicsRunningProcesses_v3',
    'nvmlDeviceGetGraphicsRunningProcesses_v2',
    'nvmlDeviceGetGraphicsRunningProcesses',
  ]),
  listOf(COMPUTE, [
    'nvmlDeviceGetMPSComputeRunningProcesses_v3',
    'nvmlDeviceGetMPSComputeRunningProcesses_v2',
    'nvmlDeviceGetMPSComputeRunningProcesses',
  ]),
];

function listOf(kind: number, [v3, v2, v1]: readonly [SymbolName, SymbolName, SymbolName]): List {
  const versions = [
    { symbol: symbol(v3), size: PROCESS.size },
    { symbol: symbol(v2), size: PROCESS.size },
    { symbol: symbol(v1), size: PROCESS.sizeV1 },
  ];
  return { kind, versions };
}

/** Room for 32 bytes each: no known driver writes more, whatever function it is asked by. */
const ROOM_PER_ENTRY = 32;
/** Lists grow between the answer "too small" and the next call. */
const SLACK = 32;
const TRIES = 4;

const MAX_BYTES = 2 ** 50;
const NOT_SUPPORTED = codeOf('not-supported');
const NO_PERMISSION = codeOf('no-permission');
const MEMORY_UNKNOWN = -NOT_SUPPORTED;
const MEMORY_ERROR = -codeOf('error');

/** Drivers 535.43 to 535.86 wrote longer entries from the v3 calls than every other driver, and 535.98 has none. */
export function hasProcessTrap(driverVersion: string | null): boolean {
  const [major, minor] = (driverVersion ?? '').split('.').map(Number);
  return major === 535 && minor !== undefined && minor >= 43 && minor <= 98;
}

/** Lists the processes of one GPU after the other into one array of records. */
export class ProcessReader {
  /** {@link RECORD_SIZE} numbers per process. It is reused: copy what is to be kept. */
  records = new Float64Array(64 * RECORD_SIZE);
  count = 0;
  readonly #versions: List['versions'][];
  readonly #size = new Uint32Array(1);
  #capacity = 64;
  #entries = new Uint32Array((this.#capacity * ROOM_PER_ENTRY) / 4);
  readonly #byPid = new Map<number, number>();

  constructor(nvml: Nvml, driverVersion: string | null) {
    const first = hasProcessTrap(driverVersion) ? 1 : 0;
    this.#versions = LISTS.map(({ versions }) => versions.slice(first).filter((version) => nvml.has(version.symbol)));
  }

  /** Begins a new tick. */
  clear(): void {
    this.count = 0;
  }

  /**
   * Appends the processes of an open GPU; a pid in several lists is one process. Gives 0, or the code of the reason why
   * they cannot be listed. The compute list decides, and the graphics list where there is no compute list: without them
   * an empty list would claim that nobody is there.
   */
  read(nvml: Nvml, gpu: Gpu, position: number): number {
    const first = this.count;
    this.#byPid.clear();
    const compute = this.#readList(nvml, gpu, position, 0);
    const graphics = this.#readList(nvml, gpu, position, 1);
    this.#readList(nvml, gpu, position, 2);
    const answer = compute === NOT_SUPPORTED ? graphics : compute;
    if (answer !== 0) this.count = first;
    return answer;
  }

  /** Gives 0 or the code of a reason. */
  #readList(nvml: Nvml, gpu: Gpu, position: number, list: number): number {
    if (gpu.askingProcesses[list] === NEVER) return NOT_SUPPORTED;
    if (gpu.askingProcesses[list] === REST) return NO_PERMISSION;
    const [version] = this.#versions[list]!;
    const code = version === undefined ? CODE.functionNotFound : this.#call(nvml, gpu, version.symbol);
    noteCode(gpu, code);
    if (code === CODE.ok && version !== undefined) this.#take(list, position, version.size / 4);
    if (code === CODE.ok || code === CODE.notFound) return 0;
    const reason = absenceOf(code);
    if (reason === 'no-permission') gpu.askingProcesses[list] = REST;
    if (reason === 'not-supported') gpu.askingProcesses[list] = NEVER;
    return codeOf(reason);
  }

  #call(nvml: Nvml, gpu: Gpu, call: number): Code {
    let code: Code = CODE.insufficientSize;
    for (let attempt = 0; attempt < TRIES && code === CODE.insufficientSize; attempt++) {
      if (attempt > 0) this.#grow(this.#size[0]! + SLACK * attempt);
      this.#size[0] = this.#capacity;
      code = nvml.call(call, gpu.handle, this.#size, this.#entries);
    }
    return code;
  }

  #grow(needed: number): void {
    if (needed <= this.#capacity) return;
    this.#capacity = needed;
    this.#entries = new Uint32Array((needed * ROOM_PER_ENTRY) / 4);
  }

  #take(list: number, position: number, words: number): void {
    const { kind } = LISTS[list]!;
    const found = Math.min(this.#size[0]!, this.#capacity);
    for (let i = 0; i < found; i++) {
      const at = i * words;
      const pid = this.#entries[at + PROCESS.pid / 4]!;
      const low = this.#entries[at + PROCESS.memory / 4]!;
      const high = this.#entries[at + PROCESS.memory / 4 + 1]!;
      this.#add(position, pid, kind, memoryOf(high, low));
    }
  }

  #add(position: number, pid: number, kind: number, memory: number): void {
    const known = this.#byPid.get(pid);
    if (known === undefined) {
      if ((this.count + 1) * RECORD_SIZE > this.records.length) this.#growRecords();
      const at = this.count++ * RECORD_SIZE;
      this.#byPid.set(pid, at);
      this.records[at] = position;
      this.records[at + 1] = pid;
      this.records[at + 2] = kind;
      this.records[at + 3] = memory;
      return;
    }
    const before = this.records[known + 3]!;
    // Twice in one list: it runs in two MIG instances, each with memory of its own. In two lists: the same memory.
    const isSameList = (this.records[known + 2]! & kind) !== 0 && before >= 0 && memory >= 0;
    this.records[known + 2]! |= kind;
    this.records[known + 3] = isSameList ? before + memory : Math.max(before, memory);
  }

  #growRecords(): void {
    const larger = new Float64Array(this.records.length * 2);
    larger.set(this.records);
    this.records = larger;
  }
}

/** All ones is the documented "not available", as under WSL. */
function memoryOf(high: number, low: number): number {
  if (high === 0xffffffff && low === 0xffffffff) return MEMORY_UNKNOWN;
  const bytes = high * 2 ** 32 + low;
  return bytes <= MAX_BYTES ? bytes : MEMORY_ERROR;
}
