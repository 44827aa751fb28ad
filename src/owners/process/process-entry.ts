import { statSync } from 'node:fs';
import type { Clock } from '../../model/clock.ts';
import { absent, type Millis, type Reading } from '../../model/reading.ts';
import { type CgroupPlace, parseCgroup } from '../cgroup/cgroup.ts';
import { type CommandLineReader, printable } from './command-line.ts';
import type { BootTime, KernelUnits } from './kernel-units.ts';
import { readProcFile } from './proc-file.ts';
import type { ProcStat } from './proc-stat.ts';
import type { UserNames } from './users.ts';

/** What procfs tells of a process. The same object is given out again for as long as nothing in it has changed. */
export interface ProcessLook {
  readonly name: string | null;
  readonly user: string | null;
  readonly command: string | null;
  readonly startedAt: Millis | null;
  readonly cpuRatio: Reading;
  readonly hostMemoryBytes: Reading;
  readonly place: CgroupPlace | null;
  /** Monotonic time at which it was seen first. */
  readonly seenAt: number;
}

/** How often the rest is read again: some programs rename themselves, and a process can be moved to another cgroup. */
const REFRESH_MS = 30_000;

/** What the entries of one directory share. */
export interface EntryTools {
  readonly clock: Clock;
  readonly users: UserNames;
  readonly units: KernelUnits;
  readonly bootTime: BootTime;
  readonly commandLines: CommandLineReader;
}

/** One process: a pid with a start time. */
export class ProcessEntry {
  readonly startTicks: string;
  /** Monotonic time of the newest {@link measure}. */
  measuredAt: number;
  readonly #folder: string;
  readonly #tools: EntryTools;
  #look: ProcessLook;
  #cpuTicks: number | null;
  #comm: string;
  #uid: number | null = null;
  #usersVersion = 0;
  #cgroup: string | null = null;
  #refreshedAt: number;
  #isReading = false;

  /** `folder` is its place in procfs, and `stat` what was just read there. */
  constructor(folder: string, tools: EntryTools, stat: ProcStat) {
    const now = tools.clock.monotonic();
    this.startTicks = stat.startTicks;
    this.measuredAt = now;
    this.#folder = folder;
    this.#tools = tools;
    this.#cpuTicks = stat.cpuTicks;
    this.#comm = stat.command;
    this.#refreshedAt = now;
    this.#look = {
      name: printable(stat.command),
      user: null,
      command: null,
      startedAt: startOf(stat, tools),
      cpuRatio: absent('not-collected'),
      hostMemoryBytes: memoryOf(stat, tools),
      place: null,
      seenAt: now,
    };
    this.#readOwner();
  }

  look(): ProcessLook {
    // A name may have come from the name service meanwhile.
    if (this.#usersVersion !== this.#tools.users.version) this.#change({ user: this.#user() });
    return this.#look;
  }

  /** Takes a newer stat line of the same process. */
  measure(stat: ProcStat): void {
    const now = this.#tools.clock.monotonic();
    const elapsed = (now - this.measuredAt) / 1000;
    const used = stat.cpuTicks === null || this.#cpuTicks === null ? null : stat.cpuTicks - this.#cpuTicks;
    this.measuredAt = now;
    this.#cpuTicks = stat.cpuTicks;
    this.#change({
      cpuRatio: used === null || used < 0 ? absent('error') : used / this.#tools.units.ticksPerSecond / elapsed,
      hostMemoryBytes: memoryOf(stat, this.#tools),
    });
    if (now - this.#refreshedAt < REFRESH_MS && stat.command === this.#comm) return;
    this.#comm = stat.command;
    this.#refreshedAt = now;
    this.#readOwner();
    void this.readCommandLine();
  }

  /** Names it by its first argument, as gpustat and nvidia-smi do, where the kernel has only a short name of a thread. */
  async readCommandLine(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    const line = await this.#tools.commandLines.read(`${this.#folder}/cmdline`);
    this.#isReading = false;
    if (line === null) return;
    const name = line.program ?? printable(this.#comm);
    if (name !== this.#look.name || line.text !== this.#look.command) this.#change({ name, command: line.text });
  }

  #readOwner(): void {
    const cgroup = readProcFile(`${this.#folder}/cgroup`);
    if (cgroup !== null && cgroup !== this.#cgroup) {
      this.#cgroup = cgroup;
      this.#change({ place: parseCgroup(cgroup) });
    }
    const uid = readUid(this.#folder);
    if (uid === null || uid === this.#uid) return;
    this.#uid = uid;
    this.#change({ user: this.#user() });
  }

  #user(): string | null {
    const { users } = this.#tools;
    const user = this.#uid === null ? null : users.nameOf(this.#uid);
    this.#usersVersion = users.version;
    return user;
  }

  #change(part: Partial<ProcessLook>): void {
    this.#look = { ...this.#look, ...part };
  }
}

/** The real user id. The owner of the folder is root where the process has made itself unreadable. */
function readUid(folder: string): number | null {
  const uid = /^Uid:\s+(\d+)/m.exec(readProcFile(`${folder}/status`) ?? '')?.[1];
  if (uid !== undefined) return Number(uid);
  try {
    return statSync(folder).uid;
  } catch {
    return null;
  }
}

function startOf({ startTicks }: ProcStat, { units, bootTime }: EntryTools): Millis | null {
  const bootedAt = bootTime.get();
  return bootedAt === null ? null : Math.round(bootedAt + (Number(startTicks) / units.ticksPerSecond) * 1000);
}

function memoryOf({ residentPages }: ProcStat, { units }: EntryTools): Reading {
  return residentPages === null ? absent('error') : residentPages * units.pageBytes;
}
