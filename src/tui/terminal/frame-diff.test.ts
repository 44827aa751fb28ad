import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GROUNDS, type Line, span, TONES } from '../text/span.ts';
import { createTheme } from '../text/theme.ts';
import { charWidth } from '../text/width.ts';
import { type Frame, frameOf } from './frame.ts';
import { frameChanges } from './frame-diff.ts';

const COLUMNS = 24;
const ROWS = 4;
const THEME = createTheme('dark', 256);

/** The least of a terminal: places the cursor, writes, erases to the end of a line, and keeps the look of each cell. */
class Screen {
  readonly chars = new Array<string>(COLUMNS * ROWS).fill(' ');
  readonly looks = new Array<string>(COLUMNS * ROWS).fill('\x1b[0m');
  #at = 0;
  #look = '\x1b[0m';

  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a terminal acts on.
  static readonly #PARTS = /\x1b\[([\d;]*)([HKm])|([^\x1b])/gu;

  write(text: string): void {
    for (const [whole, numbers = '', command, char] of text.matchAll(Screen.#PARTS)) {
      if (char !== undefined) this.#put(char);
      else if (command === 'm') this.#look = whole;
      else if (command === 'H') {
        const [row, column = 1] = numbers.split(';').map(Number);
        this.#at = ((row ?? 1) - 1) * COLUMNS + column - 1;
      } else {
        const end = (Math.floor(this.#at / COLUMNS) + 1) * COLUMNS;
        for (let at = this.#at; at < end; at++) this.#set(at, ' ');
      }
    }
  }

  #put(char: string): void {
    const width = charWidth(char);
    if (width === 0) return;
    // Half of a wide character that is written over is gone.
    if (this.chars[this.#at] === '' && this.#at % COLUMNS > 0) this.#set(this.#at - 1, ' ');
    this.#set(this.#at++, char);
    if (width === 2) this.#set(this.#at++, '');
    if (this.chars[this.#at] === '' && this.#at % COLUMNS > 0) this.#set(this.#at, ' ');
  }

  #set(at: number, char: string): void {
    this.chars[at] = char;
    this.looks[at] = this.#look;
  }
}

const spans = fc.record({
  text: fc.string({ unit: fc.constantFrom('a', 'b', ' ', '显', '存', '⣿', '%'), maxLength: 14 }),
  tone: fc.constantFrom(...TONES),
  ground: fc.constantFrom(...GROUNDS),
});
const frames = fc
  .array(fc.array(spans, { maxLength: 5 }), { minLength: ROWS, maxLength: ROWS })
  .map((lines: Line[]) => frameOf(lines, COLUMNS, ROWS));

function expectShown(screen: Screen, frame: Frame): void {
  expect(screen.chars).toEqual(frame.chars);
  expect(screen.looks).toEqual(Array.from(frame.styles, (style) => THEME[style]));
}

describe('what is sent to a terminal', () => {
  test('turns any frame into any other, whatever was drawn before', () => {
    fc.assert(
      fc.property(fc.array(frames, { minLength: 1, maxLength: 5 }), (shown) => {
        const screen = new Screen();
        let before: Frame | null = null;
        for (const frame of shown) {
          screen.write(frameChanges(before, frame, THEME));
          expectShown(screen, frame);
          before = frame;
        }
      }),
    );
  });

  test('is nothing where nothing changed', () => {
    fc.assert(fc.property(frames, (frame) => frameChanges(frame, frame, THEME) === ''));
  });

  test('is one short stretch for one figure', () => {
    const before = frameOf([[span('GPU 0   97% busy')]], COLUMNS, ROWS);
    const after = frameOf([[span('GPU 0   98% busy')]], COLUMNS, ROWS);
    expect(frameChanges(before, after, THEME)).toBe('\x1b[1;10H\x1b[0m8\x1b[0m');
  });

  test('writes a wide character as a whole', () => {
    const before = frameOf([[span('利用 97%')]], COLUMNS, ROWS);
    const after = frameOf([[span('显存 97%')]], COLUMNS, ROWS);
    expect(frameChanges(before, after, THEME)).toBe('\x1b[1H\x1b[0m显存\x1b[0m');
  });
});
