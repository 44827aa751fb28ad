import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type OutputLine, OutputLines } from './output-lines.ts';

function read(text: string, cut = 1e9): readonly OutputLine[] {
  const lines = new OutputLines();
  const bytes = Buffer.from(text);
  const found: OutputLine[] = [];
  for (let at = 0; at < bytes.length; at += cut) found.push(...lines.push(bytes.subarray(at, at + cut)));
  return [...found, ...lines.end()];
}

function words(text: string): string[] {
  return read(text).map((line) => `${line.isRedrawn ? '~' : ''}${line.text}`);
}

test('lines end at line feeds, also where a terminal adds a carriage return', () => {
  expect(words('a\nb\r\nc')).toEqual(['a', 'b', 'c']);
  expect(words('a\n\nb\n')).toEqual(['a', '', 'b']);
});

test('a progress bar draws over its line', () => {
  expect(words('\r10%|\r20%|\r30%|\ndone\n')).toEqual(['~10%|', '~20%|', '30%|', 'done']);
});

test('colours, titles and cursor moves are no text', () => {
  expect(words('\u001b[1;31mred\u001b[0m \u001b]0;title\u0007x\u001b[2K\u001b[1G y\n')).toEqual(['red x y']);
});

test('what is longer than any line is cut, and nothing of it is lost', () => {
  const text = 'x'.repeat(100_000);
  const found = read(text);
  expect(found.length).toBeGreaterThan(1);
  expect(found.map((line) => line.text).join('')).toBe(text);
});

test('where the bytes are cut makes no difference', () => {
  const piece = fc.constantFrom('a', '损失', '\n', '\r', '\r\n', ' ', '\u001b[0m', '😀');
  fc.assert(
    fc.property(fc.array(piece), fc.integer({ min: 1, max: 7 }), (pieces, cut) => {
      expect(read(pieces.join(''), cut)).toEqual(read(pieces.join('')));
    }),
  );
});
