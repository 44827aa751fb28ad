import { crc32, zstdDecompressSync } from 'node:zlib';
import { ByteReader } from '../codec/bytes.ts';
import { decodeColumn } from '../codec/column.ts';
import { readRuns } from '../codec/runs.ts';
import { NOT_IN_TICK, UNSET_CODE } from './absence.ts';
import { KIND, MAGIC, PREFIX_BYTES } from './block-format.ts';
import { type ColumnRows, constantColumn, type RowTable } from './row-table.ts';

/**
 * What the header says of one device. A block has thousands of columns and a query asks for a few, so nothing is made of
 * a column before it is asked for: only where it is described and where its bytes begin is noted, by its number.
 */
interface DeviceEntry {
  readonly states: Uint8Array;
  /** False where the device was in every tick. */
  readonly hasHoles: boolean;
  /** Place of its description in the header; 0 where it has none. */
  readonly places: Int32Array;
  readonly starts: Int32Array;
}

/** Throws a RangeError where the bytes are not those of a whole, undamaged block. */
export function checkBlock(bytes: Uint8Array): void {
  if (bytes.length < PREFIX_BYTES) throw new RangeError('a block that is cut short');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (view.getUint32(0, true) !== MAGIC) throw new RangeError('not a block');
  if (view.getUint32(4, true) !== crc32(bytes.subarray(8))) throw new RangeError('a block whose checksum is wrong');
}

/** A block whose header has been read; columns are decoded when they are asked for. */
export class Block implements RowTable {
  readonly rows: number;
  readonly #bytes: Uint8Array;
  readonly #header: Uint8Array;
  readonly #devices = new Map<number, DeviceEntry>();
  readonly #times: readonly [number, number];
  readonly #sequences: readonly [number, number];
  #at: Float64Array | null = null;
  #sequence: Float64Array | null = null;
  /** Where the next column begins, while the header is read. */
  #next: number;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    const packed = new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(8, true);
    this.#next = PREFIX_BYTES + packed;
    this.#header = zstdDecompressSync(bytes.subarray(PREFIX_BYTES, this.#next));
    const header = new ByteReader(this.#header);
    this.rows = header.varint();
    const width = header.varint();
    this.#times = this.#stretch(header);
    this.#sequences = this.#stretch(header);
    for (let devices = header.varint(); devices > 0; devices--) this.#readDevice(header, width);
  }

  get at(): Float64Array {
    this.#at ??= this.#decode(...this.#times, this.rows);
    return this.#at;
  }

  get sequence(): Float64Array {
    this.#sequence ??= this.#decode(...this.#sequences, this.rows);
    return this.#sequence;
  }

  deviceIds(): readonly number[] {
    return [...this.#devices.keys()];
  }

  columnsOf(device: number): readonly number[] {
    const places = this.#devices.get(device)?.places ?? new Int32Array();
    return [...places.keys()].filter((column) => places[column] !== 0);
  }

  states(device: number): Uint8Array | null {
    return this.#devices.get(device)?.states ?? null;
  }

  column(device: number, column: number, rows = this.rows): ColumnRows {
    const entry = this.#devices.get(device);
    const place = entry?.places[column] ?? 0;
    if (entry === undefined || place === 0) return constantColumn(Number.NaN, UNSET_CODE);
    const header = new ByteReader(this.#header, place);
    switch (header.byte()) {
      case KIND.absent:
        return constantColumn(Number.NaN, header.byte());
      case KIND.constant:
        return constantColumn(header.number(), 0);
      case KIND.varying:
        return this.#stored(entry, null, entry.starts[column]!, header, rows);
      case KIND.broken:
        return this.#stored(entry, sub(header), entry.starts[column]!, header, rows);
      case KIND.same:
        return this.column(device, header.varint(), rows);
      default:
        return complement(this.column(device, header.varint(), rows), header.number());
    }
  }

  holdsValues(device: number, column: number): boolean {
    const place = this.#devices.get(device)?.places[column] ?? 0;
    if (place === 0) return false;
    const header = new ByteReader(this.#header, place);
    const kind = header.byte();
    if (kind !== KIND.broken) return kind !== KIND.absent;
    sub(header);
    return header.varint() > 0;
  }

  #stored(
    { states, hasHoles }: DeviceEntry,
    runs: ByteReader | null,
    start: number,
    header: ByteReader,
    rows: number,
  ): ColumnRows {
    const end = start + header.varint();
    if (runs === null && !hasHoles) {
      return { values: this.#decode(start, end, rows), constant: Number.NaN, codes: null, code: 0 };
    }
    const packed = new Uint8Array(hasHoles ? inTick(states) : this.rows);
    if (runs !== null) readRuns(runs, packed);
    const present = packed.reduce((sum, code) => (code === 0 ? sum + 1 : sum), 0);
    const dense = this.#decode(start, end, present);
    const values = new Float64Array(this.rows).fill(Number.NaN);
    const codes = new Uint8Array(this.rows).fill(UNSET_CODE);
    for (let row = 0, tick = 0, at = 0; row < this.rows; row++) {
      if (states[row] === NOT_IN_TICK) continue;
      const code = packed[tick++]!;
      codes[row] = code;
      if (code === 0) values[row] = dense[at++]!;
    }
    return { values, constant: Number.NaN, codes, code: 0 };
  }

  #decode(start: number, end: number, count: number): Float64Array {
    const out = new Float64Array(count);
    if (count > 0) decodeColumn(this.#bytes, start, end, count, out);
    return out;
  }

  #readDevice(header: ByteReader, width: number): void {
    const id = header.varint();
    const states = new Uint8Array(this.rows);
    readRuns(sub(header), states);
    const places = new Int32Array(width);
    const starts = new Int32Array(width);
    let column = -1;
    for (let gap = header.varint(); gap !== 0; gap = header.varint()) {
      column += gap;
      if (column >= width) throw new RangeError('a column behind the last one');
      places[column] = header.at;
      starts[column] = this.#next;
      this.#skipColumn(header);
    }
    this.#devices.set(id, { states, hasHoles: states.includes(NOT_IN_TICK), places, starts });
  }

  #skipColumn(header: ByteReader): void {
    switch (header.byte()) {
      case KIND.absent:
        header.byte();
        break;
      case KIND.constant:
        header.number();
        break;
      case KIND.varying:
        this.#next += header.varint();
        break;
      case KIND.broken:
        header.bytes(header.varint());
        this.#next += header.varint();
        break;
      case KIND.same:
        header.varint();
        break;
      case KIND.complement:
        header.varint();
        header.number();
        break;
      default:
        throw new RangeError('a column of an unknown kind');
    }
  }

  #stretch(header: ByteReader): readonly [number, number] {
    const start = this.#next;
    this.#next += header.varint();
    return [start, this.#next];
  }
}

function complement(other: ColumnRows, sum: number): ColumnRows {
  return other.values === null ? other : { ...other, values: other.values.map((value) => sum - value) };
}

function inTick(states: Uint8Array): number {
  return states.reduce((sum, state) => (state === NOT_IN_TICK ? sum : sum + 1), 0);
}

/** A reader of the bytes whose length comes first, which are then skipped. */
function sub(header: ByteReader): ByteReader {
  const length = header.varint();
  const start = header.at;
  header.bytes(length);
  return new ByteReader(header.source, start, start + length);
}
