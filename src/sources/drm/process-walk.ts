import { readdirSync, readlinkSync } from 'node:fs';
import type { Progress } from './progress.ts';
import { reasonOf, textOrNull } from './read-file.ts';

/** A file of a graphics driver that a process holds open. */
export interface OpenNode {
  readonly fd: string;
  /** N of `/dev/dri/cardN` or `/dev/dri/renderDN`. */
  readonly minor: number;
}

/** A process that holds at least one. */
export interface Holder {
  readonly pid: number;
  nodes: readonly OpenNode[];
}

interface Known {
  holder: Holder | null;
  /** The kernel does not let this user look into it. */
  isHidden: boolean;
  dueAt: number;
  waitMs: number;
}

/** A new process is looked into at once, and then after ever longer waits: most never open a GPU. */
const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 60_000;
/** One that has a GPU open may open another. */
const HOLDER_WAIT_MS = 5000;
const LIST_MS = 900;

/** Links of open files that one look may follow, about 4 µs each; what is left over comes first in the next look. */
const LINKS_PER_LOOK = 3000;
/** The first look is what a one-shot command lives on. */
const LINKS_FIRST_LOOK = 50_000;

/** Flag of kernel threads in field 9 of `/proc/PID/stat` (PF_KTHREAD). */
const KERNEL_THREAD = 0x00200000;

/**
 * Finds the processes that hold `/dev/dri` files open, at a bounded cost: the folder of open files of each process is
 * read when the process appears and then ever more rarely, not at every look.
 */
export class ProcessWalk {
  readonly #proc: string;
  readonly #progress: Progress;
  #known = new Map<number, Known>();
  #listedAt = Number.NEGATIVE_INFINITY;
  #isFirst = true;

  constructor(proc: string, progress: Progress) {
    this.#proc = proc;
    this.#progress = progress;
  }

  /** Processes of other users that may not be looked into. */
  get hidden(): number {
    let count = 0;
    for (const { isHidden } of this.#known.values()) if (isHidden) count++;
    return count;
  }

  /** Brings the list up to date; `now` is monotonic. `hints` are pids that are known to use a GPU. */
  look(now: number, hints: Iterable<number>): void {
    if (now - this.#listedAt >= LIST_MS) {
      this.#listedAt = now;
      this.#list(now);
    }
    for (const pid of hints) {
      const known = this.#known.get(pid);
      if (known !== undefined && known.holder === null && known.waitMs > FIRST_WAIT_MS) known.dueAt = now;
    }
    let links = this.#isFirst ? LINKS_FIRST_LOOK : LINKS_PER_LOOK;
    this.#isFirst = false;
    for (const [pid, known] of this.#known) {
      if (known.dueAt > now) continue;
      links -= this.#scan(pid, known, now);
      if (links <= 0) break;
    }
  }

  *holders(): Generator<Holder> {
    for (const { holder } of this.#known.values()) if (holder !== null) yield holder;
  }

  /** A file of it has gone: it is looked into again in the next look. */
  suspect(pid: number): void {
    const known = this.#known.get(pid);
    if (known !== undefined) known.dueAt = 0;
  }

  #list(now: number): void {
    let names: string[];
    try {
      names = readdirSync(this.#proc);
    } catch {
      names = [];
    }
    const before = this.#known;
    this.#known = new Map();
    for (const name of names) {
      if (!/^\d+$/.test(name)) continue;
      const pid = Number(name);
      this.#known.set(pid, before.get(pid) ?? { holder: null, isHidden: false, dueAt: now, waitMs: 0 });
    }
  }

  /** Gives the number of links that were followed. */
  #scan(pid: number, known: Known, now: number): number {
    this.#progress.step();
    const folder = `${this.#proc}/${pid}/fd`;
    let fds: string[];
    try {
      fds = readdirSync(folder);
      known.isHidden = false;
    } catch (error) {
      fds = [];
      known.isHidden = reasonOf(error) === 'no-permission' && !this.#isKernelThread(pid);
    }
    const nodes = fds.flatMap((fd) => {
      const minor = minorOf(`${folder}/${fd}`);
      return minor === null ? [] : [{ fd, minor }];
    });
    known.holder = nodes.length === 0 ? null : { pid, nodes };
    known.waitMs = Math.min(MAX_WAIT_MS, known.waitMs === 0 ? FIRST_WAIT_MS : known.waitMs * 2);
    known.dueAt = now + (known.holder === null ? known.waitMs : HOLDER_WAIT_MS);
    return fds.length + 1;
  }

  #isKernelThread(pid: number): boolean {
    const stat = textOrNull(`${this.#proc}/${pid}/stat`);
    if (stat === null) return false;
    // The command before it may hold anything, brackets and spaces included.
    const flags = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[6]);
    return (flags & KERNEL_THREAD) !== 0;
  }
}

function minorOf(link: string): number | null {
  try {
    const match = /\/dev\/dri\/(?:card|renderD)(\d+)$/.exec(readlinkSync(link));
    return match === null ? null : Number(match[1]);
  } catch {
    return null;
  }
}
