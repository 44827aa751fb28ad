import { CODE, type Code, NO_ID, PROCESS } from './abi.ts';
import { absenceOf, noteCode } from './answers.ts';
import { ASK, NEVER, REST } from './asking.ts';
import type { Gpu } from './gpu.ts';
import type { Nvml } from './nvml.ts';
import { COMPUTE, GRAPHICS, PARTIAL } from './process-record.ts';
import { ProcessTable } from './process-table.ts';
import { ProcessUse } from './process-use.ts';
import { codeOf } from './row.ts';
import { type SymbolName, symbol } from './symbols.ts';

interface Version {
  readonly symbol: number;
  /** Of the entries it writes. */
  readonly size: number;
}

interface List {
  readonly kind: number;
  readonly v3: Version;
  readonly v2: Version;
  readonly v1: Version;
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
  return {
    kind,
    v3: { symbol: symbol(v3), size: PROCESS.size },
    v2: { symbol: symbol(v2), size: PROCESS.size },
    v1: { symbol: symbol(v1), size: PROCESS.sizeV1 },
  };
}

/** Words of an entry. */
const PID = PROCESS.pid / 4;
const MEMORY = PROCESS.memory / 4;
const GPU_INSTANCE = PROCESS.gpuInstance / 4;
const COMPUTE_INSTANCE = PROCESS.computeInstance / 4;
const WORDS = PROCESS.size / 4;
/** Room for the longest entries that any known driver writes, whatever function it is asked by. */
const ROOM_WORDS = PROCESS.sizeLong / 4;
/** Lists grow between the answer "too small" and the next call. */
const SLACK = 32;
const TRIES = 4;
/** A driver that wants more room than for so many does not know what it says. */
const MAX_ENTRIES = 65_536;

const MAX_BYTES = 2 ** 50;
const PAGE = 4096;
/** No card is cut into more instances. */
const MAX_INSTANCE = 255;
const NO_INSTANCE = -1;

const NOT_SUPPORTED = codeOf('not-supported');
const ERROR = codeOf('error');

/** Drivers 535.43 to 535.86 wrote longer entries from the v3 calls than every other driver, and 535.98 has none. */
export function hasProcessTrap(driverVersion: string | null): boolean {
  const [major, minor] = (driverVersion ?? '').split('.').map(Number);
  return major === 535 && minor !== undefined && minor >= 43 && minor <= 98;
}

/** Newest first, except where the newest is known to be wrong, or may be, since nobody knows which driver it is. */
function versionsOf({ v3, v2, v1 }: List, driverVersion: string | null): readonly Version[] {
  if (hasProcessTrap(driverVersion)) return [v2, v1, v3];
  return driverVersion === null ? [v2, v3, v1] : [v3, v2, v1];
}

/** Lists the processes of one GPU after the other, with what each of them uses. */
export class ProcessReader {
  readonly table = new ProcessTable();
  readonly #use = new ProcessUse();
  readonly #versions: Version[][];
  readonly #size = new Uint32Array(1);
  /** A list of this GPU had an entry without a pid: somebody is there who cannot be named. */
  #isAnyNameless = false;
  #capacity = 64;
  #entries = new Uint32Array(this.#capacity * ROOM_WORDS);

  constructor(nvml: Nvml, driverVersion: string | null) {
    this.#versions = LISTS.map((list) => versionsOf(list, driverVersion).filter((version) => nvml.has(version.symbol)));
  }

  /** Begins a new tick. */
  clear(): void {
    this.table.clear();
  }

  /**
   * Appends the processes of an open GPU. Gives 0, or the code of the reason why they cannot be listed, or that code with
   * {@link PARTIAL} where one list failed and another could be read. A GPU without a list of one kind has nobody of that
   * kind; but a list in which nobody stands, where that of computing processes failed, would claim that nobody is there.
   */
  read(nvml: Nvml, gpu: Gpu, position: number): number {
    const { table } = this;
    table.begin(position);
    gpu.ticks++;
    this.#isAnyNameless = false;
    const compute = this.#readList(nvml, gpu, 0);
    const graphics = this.#readSeldom(nvml, gpu, 1);
    const mps = this.#readSeldom(nvml, gpu, 2);
    this.#use.read(nvml, gpu, table);
    const failure = failureIn(compute) || failureIn(graphics) || failureIn(mps) || (this.#isAnyNameless ? ERROR : 0);
    // Without a list of those who compute, a list in which nobody stands would claim that nobody is there.
    if (failure === 0 && compute === NOT_SUPPORTED) {
      return table.count === table.first ? NOT_SUPPORTED : PARTIAL | NOT_SUPPORTED;
    }
    if (failure === 0) return 0;
    if (compute !== 0 && graphics !== 0 && mps !== 0) return failure;
    const isNobodyFound = table.count === table.first;
    return compute !== 0 && isNobodyFound ? failure : PARTIAL | failure;
  }

  /** A list in which nobody stood is looked at again in every second tick only: most GPUs never have anyone there. */
  #readSeldom(nvml: Nvml, gpu: Gpu, list: number): number {
    const { wereEmpty } = gpu;
    if (wereEmpty[list] === 1 && gpu.ticks % 2 !== list % 2) return 0;
    this.#size[0] = 0;
    const answer = this.#readList(nvml, gpu, list);
    wereEmpty[list] = answer === 0 && this.#size[0] === 0 ? 1 : 0;
    return answer;
  }

  /** Gives 0 or the code of a reason. */
  #readList(nvml: Nvml, gpu: Gpu, list: number): number {
    if (gpu.askingProcesses[list] !== ASK) return gpu.listReasons[list]!;
    const versions = this.#versions[list]!;
    let code: Code = CODE.functionNotFound;
    while (versions.length > 0) {
      code = this.#call(nvml, gpu, versions[0]!.symbol);
      if (code !== CODE.functionNotFound && code !== CODE.argumentVersionMismatch) break;
      versions.shift();
    }
    noteCode(gpu, code);
    if (code === CODE.ok && !this.#take(list, versions[0]!.size, gpu.mig)) return ERROR;
    if (code === CODE.ok) {
      gpu.provenLists[list] = 1;
      return 0;
    }
    const reason = absenceOf(code);
    gpu.listReasons[list] = codeOf(reason);
    if (reason === 'no-permission') gpu.askingProcesses[list] = REST;
    if (reason === 'not-supported') gpu.askingProcesses[list] = gpu.provenLists[list] === 1 ? REST : NEVER;
    return codeOf(reason);
  }

  #call(nvml: Nvml, gpu: Gpu, call: number): Code {
    let code: Code = CODE.insufficientSize;
    for (let attempt = 0; attempt < TRIES && code === CODE.insufficientSize; attempt++) {
      if (attempt > 0 && !this.#grow(this.#size[0]! + SLACK * attempt)) return code;
      this.#size[0] = this.#capacity;
      // What an earlier call left behind must not pass for an entry of this one.
      this.#entries.fill(0);
      code = nvml.call(call, gpu.handle, this.#size, this.#entries);
    }
    return code;
  }

  /** False where nobody can need so much. */
  #grow(needed: number): boolean {
    if (needed > MAX_ENTRIES) return false;
    if (needed > this.#capacity) {
      this.#capacity = needed;
      this.#entries = new Uint32Array(needed * ROOM_WORDS);
    }
    return true;
  }

  /** False where the driver says that it wrote more than there is room for: then nobody knows what it wrote. */
  #take(list: number, size: number, isMig: boolean): boolean {
    const found = this.#size[0]!;
    if (found > this.#capacity) return false;
    const words = this.#wordsPerEntry(found, size / 4);
    const { kind } = LISTS[list]!;
    const entries = this.#entries;
    // Without MIG the ids mean nothing, and need not be the same in two lists.
    const hasInstances = isMig && size !== PROCESS.sizeV1;
    for (let i = 0; i < found; i++) {
      const at = i * words;
      const pid = entries[at + PID]!;
      if (!isPid(pid)) {
        this.#isAnyNameless = true;
        continue;
      }
      const memory = memoryOf(entries[at + MEMORY + 1]!, entries[at + MEMORY]!);
      const gpuInstance = hasInstances ? instanceOf(entries[at + GPU_INSTANCE]!) : NO_INSTANCE;
      const computeInstance = hasInstances ? instanceOf(entries[at + COMPUTE_INSTANCE]!) : NO_INSTANCE;
      this.table.add(pid, kind, memory, gpuInstance, computeInstance);
    }
    return true;
  }

  /**
   * Whether the entries are longer than they should be: more was written than so many entries of the right length take,
   * and read with that length, memory passes for a pid or an instance, or a pid for memory.
   */
  #wordsPerEntry(found: number, words: number): number {
    if (words !== WORDS || found < 2) return words;
    const entries = this.#entries;
    const end = found * ROOM_WORDS;
    let at = found * words;
    while (at < end && entries[at] === 0) at++;
    const isLonger = at < end;
    if (!isLonger || (this.#isPlausible(found, words) && this.#isInPages(found, words))) return words;
    return this.#isPlausible(found, ROOM_WORDS) ? ROOM_WORDS : words;
  }

  #isPlausible(found: number, words: number): boolean {
    const entries = this.#entries;
    for (let i = 0; i < found; i++) {
      const at = i * words;
      if (!isPid(entries[at + PID]!)) return false;
      if (!isInstance(entries[at + GPU_INSTANCE]!)) return false;
      if (!isInstance(entries[at + COMPUTE_INSTANCE]!)) return false;
    }
    return true;
  }

  /** Drivers give memory out in whole pages. */
  #isInPages(found: number, words: number): boolean {
    for (let i = 0; i < found; i++) {
      const low = this.#entries[i * words + MEMORY]!;
      if (low % PAGE !== 0 && low !== 0xffffffff) return false;
    }
    return true;
  }
}

/** The answer of one list, unless it is that there is no such list. */
function failureIn(answer: number): number {
  return answer === NOT_SUPPORTED ? 0 : answer;
}

function isPid(pid: number): boolean {
  return pid !== 0 && pid !== NO_ID;
}

function isInstance(id: number): boolean {
  return id === NO_ID || id <= MAX_INSTANCE;
}

function instanceOf(id: number): number {
  return id <= MAX_INSTANCE ? id : NO_INSTANCE;
}

/** All ones is the documented "not available", as under WSL. */
function memoryOf(high: number, low: number): number {
  if (high === 0xffffffff && low === 0xffffffff) return -NOT_SUPPORTED;
  const bytes = high * 2 ** 32 + low;
  return bytes <= MAX_BYTES ? bytes : -ERROR;
}
