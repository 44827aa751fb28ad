import type { Theme } from '../text/theme.ts';
import type { Frame } from './frame.ts';

/** So many unchanged cells between two changed ones are written again: to move the cursor costs as much. */
const BRIDGED = 5;
/** From so many blanks at the end of a row on it is cheaper to erase them. */
const ERASED = 8;

/**
 * What to send to a terminal that shows `before` so that it shows `after`, of the same size; an empty text where nothing
 * changed. Only changed stretches of a row are sent. `before` is null where nothing is known of what it shows.
 */
export function frameChanges(before: Frame | null, after: Frame, theme: Theme): string {
  const writer = new Writer(theme);
  for (let row = 0; row < after.rows; row++) writeRow(writer, before, after, row);
  return writer.text === '' ? '' : `${writer.text}\x1b[0m`;
}

class Writer {
  readonly #theme: Theme;
  text = '';
  #style = -1;

  constructor(theme: Theme) {
    this.#theme = theme;
  }

  moveTo(row: number, column: number): void {
    this.text += column === 0 ? `\x1b[${row + 1}H` : `\x1b[${row + 1};${column + 1}H`;
  }

  setStyle(style: number): void {
    if (style === this.#style) return;
    this.text += this.#theme[style] ?? '\x1b[0m';
    this.#style = style;
  }
}

function writeRow(writer: Writer, before: Frame | null, after: Frame, row: number): void {
  const { columns, chars, styles } = after;
  const [start, end] = [row * columns, (row + 1) * columns];
  const isSame = (at: number): boolean =>
    before !== null && before.chars[at] === chars[at] && before.styles[at] === styles[at];
  let at = start;
  while (at < end) {
    if (isSame(at)) {
      at++;
      continue;
    }
    // A wide character is written from its first cell on.
    let from = at;
    while (from > start && chars[from] === '') from--;
    const to = endOfRun(at, end, isSame, chars);
    writeRun(writer, after, { row, start, from, to, end });
    at = to;
  }
}

/** The end of a changed stretch: short unchanged parts and the second half of a wide character belong to it. */
function endOfRun(from: number, end: number, isSame: (at: number) => boolean, chars: readonly string[]): number {
  let last = from;
  for (let at = from + 1; at < end && at - last <= BRIDGED; at++) if (!isSame(at)) last = at;
  let to = last + 1;
  while (to < end && chars[to] === '') to++;
  return to;
}

interface Run {
  readonly row: number;
  readonly start: number;
  readonly from: number;
  readonly to: number;
  readonly end: number;
}

function writeRun(writer: Writer, { chars, styles }: Frame, { row, start, from, to, end }: Run): void {
  let written = to;
  if (to === end) while (written > from && chars[written - 1] === ' ' && styles[written - 1] === 0) written--;
  const isErased = to - written >= ERASED;
  writer.moveTo(row, from - start);
  for (let at = from; at < (isErased ? written : to); at++) {
    writer.setStyle(styles[at]!);
    writer.text += chars[at]!;
  }
  if (isErased) {
    writer.setStyle(0);
    writer.text += '\x1b[K';
  }
}
