import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeColumn, encodeColumn } from './column.ts';

function roundTrip(values: readonly number[]): { bytes: number; back: number[] } {
  const source = Float64Array.from(values);
  const bytes = encodeColumn(source, source.length);
  // Bytes lie somewhere in a block, with others around them.
  const around = new Uint8Array(bytes.length + 7).fill(0xab);
  around.set(bytes, 3);
  const out = new Float64Array(source.length);
  decodeColumn(around, 3, 3 + bytes.length, source.length, out);
  return { bytes: bytes.length, back: [...out] };
}

const decimals = fc.tuple(fc.constantFrom(1, 10, 100, 1000, 1e6), fc.integer({ min: -1e9, max: 1e9 }));

test.each<[string, fc.Arbitrary<number>]>([
  ['any finite numbers', fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)],
  ['whole numbers', fc.maxSafeInteger().map((value) => value + 0)],
  ['small numbers', fc.integer({ min: -3, max: 3 })],
  ['decimal fractions', decimals.map(([divisor, value]) => value / divisor)],
  ['MiB', fc.integer({ min: 0, max: 200_000 }).map((mib) => mib * 2 ** 20)],
  ['bit sets', fc.integer({ min: 0, max: 2 ** 32 - 1 })],
  ['a mixture', fc.oneof(fc.constant(0), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.maxSafeInteger())],
])('%s come back as they were', (_, value) => {
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 400 }), (values) => {
      // A minus in front of zero is the one thing that is not kept.
      expect(roundTrip(values).back.map((each) => each + 0)).toEqual(values.map((each) => each + 0));
    }),
    { numRuns: 60 },
  );
});

test('walks, counters and steps come back, and are small', () => {
  const rows = Array.from({ length: 600 }, (_, i) => i);
  const check = (name: string, value: (i: number) => number, most: number) => {
    const values = rows.map(value);
    const { bytes, back } = roundTrip(values);
    expect(back, name).toEqual(values);
    expect(bytes, name).toBeLessThan(most);
  };
  const noise = (i: number) => ((i * 2_654_435_761) % 2 ** 32) / 2 ** 32;
  check('constant', () => 812, 20);
  check('a counter at a steady pace', (i) => 1e12 + i * 300, 20);
  check('a clock with jitter', (i) => 1_767_268_800_000 + i * 1000 + Math.floor(noise(i) * 3), 330);
  check('whole percent around a level', (i) => (90 + Math.floor(noise(i) * 8)) / 100, 330);
  check('milliwatts', (i) => (500_000 + Math.floor(noise(i) * 16_384)) / 1000, 1300);
  check('two states', (i) => (i % 100 < 50 ? 0 : 4), 40);
  check('megahertz in steps of 15', (i) => (1980 - 15 * Math.floor(noise(i) * 4)) * 1e6, 200);
});

test('what is cut short or of another kind is refused or wrong, but never runs away', () => {
  const bytes = encodeColumn(
    Float64Array.from({ length: 100 }, (_, i) => i * i),
    100,
  );
  const out = new Float64Array(100);
  expect(() => decodeColumn(bytes, 0, 1, 100, out)).toThrow(RangeError);
  expect(() => decodeColumn(Uint8Array.of(0x0f, 0, 1), 0, 3, 100, out)).toThrow(RangeError);
  expect(() => decodeColumn(Uint8Array.of(0xf0, 0, 1), 0, 3, 100, out)).toThrow(RangeError);
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 60 }), (any) => {
      try {
        decodeColumn(any, 0, any.length, 100, out);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
    }),
    { numRuns: 300 },
  );
});
