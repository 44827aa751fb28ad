import { readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { readProcFile } from './process/proc-file.ts';

/** Inodes of the initial namespaces: constants of the Linux kernel (PROC_PID_INIT_INO, PROC_CGROUP_INIT_INO). */
const INITIAL = { pid: 'pid:[4026531836]', cgroup: 'cgroup:[4026531835]' } as const;

/**
 * Whether this process is in the host's own namespace of a kind. Drivers report pids of the host, and only there a
 * procfs shows those; only there a cgroup path is whole. `proc` is where procfs is mounted.
 */
export function isInHostNamespace(proc: string, kind: keyof typeof INITIAL): boolean {
  try {
    return readlinkSync(join(proc, 'self/ns', kind)) === INITIAL[kind];
  } catch {
    return false;
  }
}

/** Whether procfs is mounted so that this user sees only processes of its own (`hidepid`). */
export function hidesProcesses(proc: string): boolean {
  return readProcFile(join(proc, 'self/stat')) !== null && readProcFile(join(proc, '1/stat')) === null;
}
