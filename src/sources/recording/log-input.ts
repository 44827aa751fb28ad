import { fstatSync } from 'node:fs';
import { type FileHandle, type FileReadResult, open } from 'node:fs/promises';
import { AppError, detailOf } from '../../model/errors.ts';
import type { Millis } from '../../model/reading.ts';
import { compressionIn, decompressed, type NextBytes } from './decompressor.ts';

/** Bytes read at a time: few enough to parse between two other jobs of the main thread. */
const CHUNK_BYTES = 256 * 1024;

/** The bytes of a log, from a file, a pipe or, for `-`, the standard input. */
export interface LogInput {
  /** When the file came into being; null for what is no file. */
  readonly createdAt: Millis | null;
  /** True for a pipe: its next bytes may not have been written yet. */
  readonly isLive: boolean;
  /** The next bytes, lent until the next call, or null at the end, where it closes itself. Throws FILE_UNREADABLE. */
  next(): Promise<Uint8Array | null>;
  close(): Promise<void>;
}

/**
 * Throws FILE_UNREADABLE where there is no such file or it may not be read. What gzip or zstd has compressed is
 * decompressed.
 */
export async function openInput(path: string): Promise<LogInput> {
  return plain(path === '-' ? standardInput() : await openFile(path));
}

/** Looks at the first bytes when they are asked for: those of a pipe may come late. */
function plain(input: LogInput): LogInput {
  let next: NextBytes | null = null;
  return {
    ...input,
    async next() {
      if (next !== null) return next();
      const first = await input.next();
      const kind = first === null ? null : compressionIn(first);
      if (first === null || kind === null) {
        next = () => input.next();
        return first;
      }
      let head: Uint8Array | null = first;
      next = decompressed(async () => {
        const bytes = head ?? (await input.next());
        head = null;
        return bytes;
      }, kind);
      return next();
    },
  };
}

async function openFile(path: string): Promise<LogInput> {
  const orUnreadable = (error: unknown): never => {
    throw unreadable(path, error);
  };
  const file = await open(path).catch(orUnreadable);
  const createdAt = await creationTime(file).catch(orUnreadable);
  const isLive = createdAt === null;
  const read = (buffer: Uint8Array): Promise<FileReadResult<Uint8Array>> =>
    file.read(buffer, 0, buffer.length, null).catch(orUnreadable);
  let [lent, free] = [new Uint8Array(CHUNK_BYTES), new Uint8Array(CHUNK_BYTES)];
  let ahead: ReturnType<typeof read> | null = null;
  return {
    createdAt,
    isLive,
    async next() {
      const { bytesRead } = await (ahead ?? read(free));
      [lent, free] = [free, lent];
      if (bytesRead === 0) {
        await file.close();
        return null;
      }
      // While these bytes are parsed the next ones are read. Those of a pipe may never come, and closing would wait for them.
      if (!isLive) {
        ahead = read(free);
        // Whoever asks for them hears of a failure.
        ahead.catch(() => {});
      }
      return lent.subarray(0, bytesRead);
    },
    // Closing a closed handle is harmless.
    close: () => file.close(),
  };
}

function standardInput(): LogInput {
  const chunks: AsyncIterator<Uint8Array> = process.stdin[Symbol.asyncIterator]();
  return {
    createdAt: null,
    isLive: !fstatSync(process.stdin.fd).isFile(),
    async next() {
      const { done, value } = await chunks.next();
      return done === true ? null : value;
    },
    async close() {
      process.stdin.destroy();
    },
  };
}

/** A copied file is newer than its content. */
async function creationTime(file: FileHandle): Promise<Millis | null> {
  const stat = await file.stat();
  if (!stat.isFile()) return null;
  return Math.floor(stat.birthtimeMs > 0 ? Math.min(stat.birthtimeMs, stat.mtimeMs) : stat.mtimeMs);
}

/** `ENOENT: no such file or directory, open 'x'` without the parts the reader knows. */
function unreadable(path: string, cause: unknown): AppError {
  const detail = /^[A-Z]+: ([^,]+)/.exec(detailOf(cause))?.[1] ?? detailOf(cause);
  return new AppError('FILE_UNREADABLE', { path, detail }, { cause });
}
