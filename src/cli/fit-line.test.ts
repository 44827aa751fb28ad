import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitLine } from './fit-line.ts';
import { paint } from './paint.ts';
import { displayWidth } from './text-table.ts';

const red = (text: string): string => paint(true)('red', text);
const RESET = '\u001b[0m';

test('a line is cut behind a word, never in a number', () => {
  const check = (line: string, width: number, want: string) => expect(fitLine(line, width), line).toBe(want);
  check('10240 / 81920 MB', 16, '10240 / 81920 MB');
  check('10240 / 81920 MB', 15, '10240 / 81920…');
  check('10240 / 81920 MB', 12, '10240 /…');
  check('10240 / 81920 MB', 7, '10240…');
  check('10240', 3, '10…');
  check('显存 已满', 7, '显存…');
  check('', 1, '');
});

test('colours take no place, and end where the line does', () => {
  expect(fitLine(red('12345678'), 8)).toBe(red('12345678'));
  expect(fitLine(`${red('one two')} three`, 6)).toBe(`${red('one').replace(RESET, '')}${RESET}…`);
  expect(fitLine(`${red('one')} two three`, 9)).toBe(`${red('one')} two…`);
});

test('nothing is wider than it may be, and no colour is left on', () => {
  const word = fc.string({ maxLength: 12 }).map((text) => text.replaceAll(/[^ -~]/g, 'x'));
  const part = fc.oneof(word, word.map(red), fc.constantFrom('显存', '已满 '));
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), fc.integer({ min: 3, max: 60 }), (parts, width) => {
      const fitted = fitLine(parts.join(' '), width);
      const bare = fitted.replaceAll(RESET, '').replaceAll('\u001b[31m', '');
      expect(displayWidth(bare)).toBeLessThanOrEqual(width);
      const last = fitted.lastIndexOf('\u001b[31m');
      if (last >= 0) expect(fitted.indexOf(RESET, last)).toBeGreaterThan(last);
    }),
  );
});
