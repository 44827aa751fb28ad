import { ByteReader, ByteWriter } from './bytes.ts';
import { decodeFloats, encodeFloats } from './floats.ts';
import { decodeIntegers, encodeIntegers } from './integers.ts';
import { bestGuess, restore } from './prediction.ts';
import { quantise, unquantise } from './quantise.ts';

/**
 * A column of numbers as bytes. The first byte holds the power of ten in its lower half and the kind of prediction in its
 * upper half; behind it follow base and step and then the range-coded rest. A column that cannot be counted in steps has
 * the first byte {@link FLOATS} and then its bits.
 */

const FLOATS = 0xff;

const writer = new ByteWriter();
let whole = new Float64Array(1024);
let rest = new Float64Array(1024);
let scratch = new Float64Array(1024);

function makeRoom(count: number): void {
  if (count <= whole.length) return;
  whole = new Float64Array(2 * count);
  rest = new Float64Array(2 * count);
  scratch = new Float64Array(2 * count);
}

/** Codes the first `count` of the values, which are finite. */
export function encodeColumn(values: Float64Array, count: number): Uint8Array {
  makeRoom(count);
  const steps = quantise(values, count, whole);
  if (steps === null) {
    writer.byte(FLOATS);
    writer.bytes(encodeFloats(values, count));
    return writer.take();
  }
  const guess = bestGuess(whole, count, rest, scratch);
  writer.byte(steps.power + 16 * guess);
  writer.signed(steps.base);
  writer.varint(steps.step);
  writer.bytes(encodeIntegers(rest, count));
  return writer.take();
}

/** Fills `out` with the `count` values that {@link encodeColumn} wrote from `start` to `end`. */
export function decodeColumn(bytes: Uint8Array, start: number, end: number, count: number, out: Float64Array): void {
  const reader = new ByteReader(bytes, start, end);
  const first = reader.byte();
  if (first === FLOATS) {
    decodeFloats(bytes, reader.at, end, count, out);
    return;
  }
  const steps = { power: first % 16, base: reader.signed(), step: reader.varint() };
  decodeIntegers(bytes, reader.at, end, count, out);
  restore(Math.floor(first / 16), out, count);
  unquantise(steps, out, count);
}
