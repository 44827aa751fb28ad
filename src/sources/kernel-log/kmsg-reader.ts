import { close, constants, open, read } from 'node:fs';

/** A record is at most 8 KiB in today's kernels. */
const BUFFER_BYTES = 32 * 1024;
/** Failed reads in a row, each of which skips a record, after which the log is given up. */
const MOST_SKIPS = 1000;
/** Text without a line end is a record cut by something that is no kernel log. */
const LONGEST_REST = 64 * 1024;

/**
 * Reads what the kernel has logged since the last call, without ever waiting for more. Each read of `/dev/kmsg` gives
 * one record. All reads are made by the thread pool.
 */
export class KmsgReader {
  readonly #path: string;
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #file: number | null = null;
  #rest = '';

  constructor(path: string) {
    this.#path = path;
  }

  /** Rejects with the error of the system, such as EACCES or ENOENT. Reading begins with the oldest record there is. */
  async open(): Promise<void> {
    this.#file = await new Promise<number>((resolve, reject) => {
      open(this.#path, constants.O_RDONLY | constants.O_NONBLOCK, (error, file) => {
        if (error === null) resolve(file);
        else reject(error);
      });
    });
  }

  /**
   * Calls `take` with every line up to the end of the log. Records that were overwritten before they could be read, and
   * any that is longer than the buffer, are skipped by the kernel itself. Rejects where the log cannot be read any more.
   */
  async drain(take: (line: string) => void): Promise<void> {
    for (let skips = 0; ; ) {
      const length = await this.#read();
      if (length === 0) return;
      if (length === null) {
        if (++skips > MOST_SKIPS) throw new Error('the log does not move on');
        continue;
      }
      skips = 0;
      this.#split(this.#buffer.toString('latin1', 0, length), take);
    }
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    if (file !== null) await new Promise<void>((resolve) => close(file, () => resolve()));
  }

  /** Bytes read; 0 at the end of the log, null where a record was lost. */
  #read(): Promise<number | null> {
    const file = this.#file;
    if (file === null) return Promise.resolve(0);
    return new Promise((resolve, reject) => {
      read(file, this.#buffer, 0, BUFFER_BYTES, null, (error, length) => {
        if (error === null) resolve(length);
        else if (error.code === 'EAGAIN') resolve(0);
        else if (error.code === 'EPIPE' || error.code === 'EINVAL' || error.code === 'EINTR') resolve(null);
        else reject(error);
      });
    });
  }

  #split(text: string, take: (line: string) => void): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    if (this.#rest.length > LONGEST_REST) this.#rest = '';
    for (const line of lines) take(line);
  }
}
