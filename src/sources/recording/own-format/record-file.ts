import { rename } from 'node:fs/promises';
import type { Clock } from '../../../model/clock.ts';
import type { AppError } from '../../../model/errors.ts';
import type { Millis } from '../../../model/reading.ts';
import type { Tick } from '../../../model/tick.ts';
import { type Compressor, compressionOf, createCompressor } from './compressor.ts';
import { isFull, type Output, openOutput, writeFailure } from './record-output.ts';
import { removeOldest, rotatedName } from './rotation.ts';

/** Turns ticks into the text of a file. */
export interface TickText {
  /** What a file begins with. `continues` where the one before it was only full. */
  header(at: Millis, continues: boolean): string;
  tick(tick: Tick): string;
  /** Text was lost: what follows must stand on its own. */
  restart(): void;
}

export interface RecordFileOptions {
  /** `-` for standard output. Its ending says how it is compressed. */
  readonly path: string;
  readonly text: TickText;
  readonly clock: Clock;
  /** Bytes, and milliseconds, after which the file is put aside and another one begun; Infinity for never. */
  readonly rotateBytes: number;
  readonly rotateMs: number;
  /** How many files that were put aside are kept. */
  readonly keep: number;
}

export interface RecordStatus {
  readonly ticks: number;
  readonly bytes: number;
  /** Ticks that are not in the file, since it could not be written. */
  readonly dropped: number;
  /** Why nothing can be written now, or null. */
  readonly failure: AppError | null;
  /** Files that were put aside. */
  readonly rotations: number;
}

/** Text that waits for a disk that is full or slow, in characters; beyond it ticks are dropped. */
const MOST_WAITING = 16 * 2 ** 20;
const RETRY_MS = 1000;
/** What still waits at the end has so long. */
const LAST_TRY_MS = 2000;

type Piece = { readonly text: string; readonly ticks: number } | 'rotate';

/**
 * Writes ticks to a file, without anybody having to wait. Where the disk is full it says so, keeps what has not been written
 * as long as there is room for it in memory, and goes on where it stopped: no line is ever torn but the last.
 */
export class RecordFile {
  readonly #options: RecordFileOptions;
  #file: Output;
  #compressor: Compressor;
  #waiting: Piece[] = [];
  #waitingLength = 0;
  #written: Promise<void> | null = null;
  #startedAt: Millis;
  /** In the present file. */
  #fileBytes = 0;
  #isRotating = false;
  #isClosing = false;
  #status = { ticks: 0, bytes: 0, dropped: 0, rotations: 0 };
  #failure: AppError | null = null;

  private constructor(options: RecordFileOptions, file: Output) {
    this.#options = options;
    this.#file = file;
    this.#compressor = createCompressor(compressionOf(options.path));
    this.#startedAt = options.clock.now();
    this.#add(options.text.header(this.#startedAt, false), 0);
  }

  /** Throws what {@link openOutput} throws. */
  static async create(options: RecordFileOptions): Promise<RecordFile> {
    return new RecordFile(options, await openOutput(options.path, options.clock));
  }

  get status(): RecordStatus {
    return { ...this.#status, failure: this.#failure };
  }

  accept(tick: Tick): void {
    const { text, clock, rotateMs, rotateBytes } = this.#options;
    if (this.#waitingLength > MOST_WAITING) {
      this.#status.dropped++;
      text.restart();
      return;
    }
    const isDue = this.#fileBytes >= rotateBytes || clock.now() - this.#startedAt >= rotateMs;
    if (isDue && !this.#isRotating && this.#failure === null) {
      this.#isRotating = true;
      this.#waiting.push('rotate');
      this.#add(text.header(clock.now(), true), 0);
    }
    this.#add(text.tick(tick), 1);
  }

  /** Resolves once what was accepted so far has been written, or cannot be. */
  async drained(): Promise<void> {
    while (this.#written !== null && this.#failure === null) await Promise.race([this.#written, this.#pause(RETRY_MS)]);
  }

  /** Writes what still waits, as far as that is possible. The status then tells what is missing. */
  async close(): Promise<void> {
    this.#isClosing = true;
    // A disk that hangs must not keep the program from ending.
    if (this.#written !== null) await Promise.race([this.#written, this.#pause(2 * LAST_TRY_MS)]);
    for (const piece of this.#waiting) if (piece !== 'rotate') this.#status.dropped += piece.ticks;
    this.#waiting = [];
    try {
      const rest = await this.#compressor.end();
      if (this.#failure === null) await this.#file.write(rest, 0, rest.length);
    } catch (error) {
      this.#failure = writeFailure(this.#options.path, error);
    }
    await this.#file.close().catch(() => {});
  }

  #add(text: string, ticks: number): void {
    this.#waiting.push({ text, ticks });
    this.#waitingLength += text.length;
    this.#written ??= this.#write().finally(() => {
      this.#written = null;
    });
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      if (this.#waiting[0] === 'rotate') {
        this.#waiting.shift();
        await this.#rotate();
        continue;
      }
      const end = this.#waiting.indexOf('rotate');
      const batch = this.#waiting.splice(0, end === -1 ? this.#waiting.length : end) as Exclude<Piece, 'rotate'>[];
      const text = batch.map((piece) => piece.text).join('');
      const ticks = batch.reduce((sum, piece) => sum + piece.ticks, 0);
      this.#waitingLength -= text.length;
      const bytes = await this.#compressor.add(text);
      const isWritten = await this.#writeAll(bytes);
      if (isWritten) {
        this.#status.ticks += ticks;
        continue;
      }
      this.#status.dropped += ticks;
      return;
    }
  }

  /** Tries until every byte is written; false where the end comes before that. */
  async #writeAll(bytes: Buffer): Promise<boolean> {
    const { clock } = this.#options;
    let deadline = Number.POSITIVE_INFINITY;
    for (let done = 0; done < bytes.length; ) {
      try {
        const { bytesWritten } = await this.#file.write(bytes, done, bytes.length - done);
        done += bytesWritten;
        this.#status.bytes += bytesWritten;
        this.#fileBytes += bytesWritten;
        this.#failure = null;
      } catch (error) {
        this.#failure = writeFailure(this.#options.path, error);
        if (this.#isClosing) deadline = Math.min(deadline, clock.monotonic() + LAST_TRY_MS);
        if (clock.monotonic() > deadline) return false;
        await this.#pause(this.#isClosing || isFull(error) ? RETRY_MS / 10 : RETRY_MS);
      }
    }
    return true;
  }

  /** Where the next file cannot be begun, the present one goes on. */
  async #rotate(): Promise<void> {
    const { path, clock, keep } = this.#options;
    this.#isRotating = false;
    // Neither standard output nor a pipe or a device can be put aside.
    if (!this.#file.isRegular) return;
    try {
      await this.#writeAll(await this.#compressor.end());
      await rename(path, await rotatedName(path, this.#startedAt));
      const next = await openOutput(path, clock);
      await this.#file.close();
      this.#file = next;
      this.#status.rotations++;
      await removeOldest(path, keep);
    } catch (error) {
      this.#failure = writeFailure(this.#options.path, error);
    }
    this.#compressor = createCompressor(compressionOf(path));
    this.#startedAt = clock.now();
    this.#fileBytes = 0;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#options.clock.after(ms, resolve));
  }
}
