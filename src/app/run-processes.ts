import { readFileSync } from 'node:fs';
import { isPresent } from '../model/reading.ts';
import type { Tick } from '../model/tick.ts';
import { isInHostNamespace } from '../owners/namespaces.ts';
import type { RunProcess } from '../runs/run-record.ts';

/** No family is deeper than this. */
const MOST_GENERATIONS = 64;

interface Found {
  readonly pid: number;
  name: string | null;
  readonly gpus: Set<string>;
  peakMemoryBytes: number | null;
}

/** Finds the processes of a run on GPUs: those that descend from gpulse, and those that have its environment. */
export class RunProcesses {
  readonly #mark: string;
  readonly #proc: string;
  readonly #canTell: boolean;
  readonly #isOurs = new Map<string, boolean>();
  readonly #found = new Map<number, Found>();

  /** `mark` is an entry of the environment that only the run has, `NAME=value`. */
  constructor(mark: string, proc = '/proc') {
    this.#mark = mark;
    this.#proc = proc;
    // Drivers give pids of the host: elsewhere the same number is another process.
    this.#canTell = isInHostNamespace(proc, 'pid');
  }

  observe({ devices }: Tick): void {
    if (!this.#canTell) return;
    for (const { device, processes } of devices) {
      if ('absent' in processes) continue;
      for (const { pid, name, memoryBytes, startedAt } of processes) {
        if (!this.#belongs(pid, startedAt ?? null)) continue;
        const found = this.#found.get(pid) ?? { pid, name, gpus: new Set<string>(), peakMemoryBytes: null };
        found.name = name ?? found.name;
        found.gpus.add(device.uuid);
        if (isPresent(memoryBytes)) found.peakMemoryBytes = Math.max(found.peakMemoryBytes ?? 0, memoryBytes);
        this.#found.set(pid, found);
      }
    }
  }

  list(): readonly RunProcess[] {
    return [...this.#found.values()].map((found) => ({ ...found, gpus: [...found.gpus] }));
  }

  /** UUIDs of the GPUs on which the run was seen. */
  gpus(): ReadonlySet<string> {
    return new Set([...this.#found.values()].flatMap(({ gpus }) => [...gpus]));
  }

  #belongs(pid: number, startedAt: number | null): boolean {
    const key = `${pid} ${startedAt}`;
    const known = this.#isOurs.get(key);
    if (known !== undefined) return known;
    const isOurs = this.#descends(pid) || this.#hasMark(pid);
    this.#isOurs.set(key, isOurs);
    return isOurs;
  }

  #descends(pid: number): boolean {
    let ancestor = pid;
    for (let i = 0; i < MOST_GENERATIONS && ancestor > 1; i++) {
      if (ancestor === process.pid) return pid !== process.pid;
      ancestor = this.#parentOf(ancestor);
    }
    return false;
  }

  #parentOf(pid: number): number {
    try {
      const stat = readFileSync(`${this.#proc}/${pid}/stat`, 'latin1');
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    } catch {
      return 0;
    }
  }

  /** One whose parents have ended has lost its descent, but not its environment. */
  #hasMark(pid: number): boolean {
    try {
      return readFileSync(`${this.#proc}/${pid}/environ`, 'latin1').split('\0').includes(this.#mark);
    } catch {
      return false;
    }
  }
}
