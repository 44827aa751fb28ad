import { type FileHandle, open } from 'node:fs/promises';

/** Text that waits for a slow disk, in characters; more is left out. */
const MOST_WAITING = 4 * 2 ** 20;

/** Appends lines to a file as far as that is possible, and never makes anybody wait. */
export class AppendFile {
  readonly #path: string;
  readonly #mostBytes: number;
  #file: FileHandle | null = null;
  #waiting = '';
  #writing: Promise<void> | null = null;
  #bytes = 0;
  /** True after a write that failed half way. */
  #isTorn = false;
  /** Lines that are not in the file. */
  dropped = 0;

  /** The file takes no more than `mostBytes`. */
  constructor(path: string, mostBytes: number) {
    this.#path = path;
    this.#mostBytes = mostBytes;
  }

  line(text: string): void {
    if (this.#waiting.length > MOST_WAITING || this.#bytes > this.#mostBytes) {
      this.dropped++;
      return;
    }
    this.#waiting += `${text}\n`;
    this.#bytes += text.length + 1;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
    });
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#file?.close().catch(() => {});
  }

  async #write(): Promise<void> {
    while (this.#waiting !== '') {
      const text = this.#waiting;
      this.#waiting = '';
      try {
        this.#file ??= await open(this.#path, 'a', 0o600);
        await this.#file.appendFile(this.#isTorn ? `\n${text}` : text);
        this.#isTorn = false;
      } catch {
        this.#isTorn = true;
        this.dropped += text.split('\n').length - 1;
      }
    }
  }
}
