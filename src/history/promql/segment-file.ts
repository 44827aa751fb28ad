import { type FileHandle, open, readFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

const FRAME_BYTES = 8;
/** Longer than any record can be. */
const LONGEST = 2 ** 28;

/** Whole records at the beginning of some bytes, and how many bytes they are. */
export interface Frames {
  readonly records: readonly Buffer[];
  readonly bytes: number;
  /** Something that is no record follows, rather than the end or the first part of one. */
  readonly isBroken: boolean;
}

/** A record with its length and its checksum before it. */
export function frame(record: Uint8Array): Buffer {
  const out = Buffer.allocUnsafe(FRAME_BYTES + record.length);
  out.writeUInt32LE(record.length, 0);
  out.writeUInt32LE(crc32(record), 4);
  out.set(record, FRAME_BYTES);
  return out;
}

/** At most so many of the records that some bytes begin with. */
export function framesIn(bytes: Buffer, most: number): Frames {
  const records: Buffer[] = [];
  let at = 0;
  while (records.length < most && at + FRAME_BYTES <= bytes.length) {
    const length = bytes.readUInt32LE(at);
    if (length === 0 || length > LONGEST) return { records, bytes: at, isBroken: true };
    const end = at + FRAME_BYTES + length;
    if (end > bytes.length) break;
    const record = bytes.subarray(at + FRAME_BYTES, end);
    if (crc32(record) !== bytes.readUInt32LE(at + 4)) return { records, bytes: at, isBroken: true };
    records.push(record);
    at = end;
  }
  return { records, bytes: at, isBroken: false };
}

/** Appends to a file from a place on, so that what a failed attempt left behind is overwritten. */
export async function writeAt(path: string, offset: number, bytes: Buffer): Promise<void> {
  const file = await open(path, offset === 0 ? 'w' : 'r+', 0o600);
  try {
    let done = 0;
    while (done < bytes.length) {
      done += (await file.write(bytes, done, bytes.length - done, offset + done)).bytesWritten;
    }
  } finally {
    await file.close();
  }
}

/** Up to `length` bytes of a file. */
export async function readAt(path: string, offset: number, length: number): Promise<Buffer> {
  let file: FileHandle | null = null;
  try {
    file = await open(path, 'r');
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file?.close();
  }
}

/** All whole records of a file. */
export async function recordsOf(path: string): Promise<Frames> {
  return framesIn(await readFile(path), Number.POSITIVE_INFINITY);
}
