import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineSplitter, MAX_LINE_BYTES } from './lines.ts';

function split(chunks: Uint8Array[]): { lines: string[]; tooLong: number[]; nulBytes: number } {
  const lines: string[] = [];
  const tooLong: number[] = [];
  const splitter = new LineSplitter({
    line: (bytes, start, end, number, terminated) =>
      lines.push(`${number}${terminated ? '' : '?'}:${Buffer.from(bytes.slice(start, end)).toString('latin1')}`),
    tooLong: (number) => tooLong.push(number),
  });
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return { lines, tooLong, nulBytes: splitter.nulBytes };
}

const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'));

test('lines end with LF or CR LF, and the last one may have no end', () => {
  const check = (text: string, want: string[]) => expect(split([bytes(text)]).lines).toEqual(want);
  check('', []);
  check('a', ['1?:a']);
  check('a\n', ['1:a']);
  check('a\r\nb\n', ['1:a', '2:b']);
  check('a\r\r\n', ['1:a']);
  check('a\n\nb', ['1:a', '2:', '3?:b']);
  check('a\rb\n', ['1:a\rb']);
  check('\xef\xbb\xbfa\n', ['1:a']);
  check('x\n\xef\xbb\xbfa\n', ['1:x', '2:a']);
  check('\xff\xfe\x80\n', ['1:\xff\xfe\x80']);
});

test('NUL bytes are removed and counted, wherever they are', () => {
  expect(split([bytes('\0\0a\0b\n\0'), bytes('\0c')])).toEqual({ lines: ['1:ab', '2?:c'], tooLong: [], nulBytes: 5 });
});

test('a line that does not end is dropped up to its end, and the next one is read', () => {
  const long = 'x'.repeat(MAX_LINE_BYTES + 1);
  const check = (chunks: string[]) =>
    expect(split(chunks.map(bytes))).toEqual({ lines: ['1:a', '3:b'], tooLong: [2], nulBytes: 0 });
  check([`a\n${long}\nb\n`]);
  check([`a\n${long}`, 'x', `${long}\nb\n`]);
  expect(split([bytes(long)]).tooLong).toEqual([1]);
  expect(split([bytes(`${'x'.repeat(MAX_LINE_BYTES)}\n`)]).tooLong).toEqual([]);
});

test('where the stream is cut into chunks makes no difference', () => {
  const byte = fc.constantFrom(...[...'a\n\r\0"'].map((character) => character.charCodeAt(0)), 0xef, 0xbb, 0xbf);
  fc.assert(
    fc.property(fc.array(fc.array(byte)), (chunks) => {
      const whole = Uint8Array.from(chunks.flat());
      expect(split(chunks.map((chunk) => Uint8Array.from(chunk)))).toEqual(split([whole]));
    }),
  );
});
