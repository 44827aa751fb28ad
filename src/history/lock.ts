import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isBusy, StoreError } from './store-error.ts';

/** Gives the directory free for the next writer. */
export type Release = () => void;

/**
 * Makes this process the only writer of a directory, or fails with HISTORY_LOCKED.
 *
 * The lock is one of the kernel's, taken through SQLite on the empty file `history.lock`: Node offers no other way to
 * one. It ends with its holder however the holder ends, and it holds between containers that share the directory but
 * not their process ids, so no rule about stale locks is needed. `history.pid` beside it only tells people whom to ask.
 */
export function lockDirectory(directory: string): Release {
  const pidFile = join(directory, 'history.pid');
  const lock = new DatabaseSync(join(directory, 'history.lock'), { timeout: 0 });
  try {
    lock.exec('BEGIN IMMEDIATE');
  } catch (error) {
    lock.close();
    if (!isBusy(error)) throw error;
    throw new StoreError('HISTORY_LOCKED', { path: directory, pid: pidIn(pidFile) }, error);
  }
  writePid(pidFile);
  return () => {
    rmSync(pidFile, { force: true });
    lock.close();
  };
}

function writePid(file: string): void {
  try {
    writeFileSync(file, `${process.pid}\n`);
  } catch {
    // A full disk must not keep the history from being opened for reading; the lock holds without the file.
  }
}

function pidIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim() || '?';
  } catch {
    return '?';
  }
}
