import { ByteReader, ByteWriter } from './bytes.ts';
import { Models, RangeDecoder, RangeEncoder } from './range-coder.ts';
import { BitReader, BitWriter, MOST_BITS } from './raw-bits.ts';

/**
 * Whole numbers that are mostly small, such as what a prediction left over. Each is coded as its number of binary digits,
 * which is foreseen from the two numbers before it, then the digits, of which the first three are foreseen, then the sign,
 * which is foreseen from the sign before. The other digits are as good as random and lie behind all that as they are.
 */

/** Contexts of the number of digits: how large the two numbers before were. */
const CONTEXTS = 20;
/** First the decision for zero, then a tree of four binary decisions for 1…15 digits; 16 stands for more. */
const LENGTH_MODELS = 16;
const MORE_DIGITS = 15;
/** A tree of six decisions for the digits beyond 15. */
const LONG = CONTEXTS * LENGTH_MODELS;
const LONG_DIGITS = 6;
/** Per number of digits a tree for the first three digits behind the leading one. */
const MANTISSA = LONG + 2 ** LONG_DIGITS;
const FORESEEN_DIGITS = 3;
const MANTISSA_MODELS = 2 ** FORESEEN_DIGITS;
const SIGN = MANTISSA + 64 * MANTISSA_MODELS;
const COUNT = SIGN + 3;

const models = new Models(COUNT);
const encoder = new RangeEncoder();
const decoder = new RangeDecoder();
const rawWriter = new BitWriter();
const rawReader = new BitReader();
const writer = new ByteWriter();

function contextOf(last: number, beforeLast: number): number {
  if (last === 0) return beforeLast === 0 ? 0 : 1;
  return Math.min(CONTEXTS - 1, 1 + Math.floor((2 * last + beforeLast + 2) / 3));
}

function digitsIn(magnitude: number): number {
  if (magnitude < 2 ** 32) return 32 - Math.clz32(magnitude);
  return 64 - Math.clz32(Math.floor(magnitude / 2 ** 32));
}

/** Codes the first `count` numbers, whose magnitudes are below 2^53. */
export function encodeIntegers(values: Float64Array, count: number): Uint8Array {
  models.reset();
  let last = 0;
  let beforeLast = 0;
  let sign = SIGN;
  for (let i = 0; i < count; i++) {
    const value = values[i]!;
    const magnitude = Math.abs(value);
    const digits = magnitude === 0 ? 0 : digitsIn(magnitude);
    putLength(digits, contextOf(last, beforeLast) * LENGTH_MODELS);
    if (digits > 0) {
      putDigits(magnitude, digits);
      const isNegative = value < 0 ? 1 : 0;
      encoder.bit(models, sign, isNegative);
      sign = SIGN + 1 + isNegative;
    }
    beforeLast = last;
    last = digits;
  }
  const foreseen = encoder.finish();
  writer.varint(foreseen.length);
  writer.bytes(foreseen);
  writer.bytes(rawWriter.take());
  return writer.take();
}

function putLength(digits: number, base: number): void {
  encoder.bit(models, base, digits === 0 ? 1 : 0);
  if (digits === 0) return;
  const symbol = Math.min(digits - 1, MORE_DIGITS);
  putTree(base, symbol, 4);
  if (symbol === MORE_DIGITS) putTree(LONG, digits - 1 - MORE_DIGITS, LONG_DIGITS);
}

function putTree(base: number, symbol: number, decisions: number): void {
  let node = 1;
  for (let place = decisions - 1; place >= 0; place--) {
    const bit = (symbol >>> place) & 1;
    encoder.bit(models, base + node, bit);
    node = 2 * node + bit;
  }
}

function putDigits(magnitude: number, digits: number): void {
  const base = MANTISSA + digits * MANTISSA_MODELS;
  let left = digits - 1;
  let node = 1;
  for (let i = 0; i < FORESEEN_DIGITS && left > 0; i++) {
    left--;
    const bit = Math.floor(magnitude / 2 ** left) % 2;
    encoder.bit(models, base + node, bit);
    node = 2 * node + bit;
  }
  let rest = magnitude % 2 ** left;
  while (left > 0) {
    const count = Math.min(left, MOST_BITS);
    left -= count;
    rawWriter.put(Math.floor(rest / 2 ** left), count);
    rest %= 2 ** left;
  }
}

/** Fills `out` with `count` numbers that {@link encodeIntegers} wrote from `start` to `end`. */
export function decodeIntegers(bytes: Uint8Array, start: number, end: number, count: number, out: Float64Array): void {
  models.reset();
  const reader = new ByteReader(bytes, start, end);
  const foreseen = reader.varint();
  const rest = reader.at + foreseen;
  if (rest > end) throw new RangeError('a column that is cut short');
  decoder.open(bytes, reader.at, rest);
  rawReader.open(bytes, rest, end);
  let last = 0;
  let beforeLast = 0;
  let sign = SIGN;
  for (let i = 0; i < count; i++) {
    const digits = takeLength(contextOf(last, beforeLast) * LENGTH_MODELS);
    let value = 0;
    if (digits > 0) {
      value = takeDigits(digits);
      const isNegative = decoder.bit(models, sign);
      sign = SIGN + 1 + isNegative;
      if (isNegative === 1) value = -value;
    }
    out[i] = value;
    beforeLast = last;
    last = digits;
  }
}

function takeLength(base: number): number {
  if (decoder.bit(models, base) === 1) return 0;
  const symbol = decoder.tree(models, base, 4);
  return 1 + (symbol === MORE_DIGITS ? symbol + decoder.tree(models, LONG, LONG_DIGITS) : symbol);
}

function takeDigits(digits: number): number {
  const base = MANTISSA + Math.min(digits, 63) * MANTISSA_MODELS;
  const foreseen = Math.min(digits - 1, FORESEEN_DIGITS);
  let left = digits - 1 - foreseen;
  let value = 2 ** foreseen + decoder.tree(models, base, foreseen);
  while (left > 0) {
    const count = Math.min(left, MOST_BITS);
    value = value * 2 ** count + rawReader.take(count);
    left -= count;
  }
  return value;
}
