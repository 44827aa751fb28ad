import { cutLine, type Line, lineWidth, type Span, span } from '../text/span.ts';
import { padded } from '../text/width.ts';

/** A column of a table. Columns stand in the order of their list, and are chosen by their rank. */
export interface Column<Row> {
  readonly id: string;
  /** Smaller is chosen earlier when there is not room for all; from {@link SECOND_TIER} on it is an extra. */
  readonly rank: number;
  /** Places without which it would not be legible. */
  readonly min: number;
  /** Places in which it tells what it has to; no column of the second tier is shown before it has them. */
  readonly good: number;
  /** Places it can make use of. */
  readonly max: number;
  readonly align: 'left' | 'right';
  readonly head: string;
  /** The cell in at most `width` places. */
  readonly cell: (row: Row, width: number) => Line;
}

export interface PlacedColumn<Row> extends Column<Row> {
  readonly width: number;
}

/** Rank from which on a column is shown only where all others have room enough. */
const SECOND_TIER = 10;

/**
 * The columns that fit into `width` places with one between each two, and how wide each is. Room that is left goes to
 * those that can use it, the most important first.
 */
export function placeColumns<Row>(columns: readonly Column<Row>[], width: number): readonly PlacedColumn<Row>[] {
  const byRank = [...columns].sort((a, b) => a.rank - b.rank);
  const isExtra = ({ rank }: Column<Row>): boolean => rank >= SECOND_TIER;
  const widths = new Map<Column<Row>, number>();
  let room = width + 1;
  const add = (column: Column<Row>): void => {
    if (column.min + 1 > room) return;
    widths.set(column, column.min);
    room -= column.min + 1;
  };
  const grow = (column: Column<Row>, to: number): void => {
    const held = widths.get(column);
    if (held === undefined) return;
    const more = Math.max(0, Math.min(room, to - held));
    widths.set(column, held + more);
    room -= more;
  };
  for (const column of byRank) if (!isExtra(column)) add(column);
  for (const column of byRank) grow(column, column.good);
  for (const column of byRank) if (isExtra(column)) add(column);
  for (const column of byRank) grow(column, column.max);
  return columns.flatMap((column) => {
    const given = widths.get(column);
    return given === undefined ? [] : [{ ...column, width: given }];
  });
}

/** The line of headings; `marked` names the column that is sorted by, with what stands behind its heading. */
export function headLine<Row>(
  columns: readonly PlacedColumn<Row>[],
  mark: string,
  marked: { readonly id: string; readonly sign: string } | null = null,
): Line {
  return columns.map(({ id, head, width, align }, i) => {
    const isMarked = marked?.id === id;
    const text = padded(isMarked ? `${head}${marked.sign}` : head, width, align, mark);
    return span(i === columns.length - 1 ? text : `${text} `, isMarked ? 'strong' : 'quiet', 'bar');
  });
}

/** One row of the table. */
export function rowLine<Row>(columns: readonly PlacedColumn<Row>[], row: Row, mark: string): Line {
  const line: Span[] = [];
  for (const [i, { cell, width, align }] of columns.entries()) {
    if (i > 0) line.push(span(' '));
    line.push(...alignCell(cell(row, width), width, align, mark));
  }
  return line;
}

function alignCell(cell: Line, width: number, align: 'left' | 'right', mark: string): Line {
  const kept = cutLine(cell, width, mark);
  const gap = width - lineWidth(kept);
  if (gap <= 0) return kept;
  const blank = span(' '.repeat(gap));
  return align === 'left' ? [...kept, blank] : [blank, ...kept];
}
