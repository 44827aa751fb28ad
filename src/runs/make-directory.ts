import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** What people run is nobody else's business. */
const MODE = 0o700;

/**
 * Makes a directory with its parents. Not left to the recursive mode of `mkdir`, which never returns below a directory that
 * exists but in which nothing can be, such as `/proc`. Throws the system's error.
 */
export async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: MODE });
  } catch (error) {
    if (await isDirectory(path)) return;
    const parent = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || (await isDirectory(parent))) throw error;
    await makeDirectory(parent);
    await mkdir(path, { mode: MODE }).catch(async (failure: unknown) => {
      // Another run may have been faster.
      if (!(await isDirectory(path))) throw failure;
    });
  }
}

export async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
