import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NumberCell } from './number-cell.ts';

function read(text: string): { value: number; rest: string } {
  const bytes = new TextEncoder().encode(text);
  const number = new NumberCell();
  const value = number.read(bytes, 0, bytes.length);
  return { value, rest: text.slice(number.end) };
}

test('reads the number at the start of a cell and leaves its unit', () => {
  const check = (text: string, value: number, rest = '') => expect(read(text), text).toEqual({ value, rest });
  check('0', 0);
  check('35 %', 35, ' %');
  check('26.11', 26.11);
  check('-5', -5);
  check('+5', 5);
  check('.5', 0.5);
  check('5.', 5);
  check('1736203508.750246', 1736203508.750246);
  check('1e3', 1000);
  check('1.5E-3x', 0.0015, 'x');
  check('12e', 12, 'e');
  check('18446744073709551615', 18446744073709552000);
  for (const text of ['', '-', '.', 'abc', '[N/A]', ' 5', '-.', 'NaN', 'Infinity']) {
    expect(read(text).value, text).toBeNaN();
  }
});

test('reads every decimal exactly as Number() does', () => {
  const digits = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 20 }).map((list) => list.join(''));
  fc.assert(
    fc.property(fc.constantFrom('', '-'), digits, fc.option(digits), (sign, whole, fraction) => {
      const text = sign + whole + (fraction === null ? '' : `.${fraction}`);
      expect(read(text)).toEqual({ value: Number(text), rest: '' });
    }),
  );
});
