import { crc32, constants as zlib, zstdCompressSync } from 'node:zlib';
import { ByteWriter } from '../codec/bytes.ts';
import { encodeColumn } from '../codec/column.ts';
import { writeRuns } from '../codec/runs.ts';
import { NOT_IN_TICK, UNSET_CODE } from './absence.ts';
import { KIND, MAGIC, PREFIX_BYTES } from './block-format.ts';
import type { DeviceRows, Segment, Varying } from './segment.ts';

/** Earlier columns of a device that a column is compared with. */
const MOST_CANDIDATES = 32;
const NOTHING = new Uint8Array();
const LEVEL = { [zlib.ZSTD_c_compressionLevel]: 9 };

/** Codes a segment as a block, with a yield behind every column. */
export function* encodeBlock(segment: Segment): Generator<void, Uint8Array> {
  return yield* new BlockEncoder(segment).run();
}

class BlockEncoder {
  readonly #segment: Segment;
  readonly #header = new ByteWriter();
  readonly #runs = new ByteWriter();
  readonly #columns: Uint8Array[] = [];
  /** Values of one column at the rows where it is present. */
  readonly #values: Float64Array;
  readonly #codes: Uint8Array;

  constructor(segment: Segment) {
    this.#segment = segment;
    this.#values = new Float64Array(segment.rows);
    this.#codes = new Uint8Array(segment.rows);
  }

  *run(): Generator<void, Uint8Array> {
    const { rows, width, at, sequence, devices } = this.#segment;
    this.#header.varint(rows);
    this.#header.varint(width);
    this.#put(encodeColumn(at, rows));
    this.#put(encodeColumn(sequence, rows));
    this.#header.varint(devices.size);
    for (const device of [...devices.values()].sort((a, b) => a.device - b.device)) yield* this.#device(device);
    return this.#finish();
  }

  *#device(device: DeviceRows): Generator<void, void> {
    const { rows, width } = this.#segment;
    this.#header.varint(device.device);
    this.#putRuns(device.states, rows);
    const earlier: Varying[] = [];
    let before = -1;
    for (let column = 0; column < width; column++) {
      const varying = device.changed(column);
      if (varying === undefined && device.lastCodes[column] === UNSET_CODE) continue;
      this.#header.varint(column - before);
      before = column;
      if (varying === undefined) {
        this.#constant(device.last[column]!, device.lastCodes[column]!);
      } else if (!this.#relative(varying, earlier)) {
        this.#varying(varying, device.states);
        if (earlier.length < MOST_CANDIDATES) earlier.push(varying);
        yield;
      }
    }
    this.#header.varint(0);
  }

  #constant(value: number, code: number): void {
    if (code === 0) {
      this.#header.byte(KIND.constant);
      this.#header.number(value);
    } else {
      this.#header.byte(KIND.absent);
      this.#header.byte(code);
    }
  }

  /** Writes a column that follows from another one, such as free memory from used. */
  #relative(column: Varying, earlier: readonly Varying[]): boolean {
    const { rows } = this.#segment;
    for (const other of earlier) {
      if (column.codes !== null || other.codes !== null) continue;
      if (isSame(column.values, other.values, rows)) {
        this.#header.byte(KIND.same);
        this.#header.varint(other.column);
        return true;
      }
      const sum = column.values[0]! + other.values[0]!;
      if (isComplement(column.values, other.values, sum, rows)) {
        this.#header.byte(KIND.complement);
        this.#header.varint(other.column);
        this.#header.number(sum);
        return true;
      }
    }
    return false;
  }

  #varying({ values, codes }: Varying, states: Uint8Array): void {
    const { rows } = this.#segment;
    let inTick = 0;
    let present = 0;
    for (let row = 0; row < rows; row++) {
      if (states[row] === NOT_IN_TICK) continue;
      const code = codes === null ? 0 : codes[row]!;
      this.#codes[inTick++] = code;
      if (code === 0) this.#values[present++] = values[row]!;
    }
    if (present < inTick) {
      this.#header.byte(KIND.broken);
      this.#putRuns(this.#codes, inTick);
    } else {
      this.#header.byte(KIND.varying);
    }
    this.#put(present === 0 ? NOTHING : encodeColumn(this.#values, present));
  }

  #putRuns(codes: Uint8Array, count: number): void {
    writeRuns(this.#runs, codes, count);
    const runs = this.#runs.take();
    this.#header.varint(runs.length);
    this.#header.bytes(runs);
  }

  #put(column: Uint8Array): void {
    this.#header.varint(column.length);
    this.#columns.push(column);
  }

  #finish(): Uint8Array {
    const plain = this.#header.take();
    const header = zstdCompressSync(plain, { params: LEVEL, pledgedSrcSize: plain.length });
    const size = this.#columns.reduce((sum, column) => sum + column.length, PREFIX_BYTES + header.length);
    const block = new Uint8Array(size);
    const view = new DataView(block.buffer);
    view.setUint32(0, MAGIC, true);
    view.setUint32(8, header.length, true);
    block.set(header, PREFIX_BYTES);
    let at = PREFIX_BYTES + header.length;
    for (const column of this.#columns) {
      block.set(column, at);
      at += column.length;
    }
    view.setUint32(4, crc32(block.subarray(8)), true);
    return block;
  }
}

function isSame(a: Float64Array, b: Float64Array, rows: number): boolean {
  for (let row = 0; row < rows; row++) if (a[row] !== b[row]) return false;
  return true;
}

function isComplement(a: Float64Array, b: Float64Array, sum: number, rows: number): boolean {
  for (let row = 0; row < rows; row++) if (sum - b[row]! !== a[row]) return false;
  return true;
}
