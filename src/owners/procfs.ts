import { readFileSync, readlinkSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { UserNames } from './users.ts';

/** Who a process is, as far as procfs tells this user. */
export interface ProcessIdentity {
  readonly name: string | null;
  readonly user: string | null;
}

const UNKNOWN: ProcessIdentity = { name: null, user: null };

/** Inode of the initial pid namespace: a constant of the Linux kernel (PROC_PID_INIT_INO). */
const INITIAL_PID_NAMESPACE = 'pid:[4026531836]';

/** How long an identity is trusted before the start time of the process is compared again. */
const RECHECK_MS = 5000;

/** More pids than a host has GPU processes; beyond it the ones looked up longest ago are forgotten. */
const CACHE_SIZE = 4096;

interface Entry {
  readonly startTime: string;
  readonly identity: ProcessIdentity;
  checkedAt: number;
}

/**
 * Names processes by pid, cached by (pid, start time) so that a reused pid is never given the old name.
 *
 * GPU drivers report pids of the host. In a private pid namespace the same number is some other process, so nothing is
 * looked up there: no name is better than a wrong one.
 */
export class ProcessDirectory {
  readonly #root: string;
  readonly #users: UserNames;
  readonly #cache = new Map<number, Entry>();
  readonly #enabled: boolean;

  constructor(root = '/proc', users = new UserNames()) {
    this.#root = root;
    this.#users = users;
    this.#enabled = pidsAreTheHosts(root);
  }

  /** The identity of a pid; both parts null where it is gone or may not be seen. `now` is monotonic milliseconds. */
  lookup(pid: number, now: number): ProcessIdentity {
    if (!this.#enabled) return UNKNOWN;
    const cached = this.#cache.get(pid);
    if (cached !== undefined && now - cached.checkedAt < RECHECK_MS) return cached.identity;
    const stat = this.#read(pid, 'stat');
    if (stat === null) {
      this.#cache.delete(pid);
      return UNKNOWN;
    }
    const { command, startTime } = parseStat(stat);
    if (cached?.startTime === startTime) {
      cached.checkedAt = now;
      return cached.identity;
    }
    const identity = { name: this.#nameOf(pid, command), user: this.#userOf(pid) };
    this.#cache.delete(pid);
    this.#cache.set(pid, { startTime, identity, checkedAt: now });
    if (this.#cache.size > CACHE_SIZE) this.#cache.delete(this.#cache.keys().next().value ?? pid);
    return identity;
  }

  /**
   * The program by its first argument, as gpustat and nvidia-smi name it. The kernel's own name is cut to 15 characters
   * and is that of the main thread, which some runtimes rename; it serves where there are no arguments.
   */
  #nameOf(pid: number, command: string): string {
    const first = this.#read(pid, 'cmdline')?.split('\0')[0] ?? '';
    // A process that writes its own title (`ray::worker`, `sshd: li@pts/0`) is named by its first word.
    const program = first.startsWith('/') ? basename(first) : basename(first.split(' ')[0] ?? '');
    return program || command;
  }

  #userOf(pid: number): string | null {
    try {
      return this.#users.nameOf(statSync(join(this.#root, String(pid))).uid);
    } catch {
      return null;
    }
  }

  #read(pid: number, file: string): string | null {
    try {
      return readFileSync(join(this.#root, String(pid), file), 'utf8');
    } catch {
      return null;
    }
  }
}

function pidsAreTheHosts(root: string): boolean {
  try {
    return readlinkSync(join(root, 'self/ns/pid')) === INITIAL_PID_NAMESPACE;
  } catch {
    return false;
  }
}

/** Command and start time of a `/proc/PID/stat` line. The command may itself hold spaces and parentheses. */
function parseStat(stat: string): { command: string; startTime: string } {
  const open = stat.indexOf('(');
  const close = stat.lastIndexOf(')');
  // Field 22 of proc(5); what follows the command starts with field 3.
  const startTime = stat.slice(close + 2).split(' ')[19] ?? '';
  return { command: stat.slice(open + 1, close), startTime };
}
