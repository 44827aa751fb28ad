import type { Clock } from '../../model/clock.ts';
import { absent } from '../../model/reading.ts';
import { isInHostNamespace } from '../namespaces.ts';
import { CommandLineReader } from './command-line.ts';
import { BootTime, readKernelUnits } from './kernel-units.ts';
import { readProcFile } from './proc-file.ts';
import { parseProcStat } from './proc-stat.ts';
import { type EntryTools, ProcessEntry, type ProcessLook } from './process-entry.ts';
import type { UserNames } from './users.ts';

/** How often the CPU time is read where nobody asks for more, and with it the start time, which tells a reused pid. */
const USAGE_MS = 5000;

/** How long a pid that procfs does not have is not looked for again: it is a process of another pid namespace. */
const MISSING_MS = 5000;

/** A process nobody has asked for during this time is forgotten when another one comes. */
const FORGET_MS = 60_000;

/** Nobody waits longer for a command line: the process is named by the kernel's short name until it is there. */
const NAMING_LIMIT_MS = 100;

const UNKNOWN: ProcessLook = {
  name: null,
  user: null,
  command: null,
  startedAt: null,
  cpuRatio: absent('not-found'),
  hostMemoryBytes: absent('not-found'),
  place: null,
  seenAt: Number.POSITIVE_INFINITY,
};

const NOT_LOOKED: ProcessLook = {
  ...UNKNOWN,
  cpuRatio: absent('not-collected'),
  hostMemoryBytes: absent('not-collected'),
};

/**
 * Describes processes by pid, cached by (pid, start time) so that a reused pid is never given the old name.
 *
 * GPU drivers report pids of the host. In a private pid namespace the same number is some other process, so nothing is
 * looked up there: no name is better than a wrong one.
 */
export class ProcessDirectory {
  readonly #root: string;
  readonly #usageMs: number;
  readonly #tools: EntryTools;
  readonly #entries = new Map<number, ProcessEntry>();
  /** Pids that were looked for in vain, with the monotonic time of it. */
  readonly #missing = new Map<number, number>();
  readonly #isEnabled: boolean;
  #naming: Promise<void>[] = [];

  /** `root` is where procfs is mounted; `usageMs` how often the CPU time is read, in milliseconds. */
  constructor(root: string, clock: Clock, users: UserNames, usageMs = USAGE_MS) {
    this.#root = root;
    this.#usageMs = usageMs;
    this.#isEnabled = isInHostNamespace(root, 'pid');
    this.#tools = {
      clock,
      users,
      units: readKernelUnits(root),
      bootTime: new BootTime(root, clock),
      commandLines: new CommandLineReader(),
    };
  }

  /** The process that has this pid now; every part null or absent where it is gone or may not be seen. */
  look(pid: number): ProcessLook {
    if (!this.#isEnabled) return NOT_LOOKED;
    const now = this.#tools.clock.monotonic();
    const known = this.#entries.get(pid);
    if (known !== undefined && now - known.measuredAt < this.#usageMs) return known.look();
    const missedAt = this.#missing.get(pid);
    if (missedAt !== undefined && now - missedAt < MISSING_MS) return UNKNOWN;
    const folder = `${this.#root}/${pid}`;
    const stat = parseProcStat(readProcFile(`${folder}/stat`) ?? '');
    if (stat === null) {
      this.#entries.delete(pid);
      if (missedAt === undefined) this.#forgetMissing(now);
      this.#missing.set(pid, now);
      return UNKNOWN;
    }
    this.#missing.delete(pid);
    if (known?.startTicks === stat.startTicks) {
      known.measure(stat);
      return known.look();
    }
    const entry = new ProcessEntry(folder, this.#tools, stat);
    this.#forgetOld(entry.measuredAt - FORGET_MS);
    this.#entries.set(pid, entry);
    this.#naming.push(entry.readCommandLine());
    return entry.look();
  }

  #forgetMissing(now: number): void {
    for (const [pid, at] of this.#missing) if (now - at > FORGET_MS) this.#missing.delete(pid);
  }

  #forgetOld(before: number): void {
    for (const [pid, { measuredAt }] of this.#entries) if (measuredAt < before) this.#entries.delete(pid);
  }

  /**
   * Resolves once the processes met since the last call have their full names, or after a tenth of a second; null where
   * there are none.
   */
  named(): Promise<void> | null {
    if (this.#naming.length === 0) return null;
    const naming = Promise.all(this.#naming);
    this.#naming = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = this.#tools.clock.after(NAMING_LIMIT_MS, resolve);
    void naming.then(() => {
      stop();
      resolve();
    });
    return promise;
  }
}
