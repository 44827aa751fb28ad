import type { Millis } from '../../model/reading.ts';
import { ByteReader, ByteWriter, inThousandths } from '../codec/bytes.ts';
import { NOT_IN_TICK } from './absence.ts';
import type { Segment } from './segment.ts';

/**
 * A row of a {@link Segment} as bytes, which are on the disk until the segment is sealed: only what changed since the row
 * before. The first row of a segment says so and holds everything.
 *
 *     flags  (1: first row)      1 byte
 *     time   (since the row before, or since 1970)   signed
 *     sequence   (since the row before, or since 0)  signed
 *     per device: id + 1         varint, 0 ends the row
 *       state                    1 byte
 *       per change: 4 * (columns further on) + kind  varint, 0 ends the device
 *         kind 0: difference in thousandths          signed
 *         kind 1: the number                         8 bytes
 *         kind 2: reason of the absence              1 byte
 */

/** The layout of values whose places are given by the numbers of their columns. */
export function layoutOf(numbers: readonly number[]): Layout {
  const sorted = numbers.map((number, place) => ({ number, place })).sort((a, b) => a.number - b.number);
  return {
    columns: Uint16Array.from(sorted, ({ number }) => number),
    places: Uint16Array.from(sorted, ({ place }) => place),
  };
}

const FIRST = 1;
const DIFFERENCE = 0;
const NUMBER = 1;
const ABSENT = 2;

const writer = new ByteWriter();

/** Values of one device at one time. */
export interface RowPart {
  readonly device: number;
  readonly state: number;
  /** Values and codes, those of this device from `offset` on. */
  readonly values: Float64Array;
  readonly codes: Uint8Array;
  readonly offset: number;
  readonly layout: Layout;
}

/** Which column is at which place of the values, in the order of the columns. */
export interface Layout {
  readonly columns: Uint16Array;
  readonly places: Uint16Array;
}

/** Appends a row to a segment and returns its bytes. */
export function appendRow(segment: Segment, at: Millis, sequence: number, parts: readonly RowPart[]): Uint8Array {
  const { rows } = segment;
  writer.byte(rows === 0 ? FIRST : 0);
  writer.signed(rows === 0 ? at : at - segment.at[rows - 1]!);
  writer.signed(rows === 0 ? sequence : sequence - segment.sequence[rows - 1]!);
  segment.begin(at, sequence);
  for (const part of parts) appendPart(segment, part);
  segment.end();
  writer.varint(0);
  return writer.take();
}

function appendPart(segment: Segment, { device, state, values, codes, offset, layout }: RowPart): void {
  const { columns, places } = layout;
  const row = segment.rows;
  const rows = segment.rowsOf(device);
  const { last, lastCodes } = rows;
  writer.varint(device + 1);
  writer.byte(state);
  let before = -1;
  for (let i = 0; i < columns.length; i++) {
    const column = columns[i]!;
    const place = offset + places[i]!;
    const code = codes[place]!;
    const value = code === 0 ? values[place]! : Number.NaN;
    if (lastCodes[column] === code && (code !== 0 || last[column] === value)) continue;
    writeChange(column - before, last[column]!, value, code);
    before = column;
    rows.put(row, column, value, code);
  }
  writer.varint(0);
  rows.end(row, state);
}

function writeChange(gap: number, old: number, value: number, code: number): void {
  if (code !== 0) {
    writer.varint(4 * gap + ABSENT);
    writer.byte(code);
    return;
  }
  const difference = inThousandths(value) - base(old);
  if (Number.isNaN(difference)) {
    writer.varint(4 * gap + NUMBER);
    writer.float(value);
  } else {
    writer.varint(4 * gap + DIFFERENCE);
    writer.signed(difference);
  }
}

/** What a difference is counted from: both sides find it in what they hold. */
function base(old: number): number {
  const scaled = inThousandths(old);
  return Number.isNaN(scaled) ? 0 : scaled;
}

/** True where the bytes are the first row of a segment. */
export function startsSegment(body: Uint8Array): boolean {
  return body[0] === FIRST;
}

/** Appends the row to the segment again. Throws a RangeError for damaged bytes, and the segment is then as before. */
export function replayRow(segment: Segment, body: Uint8Array): void {
  const { rows } = segment;
  try {
    const reader = new ByteReader(body);
    const isFirst = reader.byte() === FIRST;
    if (isFirst !== (rows === 0)) throw new RangeError('a row without the row before');
    const at = reader.signed() + (isFirst ? 0 : segment.at[rows - 1]!);
    segment.begin(at, reader.signed() + (isFirst ? 0 : segment.sequence[rows - 1]!));
    for (let device = reader.varint(); device !== 0; device = reader.varint()) replayPart(segment, device - 1, reader);
    segment.end();
  } catch (error) {
    segment.cut(rows);
    throw error;
  }
}

function replayPart(segment: Segment, device: number, reader: ByteReader): void {
  const rows = segment.rowsOf(device);
  const state = reader.byte();
  if (state === NOT_IN_TICK) throw new RangeError('a device that is not in its tick');
  let column = -1;
  for (let word = reader.varint(); word !== 0; word = reader.varint()) {
    column += Math.floor(word / 4);
    if (column >= segment.width) throw new RangeError(`column ${column} is not known`);
    const kind = word % 4;
    if (kind === ABSENT) rows.put(segment.rows, column, Number.NaN, reader.byte());
    else if (kind === NUMBER) rows.put(segment.rows, column, reader.float(), 0);
    else rows.put(segment.rows, column, (base(rows.last[column]!) + reader.signed()) / 1000, 0);
  }
  rows.end(segment.rows, state);
}
