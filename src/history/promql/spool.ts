import { mkdir, readdir, readFile, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cursor, type Delivered, PositionFile } from './position-file.ts';
import { frame, framesIn, readAt, recordsOf, writeAt } from './segment-file.ts';

/** Files are deleted as a whole, so that there are a few of them. */
const FILES = 8;
const LARGEST_FILE = 8 * 2 ** 20;
const SUFFIX = '.spool';
/** Bytes that are read at a time. */
const CHUNK = 2 ** 20;

/** One file of the queue: its name is the number of its first record, and its first frame says what columns mean. */
interface Segment {
  readonly first: number;
  readonly path: string;
  bytes: number;
  records: number;
}

/** Records in the order in which they were put in. */
export interface Delivery {
  readonly records: readonly Buffer[];
  /** Names of the metrics that their columns mean. */
  readonly metrics: readonly string[];
}

export interface Portion extends Delivery {
  /** Where reading goes on once they are delivered. */
  readonly next: Cursor;
}

/**
 * A queue in files that survives the end of its process, whatever the end. It holds so many bytes; for more the oldest
 * records are given up and counted. Every step is a promise of file operations, so that nothing waits for the disk.
 *
 * It belongs to one process at a time, which the lock of the directory it lies in sees to.
 */
export class Spool {
  readonly #directory: string;
  readonly #position: PositionFile;
  readonly #maxBytes: number;
  readonly #metrics: readonly string[];
  #segments: Segment[] = [];
  #cursor: Cursor = { record: 0, segment: 0, offset: 0 };
  #delivered: Delivered | null = null;
  /** Columns by first record of a file, for the file being read. */
  #columns: { readonly segment: number; readonly metrics: readonly string[] } | null = null;
  #lost = 0;
  /** End of the records that are being delivered, and how many of them have been given up meanwhile. */
  #underWay = 0;
  #inLimbo = 0;
  /** The newest file is of a gpulse that knew other metrics, so that its columns mean something else. */
  #isForeign = false;

  private constructor(directory: string, maxBytes: number, metrics: readonly string[]) {
    this.#directory = directory;
    this.#position = new PositionFile(directory);
    this.#maxBytes = maxBytes;
    this.#metrics = metrics;
  }

  /** Opens or creates the queue in a directory; `metrics` are the names of the columns of what will be put in. Throws the system's errors. */
  static async open(directory: string, maxBytes: number, metrics: readonly string[]): Promise<Spool> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const spool = new Spool(directory, maxBytes, metrics);
    await spool.#load();
    return spool;
  }

  /** Records that wait. */
  get queued(): number {
    return this.#end - this.#cursor.record;
  }

  /** What it takes on the disk, with what has been delivered lately. */
  get bytes(): number {
    return this.#segments.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Bytes of the records that wait. */
  get queuedBytes(): number {
    if (this.queued === 0) return 0;
    const { segment, offset } = this.#cursor;
    return this.#segments.reduce((sum, { first, bytes }) => {
      if (first < segment) return sum;
      return sum + bytes - (first === segment ? offset : 0);
    }, 0);
  }

  get maxBytes(): number {
    return this.#maxBytes;
  }

  /** Records that were given up since it was opened. */
  get lost(): number {
    return this.#lost;
  }

  get delivered(): Delivered | null {
    return this.#delivered;
  }

  /** The newest record that waits, or null. */
  async newest(): Promise<Buffer | null> {
    const last = this.#segments.at(-1);
    if (last === undefined || this.queued === 0) return null;
    return (await recordsOf(last.path)).records.slice(1).at(-1) ?? null;
  }

  /** Puts records at the end. Where the disk does not take them it throws, and nothing has been put in. */
  async append(records: readonly Buffer[]): Promise<void> {
    const framed = Buffer.concat(records.map(frame));
    const last = this.#segments.at(-1);
    const isFull = last !== undefined && last.bytes + framed.length > this.#segmentBytes && last.records > 0;
    const isWritten =
      last !== undefined && !isFull && !this.#isForeign && (await writtenAt(last.path, last.bytes, framed));
    if (isWritten) {
      last.bytes += framed.length;
      last.records += records.length;
    } else {
      await this.#begin(framed, records.length);
    }
    await this.#makeRoom();
  }

  /** What was looked at last has not been delivered, so that what has been given up of it meanwhile is lost. */
  putBack(): void {
    this.#lost += this.#inLimbo;
    this.#inLimbo = 0;
    this.#underWay = 0;
  }

  /** The oldest records, at most so many; null where none waits. */
  async peek(most: number): Promise<Portion | null> {
    this.putBack();
    for (;;) {
      if (this.queued === 0) return null;
      const segment = this.#segments.find(({ first }) => first === this.#cursor.segment);
      if (segment === undefined || this.#cursor.record >= segment.first + segment.records) {
        this.#skipTo(this.#segments.find(({ first }) => first > this.#cursor.segment));
        continue;
      }
      const portion = await this.#read(segment, most);
      if (portion !== null) return portion;
      if (this.#cursor.segment !== segment.first) continue;
      // What follows in this file cannot be read any more.
      this.#lost += segment.first + segment.records - this.#cursor.record;
      this.#cursor = { ...this.#cursor, record: segment.first + segment.records };
    }
  }

  /** The newest records that have been delivered, at most so many, as far as they are still there. */
  async recent(most: number): Promise<readonly Delivery[]> {
    const { record: end } = this.#cursor;
    const found: Delivery[] = [];
    for (const { first, records, path } of [...this.#segments]) {
      if (first >= end || first + records <= end - most) continue;
      const [header, ...all] = (await recordsOf(path)).records;
      const some = all.slice(Math.max(0, end - most - first), end - first);
      if (header !== undefined) found.push({ records: some, metrics: JSON.parse(header.toString('utf8')) });
    }
    return found;
  }

  /** Goes on behind what has been delivered, and remembers that. */
  async advance(next: Cursor, delivered: Delivered | null): Promise<void> {
    this.#inLimbo = 0;
    if (next.record > this.#cursor.record) this.#cursor = next;
    if (delivered !== null) this.#delivered = delivered;
    // The file before the one that is read stays, see `recent`.
    const done = this.#segments.filter((_, i) => {
      const after = this.#segments[i + 1];
      return after !== undefined && after.first + after.records <= this.#cursor.record;
    });
    await this.#save();
    for (const segment of done) await this.#remove(segment);
  }

  get #end(): number {
    const last = this.#segments.at(-1);
    return last === undefined ? this.#cursor.record : last.first + last.records;
  }

  get #segmentBytes(): number {
    return Math.min(LARGEST_FILE, this.#maxBytes / FILES);
  }

  async #load(): Promise<void> {
    const names = (await readdir(this.#directory)).filter((name) => /^\d+\.spool$/.test(name)).sort();
    const firsts = names.map((name) => Number.parseInt(name, 10));
    for (const [i, name] of names.entries()) {
      const path = join(this.#directory, name);
      const { size } = await stat(path);
      const records = (firsts[i + 1] ?? firsts[i]!) - firsts[i]!;
      this.#segments.push({ first: firsts[i]!, path, bytes: size, records });
    }
    const last = this.#segments.at(-1);
    if (last !== undefined) {
      // A process that was killed may have left part of a record.
      const { records, bytes } = await recordsOf(last.path);
      if (bytes < last.bytes) await truncate(last.path, bytes);
      last.bytes = bytes;
      last.records = Math.max(0, records.length - 1);
      this.#isForeign = records[0]?.equals(this.#header) === false;
      // Without any record its name would be that of the next file.
      if (last.records === 0) await this.#remove(last);
    }
    await this.#restore();
  }

  async #restore(): Promise<void> {
    const state = await this.#position.load();
    const [first] = this.#segments;
    this.#delivered = state?.delivered ?? null;
    if (first === undefined) {
      if (state !== null) this.#cursor = { ...state, segment: -1, offset: 0 };
      return;
    }
    const end = this.#end;
    this.#cursor = state ?? { record: first.first, segment: first.first, offset: 0 };
    // The power failed, and what had been written is not there any more.
    if (this.#cursor.record > end) this.#cursor = { record: end, segment: this.#segments.at(-1)!.first, offset: 0 };
    this.#place();
  }

  /** Finds the file of the next record where the one that was being read is gone. */
  #place(): void {
    const { record, segment } = this.#cursor;
    if (this.#segments.some(({ first }) => first === segment)) return;
    const holder = this.#segments.findLast(({ first }) => first <= record);
    if (holder !== undefined && record <= holder.first + holder.records) {
      this.#cursor = { record, segment: holder.first, offset: 0 };
    } else {
      this.#skipTo(this.#segments.find(({ first }) => first > record));
    }
  }

  #save(): Promise<void> {
    return this.#position.save({ ...this.#cursor, delivered: this.#delivered });
  }

  #skipTo(segment: Segment | undefined): void {
    if (segment === undefined) {
      this.#lost += Math.max(0, this.#end - this.#cursor.record);
      this.#cursor = { ...this.#cursor, record: this.#end };
      return;
    }
    this.#lost += Math.max(0, segment.first - this.#cursor.record);
    this.#cursor = { record: segment.first, segment: segment.first, offset: 0 };
  }

  /** A new file with its first records. */
  async #begin(framed: Buffer, records: number): Promise<void> {
    const first = this.#end;
    const path = join(this.#directory, `${`${first}`.padStart(15, '0')}${SUFFIX}`);
    const bytes = Buffer.concat([frame(this.#header), framed]);
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    await writeAt(path, 0, bytes);
    this.#segments.push({ first, path, bytes: bytes.length, records });
    this.#isForeign = false;
  }

  /** The first record of a file. */
  get #header(): Buffer {
    return Buffer.from(JSON.stringify(this.#metrics));
  }

  async #makeRoom(): Promise<void> {
    const before = this.#cursor;
    while (this.bytes > this.#maxBytes && this.#segments.length > 1) {
      const oldest = this.#segments[0]!;
      const end = oldest.first + oldest.records;
      const given = Math.max(0, end - this.#cursor.record);
      const sending = Math.min(given, Math.max(0, this.#underWay - this.#cursor.record));
      this.#inLimbo += sending;
      this.#lost += given - sending;
      const { first } = this.#segments[1]!;
      if (given > 0) this.#cursor = { record: first, segment: first, offset: 0 };
      await this.#remove(oldest);
    }
    // The next life does not count them once more.
    if (this.#cursor !== before) await this.#save();
  }

  async #remove(segment: Segment): Promise<void> {
    this.#segments = this.#segments.filter((other) => other !== segment);
    await rm(segment.path, { force: true });
  }

  /** Records of one file from the cursor on; null where they can never be read. */
  async #read(segment: Segment, most: number): Promise<Portion | null> {
    const cursor = this.#cursor;
    try {
      if (this.#columns?.segment !== segment.first) await this.#readColumns(segment);
      const offset = cursor.offset === 0 ? await this.#skipped(segment, cursor.record) : cursor.offset;
      let bytes = await readAt(segment.path, offset, Math.min(CHUNK, segment.bytes - offset));
      let frames = framesIn(bytes, most);
      if (frames.records.length === 0 && !frames.isBroken && offset + bytes.length < segment.bytes) {
        bytes = await readAt(segment.path, offset, segment.bytes - offset);
        frames = framesIn(bytes, most);
      }
      if (frames.records.length === 0) return null;
      const record = cursor.record + frames.records.length;
      this.#underWay = record;
      const next = { record, segment: segment.first, offset: offset + frames.bytes };
      return { records: frames.records, metrics: this.#columns!.metrics, next };
    } catch (error) {
      // Deleted, or no file of ours. What the disk cannot read now it may read later.
      if (error instanceof SyntaxError || codeOf(error) === 'ENOENT') return null;
      throw error;
    }
  }

  async #readColumns(segment: Segment): Promise<void> {
    const bytes = await readAt(segment.path, 0, Math.min(CHUNK, segment.bytes));
    const [header] = framesIn(bytes, 1).records;
    this.#columns = { segment: segment.first, metrics: JSON.parse(header?.toString('utf8') ?? '') };
  }

  /** Where a record is in its file. */
  async #skipped(segment: Segment, record: number): Promise<number> {
    const before = 1 + record - segment.first;
    return framesIn(await readFile(segment.path), before).bytes;
  }
}

/** Appends to a file; false where it is not there any more. */
async function writtenAt(path: string, offset: number, bytes: Buffer): Promise<boolean> {
  try {
    await writeAt(path, offset, bytes);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}
