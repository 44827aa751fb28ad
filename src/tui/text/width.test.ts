import { expect, test } from 'vitest';
import { charWidth, cut, harmless, padded, scrolled, textWidth } from './width.ts';

test.each([
  ['a', 1],
  ['…', 1],
  ['⣿', 1],
  ['显', 2],
  ['，', 2],
  ['（', 2],
  ['한', 2],
  ['🚀', 2],
  ['\u0301', 0],
] as const)('%s takes %i places', (char, width) => expect(charWidth(char)).toBe(width));

test('a text is cut before the place that it does not fit into', () => {
  expect(cut('显存利用率', 6)).toBe('显存…');
  expect(cut('显存利用率', 10)).toBe('显存利用率');
  expect(textWidth(padded('显存', 7, 'right'))).toBe(7);
  expect(scrolled('显存 python', 1)).toBe(' 存 python');
});

test('what a terminal would act on is shown instead', () => {
  expect(harmless('py\x1b[31mthon\x07\u202e')).toBe('py·[31mthon··');
});
