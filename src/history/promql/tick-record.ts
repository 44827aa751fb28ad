import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { CATALOGUE } from '../../model/catalogue.ts';
import type { Device } from '../../model/device.ts';
import type { Millis } from '../../model/reading.ts';
import type { ReadingSet } from '../../model/reading-set.ts';
import { HOST_UUID, type Tick } from '../../model/tick.ts';

const MARK = 1;
const HAS_DISTANCE = 2;
const FIXED_BYTES = 1 + 8 + 4 + 8 + 2 + 2;
const CELL_BYTES = 10;
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** What is said of a tick besides its readings. */
export interface TickHead {
  /** Even milliseconds, see {@link Passes}. */
  readonly at: Millis;
  readonly pass: number;
  /** Since the tick before; null where there is none. */
  readonly distanceMs: number | null;
  readonly isMark: boolean;
  /** Devices whose facts are to be told. */
  readonly facts: readonly Device[];
}

/** The present values of one device; `columns` are positions in the list of metrics that the record was written with. */
interface TickRow {
  readonly uuid: string;
  readonly columns: readonly number[];
  readonly values: readonly number[];
}

export interface RecordedTick extends TickHead {
  readonly rows: readonly TickRow[];
}

/** A tick on its way to the engine, small enough that days of them can wait. Columns are slots of the catalogue. */
export function encodeTick(head: TickHead, tick: Tick): Buffer {
  const facts = head.facts.map((device) => Buffer.from(JSON.stringify(device)));
  const rows: [string, ReadingSet][] = tick.devices.map(({ device, readings }) => [device.uuid, readings]);
  if (tick.host !== undefined) rows.push([HOST_UUID, tick.host.readings]);
  const text = facts.reduce((sum, { length }) => sum + 4 + length, 0);
  const uuids = rows.reduce((sum, [uuid]) => sum + 4 + Buffer.byteLength(uuid), 0);
  const out = Buffer.allocUnsafe(FIXED_BYTES + text + uuids + rows.length * CATALOGUE.length * CELL_BYTES);
  let at = out.writeUInt8((head.isMark ? MARK : 0) | (head.distanceMs === null ? 0 : HAS_DISTANCE), 0);
  at = out.writeDoubleLE(head.at, at);
  at = out.writeUInt32LE(head.pass, at);
  at = out.writeDoubleLE(head.distanceMs ?? 0, at);
  at = out.writeUInt16LE(facts.length, at);
  for (const bytes of facts) {
    at = out.writeUInt32LE(bytes.length, at);
    at += bytes.copy(out, at);
  }
  at = out.writeUInt16LE(rows.length, at);
  for (const [uuid, readings] of rows) at = writeRow(out, at, uuid, readings);
  // Told the size, it does not prepare for a large one, which would cost twice the compression.
  return zstdCompressSync(out.subarray(0, at), { ...FAST, pledgedSrcSize: at });
}

function writeRow(out: Buffer, start: number, uuid: string, { values, codes }: ReadingSet): number {
  const length = out.write(uuid, start + 2);
  out.writeUInt16LE(length, start);
  const countAt = start + 2 + length;
  let at = countAt + 2;
  let count = 0;
  for (let slot = 0; slot < codes.length; slot++) {
    if (codes[slot] !== 0) continue;
    at = out.writeUInt16LE(slot, at);
    at = out.writeDoubleLE(values[slot]!, at);
    count++;
  }
  out.writeUInt16LE(count, countAt);
  return at;
}

/** Throws where the bytes are none of {@link encodeTick}. */
export function decodeTick(bytes: Uint8Array): RecordedTick {
  const from = zstdDecompressSync(bytes);
  const flags = from.readUInt8(0);
  const head = { at: from.readDoubleLE(1), pass: from.readUInt32LE(9) };
  const distanceMs = (flags & HAS_DISTANCE) === 0 ? null : from.readDoubleLE(13);
  const facts: Device[] = [];
  let at = 23;
  for (let left = from.readUInt16LE(21); left > 0; left--) {
    const length = from.readUInt32LE(at);
    facts.push(JSON.parse(from.toString('utf8', at + 4, at + 4 + length)));
    at += 4 + length;
  }
  const rows: TickRow[] = [];
  let rowsLeft = from.readUInt16LE(at);
  at += 2;
  for (; rowsLeft > 0; rowsLeft--) {
    const length = from.readUInt16LE(at);
    const uuid = from.toString('utf8', at + 2, at + 2 + length);
    at += 2 + length;
    const count = from.readUInt16LE(at);
    at += 2;
    const columns = new Array<number>(count);
    const values = new Array<number>(count);
    for (let i = 0; i < count; i++, at += CELL_BYTES) {
      columns[i] = from.readUInt16LE(at);
      values[i] = from.readDoubleLE(at + 2);
    }
    rows.push({ uuid, columns, values });
  }
  return { ...head, distanceMs, isMark: (flags & MARK) !== 0, facts, rows };
}
