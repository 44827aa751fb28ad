import { closeSync, openSync, readSync } from 'node:fs';
import type { AbsenceReason } from '../../model/reading.ts';

const FIRST_BYTES = 16 * 1024;
/** The largest file of these, the statistics of a machine with hundreds of CPUs and thousands of interrupts, is far below. */
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * Reads small files of the kernel again and again into one buffer, and walks over their numbers and words as bytes: a
 * tick makes no string. What was read is valid until the next `read`.
 */
export class ByteFile {
  bytes: Buffer = Buffer.allocUnsafe(FIRST_BYTES);
  /** End of what was read. */
  end = 0;
  at = 0;
  /** Why the last file that could not be read could not. */
  absence: AbsenceReason = 'not-found';

  /** Files that stay open, by path; null where every read opens its file anew. */
  readonly #open: Map<string, number> | null;

  /** `keepsOpen` saves half of the cost with files of the kernel, which are never replaced by others. */
  constructor(keepsOpen: boolean) {
    this.#open = keepsOpen ? new Map() : null;
  }

  /**
   * False where there is nothing to be read; `absence` says why. The kernel gives a file that is a list in pieces, so it
   * is read until nothing comes any more; any other in one piece, so that `isList` false saves a call.
   */
  read(path: string, isList = false): boolean {
    this.at = 0;
    this.end = 0;
    let file: number | null = null;
    try {
      file = this.#open?.get(path) ?? openSync(path, 'r');
      this.#fill(file, isList);
      this.#open?.set(path, file);
    } catch (error) {
      this.absence = reasonOf(error);
      this.end = 0;
      this.#open?.delete(path);
      if (file !== null && this.#open !== null) closeSync(file);
    } finally {
      if (file !== null && this.#open === null) closeSync(file);
    }
    return this.end > 0;
  }

  close(): void {
    for (const file of this.#open?.values() ?? []) closeSync(file);
    this.#open?.clear();
  }

  #fill(file: number, isList: boolean): void {
    for (;;) {
      const length = readSync(file, this.bytes, this.end, this.bytes.length - this.end, this.end);
      this.end += length;
      if (length === 0 || this.end >= MOST_BYTES) break;
      if (this.end < this.bytes.length) {
        if (isList) continue;
        break;
      }
      const larger = Buffer.allocUnsafe(this.bytes.length * 4);
      this.bytes.copy(larger, 0, 0, this.end);
      this.bytes = larger;
    }
    if (this.end === 0) this.absence = 'not-found';
  }

  get isAtEnd(): boolean {
    return this.at >= this.end;
  }

  /** True, and past the word, if the bytes at the cursor are those of `word`. */
  skip(word: Uint8Array): boolean {
    const { bytes, at } = this;
    if (at + word.length > this.end) return false;
    for (let i = 0; i < word.length; i++) if (bytes[at + i] !== word[i]) return false;
    this.at = at + word.length;
    return true;
  }

  skipBlanks(): void {
    while (this.at < this.end && isBlank(this.bytes[this.at]!)) this.at++;
  }

  /** Moves to the start of the next line. */
  skipLine(): void {
    const next = this.bytes.indexOf(LF, this.at);
    this.at = next === -1 || next >= this.end ? this.end : next + 1;
  }

  /** Moves to the next blank or the end of the line, and gives where it is. */
  skipWord(): number {
    while (this.at < this.end && this.bytes[this.at]! > SPACE) this.at++;
    return this.at;
  }

  /** The number after blanks on this line, `12`, `-1` or `0.52`; NaN, with the cursor in front of it, where there is none. */
  number(): number {
    this.skipBlanks();
    const { bytes, end } = this;
    const isNegative = this.at < end && bytes[this.at] === MINUS;
    const start = isNegative ? this.at + 1 : this.at;
    let at = start;
    let value = 0;
    for (; at < end && isDigit(bytes[at]!); at++) value = value * 10 + bytes[at]! - ZERO;
    if (at === start) return Number.NaN;
    if (at < end && bytes[at] === POINT) {
      let digits = 1;
      for (at++; at < end && isDigit(bytes[at]!); at++, digits *= 10) value = value * 10 + bytes[at]! - ZERO;
      value /= digits;
    }
    this.at = at;
    return isNegative ? -value : value;
  }

  /** The last of the next `count` numbers; NaN where the line has fewer. */
  nth(count: number): number {
    let value = Number.NaN;
    for (let i = 0; i < count; i++) {
      value = this.number();
      if (Number.isNaN(value)) return value;
    }
    return value;
  }
}

/** A word to compare with. */
export function word(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'latin1'));
}

const LF = 10;
const SPACE = 32;
const TAB = 9;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;

function isBlank(byte: number): boolean {
  return byte === SPACE || byte === TAB;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= ZERO + 9;
}

function reasonOf(error: unknown): AbsenceReason {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EOPNOTSUPP' || code === 'ENOTSUP') return 'not-supported';
  return code === 'EACCES' || code === 'EPERM' ? 'no-permission' : 'error';
}
