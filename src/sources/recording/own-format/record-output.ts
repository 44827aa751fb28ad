import { constants } from 'node:fs';
import { type FileHandle, open, readlink, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Clock } from '../../../model/clock.ts';
import { AppError, detailOf } from '../../../model/errors.ts';

/** Where the bytes of a recording go: a file, a pipe, a device, or standard output. */
export interface Output {
  /** True for a file that can be put aside under another name. */
  readonly isRegular: boolean;
  write(bytes: Buffer, offset: number, length: number): Promise<{ readonly bytesWritten: number }>;
  close(): Promise<void>;
}

/** Where it ends early, whoever runs the program is told by the stream. */
const STANDARD_OUTPUT: Output = {
  isRegular: false,
  write: (bytes, offset, length) =>
    new Promise((resolve, reject) => {
      process.stdout.write(bytes.subarray(offset, offset + length), (error) => {
        if (error) reject(error);
        else resolve({ bytesWritten: length });
      });
    }),
  close: () => Promise.resolve(),
};

/** What people run, and who they are, is nobody else's business. */
const MODE = 0o600;

/** Whoever is to read a pipe may be started at the same time. */
const READER_PATIENCE_MS = 2000;
const LOOK_MS = 50;

/**
 * Opens what a recording goes to; `-` is standard output. Never waits for the reader of a pipe for long. Throws
 * RECORD_NO_DIRECTORY, RECORD_NOT_CREATED, RECORD_PIPE_UNREAD, and RECORD_NOT_WRITTEN where there is no room.
 */
export async function openOutput(path: string, clock: Clock): Promise<Output> {
  if (path === '-') return STANDARD_OUTPUT;
  const found = await stat(path).catch(() => null);
  try {
    const file = found?.isFIFO() === true ? await openPipe(path, clock) : await open(path, 'a', MODE);
    return {
      isRegular: found === null || found.isFile(),
      write: (bytes, offset, length) => file.write(bytes, offset, length),
      close: () => file.close(),
    };
  } catch (error) {
    throw error instanceof AppError ? error : await openFailure(path, error);
  }
}

/** Without the flag neither opening nor writing would return before there is a reader, whatever signal comes. */
async function openPipe(path: string, clock: Clock): Promise<FileHandle> {
  const deadline = clock.monotonic() + READER_PATIENCE_MS;
  for (;;) {
    try {
      return await open(path, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      if (codeOf(error) !== 'ENXIO') throw error;
      if (clock.monotonic() > deadline) throw new AppError('RECORD_PIPE_UNREAD', { path }, { cause: error });
      await new Promise<void>((done) => clock.after(LOOK_MS, done));
    }
  }
}

async function openFailure(path: string, error: unknown): Promise<AppError> {
  const code = codeOf(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') return writeFailure(path, error);
  if (code === 'ENOENT') {
    // Of a link that leads nowhere its target is what is missing.
    const target = await readlink(path).catch(() => null);
    const directory = dirname(target === null ? path : resolve(dirname(path), target));
    return new AppError('RECORD_NO_DIRECTORY', { path, directory }, { cause: error });
  }
  return new AppError('RECORD_NOT_CREATED', { path, detail: reasonOf(error) }, { cause: error });
}

/** What was open cannot be written. */
export function writeFailure(path: string, error: unknown): AppError {
  return new AppError('RECORD_NOT_WRITTEN', { path, detail: reasonOf(error) }, { cause: error });
}

/** True where a pipe only waits for its reader. */
export function isFull(error: unknown): boolean {
  return codeOf(error) === 'EAGAIN';
}

function reasonOf(error: unknown): string {
  return /^[A-Z]+: ([^,]+)/.exec(detailOf(error))?.[1] ?? detailOf(error);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}
