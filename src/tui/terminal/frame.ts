import type { Line } from '../text/span.ts';
import { styleOf } from '../text/theme.ts';
import { codeWidth } from '../text/width.ts';

/** A screen as cells, row by row. The second cell of a wide character holds an empty text. */
export interface Frame {
  readonly columns: number;
  readonly rows: number;
  readonly chars: string[];
  /** Style number of each cell, see `styleOf`. */
  readonly styles: Uint8Array;
}

function blankFrame(columns: number, rows: number): Frame {
  return { columns, rows, chars: new Array<string>(columns * rows).fill(' '), styles: new Uint8Array(columns * rows) };
}

/** The frame for some lines. What does not fit is left out; half of a wide character becomes a space. */
export function frameOf(lines: readonly Line[], columns: number, rows: number): Frame {
  const frame = blankFrame(columns, rows);
  for (let row = 0; row < Math.min(rows, lines.length); row++) fillRow(frame, row, lines[row]!);
  return frame;
}

/** Characters behind this one take two units of a text. */
const LAST_OF_ONE_UNIT = 0xffff;

function fillRow({ columns, chars, styles }: Frame, row: number, line: Line): void {
  const [start, end] = [row * columns, (row + 1) * columns];
  let at = start;
  for (const { text, tone, ground } of line) {
    const style = styleOf(tone, ground);
    for (let from = 0; from < text.length; from++) {
      const code = text.codePointAt(from)!;
      const char = code > LAST_OF_ONE_UNIT ? String.fromCodePoint(code) : text.charAt(from);
      if (code > LAST_OF_ONE_UNIT) from++;
      const width = codeWidth(code);
      if (width === 0) {
        if (at > start) chars[at - (chars[at - 1] === '' ? 2 : 1)] += char;
        continue;
      }
      if (at >= end) return;
      const isWhole = at + width <= end;
      chars[at] = isWhole ? char : ' ';
      styles[at++] = style;
      if (width === 2 && isWhole) {
        chars[at] = '';
        styles[at++] = style;
      }
    }
  }
}
