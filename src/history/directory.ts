import { accessSync, constants, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** What people's processes did is nobody else's business. */
const MODE = 0o700;

/**
 * Makes sure that a directory is there and may be written to; throws the system's error where it is not. Missing
 * parents are created too. Not left to the recursive mode of `mkdirSync`, which never returns below a directory that
 * exists but in which nothing can be, such as `/proc`.
 */
export function makeDirectory(path: string): void {
  create(path);
  accessSync(path, constants.W_OK | constants.X_OK);
}

function create(path: string): void {
  try {
    mkdirSync(path, { mode: MODE });
  } catch (error) {
    if (isDirectory(path)) return;
    // Says what is wrong better than that there is something.
    if (codeOf(error) === 'EEXIST') readdirSync(path);
    const parent = dirname(path);
    if (codeOf(error) !== 'ENOENT' || isDirectory(parent)) throw error;
    create(parent);
    mkdirSync(path, { mode: MODE });
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}
