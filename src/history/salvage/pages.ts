import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';

/**
 * The pages of an SQLite file in which SQLite itself finds no way any more: read one by one, each newer one from the
 * write-ahead log, and whatever cannot be read is all zeros. The layout is that of the file format of SQLite 3.
 */

const MAGIC = 'SQLite format 3\0';
/** Page sizes gpulse has written; tried where the head of the file is gone. */
const USUAL_SIZES: readonly number[] = [2048, 4096];
const LOG_HEADER = 32;
const FRAME_HEADER = 24;
const MAP_ENTRY = 5;
const FREE_PAGE = 2;

export class PageFile {
  readonly pageSize: number;
  readonly pages: number;
  readonly #file: number;
  readonly #log: Buffer;
  /** Where in the log the newest version of a page is. */
  readonly #newer: ReadonlyMap<number, number>;

  constructor(path: string) {
    this.#file = openSync(path, 'r');
    const head = Buffer.alloc(100);
    readSync(this.#file, head, 0, 100, 0);
    this.#log = existsSync(`${path}-wal`) ? readFileSync(`${path}-wal`) : Buffer.alloc(0);
    this.pageSize = sizeIn(head) ?? this.#sizeInLog() ?? USUAL_SIZES[0]!;
    this.#newer = this.#framesOf();
    const inFile = Math.floor(fstatSync(this.#file).size / this.pageSize);
    this.pages = Math.max(inFile, ...this.#newer.keys());
  }

  /** The bytes of a page, counted from 1. */
  read(page: number): Buffer {
    const offset = this.#newer.get(page);
    if (offset !== undefined) return this.#log.subarray(offset, offset + this.pageSize);
    const bytes = Buffer.alloc(this.pageSize);
    try {
      readSync(this.#file, bytes, 0, this.pageSize, (page - 1) * this.pageSize);
    } catch {
      bytes.fill(0);
    }
    return bytes;
  }

  /** True for a page whose content was deleted, as far as the map of pages tells. */
  isFree(page: number): boolean {
    const perMap = Math.floor(this.pageSize / MAP_ENTRY);
    const map = 2 + Math.floor((page - 2) / (perMap + 1)) * (perMap + 1);
    if (page < 3 || page === map) return false;
    return this.read(map)[(page - map - 1) * MAP_ENTRY] === FREE_PAGE;
  }

  close(): void {
    closeSync(this.#file);
  }

  #sizeInLog(): number | null {
    if (this.#log.length < LOG_HEADER) return null;
    const size = this.#log.readUInt32BE(8);
    return USUAL_SIZES.includes(size) ? size : null;
  }

  /** The pages of whole transactions in the log. */
  #framesOf(): ReadonlyMap<number, number> {
    const committed = new Map<number, number>();
    const pending = new Map<number, number>();
    const log = this.#log;
    const salt = log.subarray(16, 24);
    for (let at = LOG_HEADER; at + FRAME_HEADER + this.pageSize <= log.length; at += FRAME_HEADER + this.pageSize) {
      if (!log.subarray(at + 8, at + 16).equals(salt)) break;
      pending.set(log.readUInt32BE(at), at + FRAME_HEADER);
      if (log.readUInt32BE(at + 4) === 0) continue;
      for (const [page, offset] of pending) committed.set(page, offset);
      pending.clear();
    }
    return committed;
  }
}

function sizeIn(head: Buffer): number | null {
  if (head.toString('latin1', 0, 16) !== MAGIC) return null;
  const size = head.readUInt16BE(16);
  return USUAL_SIZES.includes(size) ? size : null;
}
