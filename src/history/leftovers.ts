import { lstatSync, readdirSync, rmdirSync, rmSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { lockDirectory } from './lock.ts';

/** As `mkdtemp` completes `gpulse-`. */
const NAME = /^gpulse-[A-Za-z0-9]{6}$/;

/** Written once the lock is held, and removed just before it is released. */
const PID_FILE = 'history.pid';

const OUR_FILES: ReadonlySet<string> = new Set([
  PID_FILE,
  'history.lock',
  'history.lock-journal',
  'history.db',
  'history.db-journal',
  'history.db-wal',
  'history.db-shm',
]);

/** A directory without a pid file may belong to a process that is about to take its lock; after this long it does not. */
const STARTING_MS = 3_600_000;

/**
 * Removes the temporary histories beside `own` whose process was killed: directories of this user, closed to others,
 * that hold nothing but files of a history and whose lock can be taken. Whatever cannot be removed stays.
 */
export function removeLeftovers(own: string): void {
  const parent = dirname(own);
  const now = lstatSync(own).mtimeMs;
  for (const name of readdirSync(parent)) {
    const path = join(parent, name);
    if (!NAME.test(name) || path === own) continue;
    try {
      if (isLeftover(path, now)) remove(path);
    } catch {
      // It is in use, or it went away meanwhile.
    }
  }
}

function isLeftover(path: string, now: number): boolean {
  const found = lstatSync(path);
  if (!isPrivate(found)) return false;
  const names = readdirSync(path);
  return names.every((name) => OUR_FILES.has(name)) && (names.includes(PID_FILE) || now - found.mtimeMs > STARTING_MS);
}

/** Nobody else can exchange what is in it while it is being removed. */
function isPrivate(found: Stats): boolean {
  return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
}

/** Fails where the lock is held. */
function remove(path: string): void {
  const release = lockDirectory(path);
  try {
    for (const name of OUR_FILES) rmSync(join(path, name), { force: true });
  } finally {
    release();
  }
  rmdirSync(path);
}
