/** One place in time of a chart: heights as shares of the scale. Null where nothing was measured. */
export interface ChartColumn {
  readonly mean: number;
  readonly max: number;
}

/** Dots of a braille character by column and by row from the bottom, U+2800 plus these bits. */
const DOTS = [
  [0x40, 0x04, 0x02, 0x01],
  [0x80, 0x20, 0x10, 0x08],
] as const;

const ROWS_PER_CELL = 4;

/** Dots of a column that is filled so many steps high, by column. */
const FILLED = DOTS.map((dots) => Array.from({ length: ROWS_PER_CELL + 1 }, (_, n) => sum(dots.slice(0, n))));

/** Every braille character by its dots; a blank for none. */
const CELLS = Array.from({ length: 256 }, (_, dots) => (dots === 0 ? ' ' : String.fromCharCode(0x2800 + dots)));

function sum(bits: readonly number[]): number {
  return bits.reduce((all, bit) => all | bit, 0);
}

/**
 * A chart of two columns per character and four steps per line: filled up to the mean, with the highest value of a
 * column as a dot of its own above it, so that the spike of one second is seen however wide a column is. A value above
 * nothing is at least one dot, and a gap is blank. Lines come from top to bottom.
 */
export function brailleChart(columns: readonly (ChartColumn | null)[], lines: number): readonly string[] {
  const cells = Math.ceil(columns.length / 2);
  const bits = new Uint8Array(cells * lines);
  const steps = lines * ROWS_PER_CELL;
  for (let i = 0; i < columns.length; i++) {
    const column = columns[i];
    if (column == null) continue;
    const filled = stepsOf(column.mean, steps);
    const peak = stepsOf(column.max, steps);
    // What was measured as nothing is a line on the ground, and no gap.
    const height = filled === 0 && peak === 0 ? 1 : filled;
    const cell = i >> 1;
    for (let line = lines - 1, rest = height; rest > 0; line--, rest -= ROWS_PER_CELL) {
      bits[line * cells + cell]! |= FILLED[i & 1]![Math.min(rest, ROWS_PER_CELL)]!;
    }
    if (peak > height) {
      const line = lines - 1 - Math.floor((peak - 1) / ROWS_PER_CELL);
      bits[line * cells + cell]! |= DOTS[i & 1]![(peak - 1) % ROWS_PER_CELL]!;
    }
  }
  return Array.from({ length: lines }, (_, line) => {
    let text = '';
    for (let at = line * cells; at < (line + 1) * cells; at++) text += CELLS[bits[at]!]!;
    return text;
  });
}

/** Characters of growing height, for a terminal without braille; the first stands for nothing at all. */
const ASCII_STEPS = ['_', '.', ':', '-', '=', '#'] as const;
const ASCII_PER_LINE = ASCII_STEPS.length - 1;

/** The same with one column per character, where every other column of `columns` is joined to the one before. */
export function asciiChart(columns: readonly (ChartColumn | null)[], lines: number): readonly string[] {
  const cells = Math.ceil(columns.length / 2);
  const steps = lines * ASCII_PER_LINE;
  const rows = Array.from({ length: lines }, () => new Array<string>(cells).fill(' '));
  for (let cell = 0; cell < cells; cell++) {
    const column = mergedColumn(columns[2 * cell] ?? null, columns[2 * cell + 1] ?? null);
    if (column === null) continue;
    const filled = stepsOf(column.mean, steps);
    for (const [line, row] of rows.entries()) {
      const here = Math.min(ASCII_PER_LINE, filled - (lines - 1 - line) * ASCII_PER_LINE);
      if (here > 0) row[cell] = ASCII_STEPS[here]!;
      else if (line === lines - 1) row[cell] = ASCII_STEPS[0];
    }
    const peakLine = lines - 1 - Math.floor((Math.max(1, stepsOf(column.max, steps)) - 1) / ASCII_PER_LINE);
    if (rows[peakLine]![cell] === ' ') rows[peakLine]![cell] = "'";
  }
  return rows.map((row) => row.join(''));
}

function mergedColumn(a: ChartColumn | null, b: ChartColumn | null): ChartColumn | null {
  if (a === null || b === null) return a ?? b;
  return { mean: (a.mean + b.mean) / 2, max: Math.max(a.max, b.max) };
}

function stepsOf(share: number, steps: number): number {
  const height = Math.round(Math.min(1, Math.max(0, share)) * steps);
  return share > 0 ? Math.max(1, height) : 0;
}
