import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteReader, ByteWriter } from './bytes.ts';

test('numbers come back as they were written', () => {
  const writer = new ByteWriter();
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })),
      fc.array(fc.integer({ min: -(2 ** 52) + 1, max: 2 ** 52 - 1 })),
      fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)),
      (whole, signed, any) => {
        for (const value of whole) writer.varint(value);
        for (const value of signed) writer.signed(value);
        for (const value of any) writer.number(value);
        const reader = new ByteReader(writer.take());
        for (const value of whole) expect(reader.varint()).toBe(value);
        for (const value of signed) expect(reader.signed() + 0).toBe(value + 0);
        for (const value of any) expect(reader.number() + 0).toBe(value + 0);
        expect(reader.isAtEnd).toBe(true);
        expect(() => reader.byte()).toThrow(RangeError);
      },
    ),
  );
});

test('usual readings are short', () => {
  const length = (value: number): number => {
    const writer = new ByteWriter();
    writer.number(value);
    return writer.length;
  };
  const check = (value: number, want: number) => expect(length(value), `${value}`).toBe(want);
  check(0, 2);
  check(42, 2);
  check(0.87, 3);
  check(512.125, 4);
  check(80 * 2 ** 30, 7);
  check(Math.PI, 9);
});

test('a number of more bits than fit is refused', () => {
  expect(() => new ByteReader(new Uint8Array(20).fill(0xff)).varint()).toThrow(RangeError);
});
