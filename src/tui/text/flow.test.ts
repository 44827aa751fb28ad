import fc from 'fast-check';
import { expect, test } from 'vitest';
import { flowed, wrapped } from './flow.ts';
import { span } from './span.ts';
import { textWidth } from './width.ts';

const texts = fc.string({ unit: fc.constantFrom('a', 'bc', ' ', '显', '/', '.'), maxLength: 60 });

test('wrapped text keeps every letter, and no line is wider than there is room', () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 2, max: 30 }), (text, width) => {
      const lines = wrapped(text, width);
      for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width);
      expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
    }),
  );
});

test('text is broken at spaces, and a path where the line is full', () => {
  expect(wrapped('clean the fans and raise their speed', 14)).toEqual(['clean the fans', 'and raise', 'their speed']);
  expect(wrapped('/very/long/path', 6)).toEqual(['/very/', 'long/p', 'ath']);
  expect(wrapped('显存占用率', 4)).toEqual(['显存', '占用', '率']);
});

test('facts stay whole and begin a new line where they do not fit', () => {
  const parts = ['GPU 3', 'PCIe 5', 'x16'].map((text) => [span(text)]);
  const lines = flowed(parts, span('  '), 13).map((line) => line.map(({ text }) => text).join(''));
  expect(lines).toEqual(['GPU 3  PCIe 5', 'x16']);
});
