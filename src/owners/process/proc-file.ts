import { closeSync, openSync, readSync } from 'node:fs';

/** Larger than any file read through it; what is beyond is cut off. */
const buffer = Buffer.allocUnsafe(16_384);

/**
 * Text of a small file of procfs, or null where it is gone or may not be read. Only for files that the kernel answers
 * from its own memory and in one piece (`stat`, `status`, `cgroup`): they never make the reader wait for the process.
 */
export function readProcFile(path: string): string | null {
  let file = -1;
  try {
    file = openSync(path, 'r');
    return buffer.toString('utf8', 0, readSync(file, buffer, 0, buffer.length, null));
  } catch {
    return null;
  } finally {
    if (file >= 0) closeSync(file);
  }
}
