import type { PageFile } from './pages.ts';

/** A value as SQLite stores it. */
export type Cell = number | string | Uint8Array | null;

export interface Row {
  readonly id: number;
  readonly cells: readonly Cell[];
}

/** Pages of this type hold rows of tables. */
const LEAF = 0x0d;
const PAGE_1_HEADER = 100;
const MOST_PAYLOAD = 2 ** 28;

/** Every row of every table that is whole, page by page, with a null behind every page. */
export function* rowsOf(file: PageFile): Generator<Row | null> {
  for (let page = 1; page <= file.pages; page++) {
    const bytes = file.read(page);
    const header = page === 1 ? PAGE_1_HEADER : 0;
    if (bytes[header] === LEAF && !file.isFree(page)) {
      const count = bytes.readUInt16BE(header + 3);
      for (let i = 0; i < count && header + 10 + 2 * i <= bytes.length; i++) {
        const row = rowAt(file, bytes, bytes.readUInt16BE(header + 8 + 2 * i));
        if (row !== null) yield row;
      }
    }
    yield null;
  }
}

function rowAt(file: PageFile, page: Buffer, at: number): Row | null {
  try {
    const [size, afterSize] = varint(page, at);
    const [id, start] = varint(page, afterSize);
    const payload = payloadOf(file, page, start, size);
    return payload === null ? null : { id, cells: cellsOf(payload) };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** The bytes of a row, which go on in pages of their own where they are many; null where one of those is gone. */
function payloadOf(file: PageFile, page: Buffer, start: number, size: number): Buffer | null {
  const usable = file.pageSize;
  const most = usable - 35;
  if (size <= most) return start + size <= usable ? page.subarray(start, start + size) : null;
  if (size > MOST_PAYLOAD) return null;
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const fitting = least + ((size - least) % (usable - 4));
  const local = fitting <= most ? fitting : least;
  const parts = [page.subarray(start, start + local)];
  let next = page.readUInt32BE(start + local);
  for (let left = size - local; left > 0; left -= usable - 4) {
    if (next < 1 || next > file.pages) return null;
    const overflow = file.read(next);
    next = overflow.readUInt32BE(0);
    parts.push(overflow.subarray(4, 4 + Math.min(left, usable - 4)));
  }
  return Buffer.concat(parts);
}

function cellsOf(payload: Buffer): Cell[] {
  const [headerSize, first] = varint(payload, 0);
  const cells: Cell[] = [];
  let body = headerSize;
  for (let at = first; at < headerSize; ) {
    const [type, next] = varint(payload, at);
    at = next;
    const length = lengthOf(type);
    if (body + length > payload.length) throw new RangeError('a row that is cut short');
    cells.push(cellOf(type, payload.subarray(body, body + length)));
    body += length;
  }
  return cells;
}

function lengthOf(type: number): number {
  if (type >= 12) return Math.floor((type - 12) / 2);
  return [0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0][type]!;
}

function cellOf(type: number, bytes: Buffer): Cell {
  if (type >= 12) return type % 2 === 0 ? new Uint8Array(bytes) : bytes.toString('utf8');
  if (type === 0) return null;
  if (type === 7) return bytes.readDoubleBE(0);
  if (type === 6) return Number(bytes.readBigInt64BE(0));
  if (type >= 8) return type - 8;
  return bytes.readIntBE(0, bytes.length);
}

/** A number of one to nine bytes, the highest first, and where the next one begins. */
function varint(bytes: Buffer, start: number): readonly [number, number] {
  let value = 0;
  for (let at = start; at < start + 8; at++) {
    const byte = bytes.readUInt8(at);
    value = value * 128 + (byte % 128);
    if (byte < 128) return [value, at + 1];
  }
  return [value * 256 + bytes.readUInt8(start + 8), start + 9];
}
