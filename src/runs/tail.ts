import { type FSWatcher, watch } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

const CHUNK = 256 * 1024;
/** Whoever does not hear of changes looks so often. */
const LOOK_MS = 500;
/** A file that only serves to hand output over is emptied at this size. */
const MOST_BYTES = 64 * 2 ** 20;

export interface TailOptions {
  readonly path: string;
  readonly take: (bytes: Uint8Array) => void;
  /** True for a file that nobody else reads, and whose writer appends: what has been read is thrown away now and then. */
  readonly isDisposable: boolean;
}

/** Reads what is appended to a file, without its writer noticing. The file may not be there yet. */
export class Tail {
  readonly #options: TailOptions;
  readonly #buffer = new Uint8Array(CHUNK);
  #file: FileHandle | null = null;
  #at = 0;
  #reading: Promise<void> | null = null;
  #isAgain = false;
  #deadline = Number.POSITIVE_INFINITY;
  #watcher: FSWatcher | null = null;
  readonly #timer: NodeJS.Timeout;

  constructor(options: TailOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    this.#look();
  }

  /** Reads what is left, for at most `patienceMs`. Gives how many bytes were left all the same. */
  async close(patienceMs: number): Promise<number> {
    clearInterval(this.#timer);
    this.#watcher?.close();
    this.#deadline = performance.now() + patienceMs;
    while (this.#reading !== null) await this.#reading;
    await this.#read();
    const size = (await this.#file?.stat().catch(() => null))?.size ?? 0;
    await this.#file?.close().catch(() => {});
    return Math.max(0, size - this.#at);
  }

  #look(): void {
    if (this.#reading !== null) {
      this.#isAgain = true;
      return;
    }
    this.#reading = this.#read().finally(() => {
      this.#reading = null;
      if (!this.#isAgain) return;
      this.#isAgain = false;
      this.#look();
    });
  }

  async #read(): Promise<void> {
    const { path, take, isDisposable } = this.#options;
    try {
      this.#file ??= await open(path, isDisposable ? 'r+' : 'r');
      this.#watcher ??= watchFile(path, () => this.#look());
      const { size } = await this.#file.stat();
      // Somebody began it anew.
      if (size < this.#at) this.#at = 0;
      for (;;) {
        const { bytesRead } = await this.#file.read(this.#buffer, 0, CHUNK, this.#at);
        if (bytesRead === 0 || performance.now() > this.#deadline) break;
        this.#at += bytesRead;
        take(this.#buffer.subarray(0, bytesRead));
      }
      if (isDisposable && this.#at > MOST_BYTES) await this.#empty(this.#file);
    } catch {
      // It is not there yet, or cannot be read now; the next look may find more.
    }
  }

  async #empty(file: FileHandle): Promise<void> {
    const { size } = await file.stat();
    if (size !== this.#at) return;
    await file.truncate(0);
    this.#at = 0;
  }
}

/** Null where the system cannot tell of changes. */
function watchFile(path: string, changed: () => void): FSWatcher | null {
  try {
    const watcher = watch(path, { persistent: false }, changed);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return null;
  }
}
