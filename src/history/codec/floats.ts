import { Models, RangeDecoder, RangeEncoder } from './range-coder.ts';

/**
 * Numbers that are no decimal fractions of few digits, bit for bit: the difference of the bits from those of the number
 * before, byte by byte from the top, each byte foreseen by its place and by whether the byte above was the same.
 */

const BYTES = 8;
const TREE = 256;

const models = new Models(2 * BYTES * TREE);
const encoder = new RangeEncoder();
const decoder = new RangeDecoder();

const number = new Float64Array(1);
/** Its bytes, the lowest first. */
const bits = new Uint8Array(number.buffer);
const before = new Uint8Array(BYTES);

export function encodeFloats(values: Float64Array, count: number): Uint8Array {
  models.reset();
  before.fill(0);
  for (let i = 0; i < count; i++) {
    number[0] = values[i]!;
    let isNew = 0;
    for (let place = BYTES - 1; place >= 0; place--) {
      const changed = bits[place]! ^ before[place]!;
      const base = (2 * place + isNew) * TREE;
      let node = 1;
      for (let bit = 7; bit >= 0; bit--) {
        const decision = (changed >>> bit) & 1;
        encoder.bit(models, base + node, decision);
        node = 2 * node + decision;
      }
      isNew = changed === 0 ? 0 : 1;
    }
    before.set(bits);
  }
  return encoder.finish();
}

export function decodeFloats(bytes: Uint8Array, start: number, end: number, count: number, out: Float64Array): void {
  models.reset();
  decoder.open(bytes, start, end);
  before.fill(0);
  for (let i = 0; i < count; i++) {
    let isNew = 0;
    for (let place = BYTES - 1; place >= 0; place--) {
      const base = (2 * place + isNew) * TREE;
      const changed = decoder.tree(models, base, 8);
      bits[place] = before[place]! ^ changed;
      isNew = changed === 0 ? 0 : 1;
    }
    before.set(bits);
    out[i] = number[0]!;
  }
}
