import { fitLine, type Line, type Span, span } from '../text/span.ts';
import { padded } from '../text/width.ts';
import type { SortId } from '../ui/process-rows.ts';

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
  /** What a click on its heading sorts by. */
  readonly sort?: SortId;
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
  const byRank = [...columns.keys()].sort((a, b) => columns[a]!.rank - columns[b]!.rank);
  /** By position; 0 for a column that is not shown. */
  const widths = new Array<number>(columns.length).fill(0);
  let room = width + 1;
  const add = (isExtra: boolean): void => {
    for (const at of byRank) {
      const { min, rank } = columns[at]!;
      if (rank >= SECOND_TIER !== isExtra || min + 1 > room) continue;
      widths[at] = min;
      room -= min + 1;
    }
  };
  const grow = (to: 'good' | 'max'): void => {
    for (const at of byRank) {
      const held = widths[at]!;
      const more = held === 0 ? 0 : Math.max(0, Math.min(room, columns[at]![to] - held));
      widths[at] = held + more;
      room -= more;
    }
  };
  add(false);
  grow('good');
  add(true);
  grow('max');
  return columns.flatMap((column, at) => (widths[at] === 0 ? [] : [{ ...column, width: widths[at]! }]));
}

/** The line of headings; `marked` names the column that is sorted by, with what stands behind its heading. */
export function headLine<Row>(
  columns: readonly PlacedColumn<Row>[],
  mark: string,
  marked: { readonly id: string; readonly sign: string } | null = null,
): Line {
  return columns.map(({ id, head, width, align, sort }, i) => {
    const isMarked = marked?.id === id;
    const text = padded(isMarked ? `${head}${marked.sign}` : head, width, align, mark);
    const target = sort === undefined ? null : ({ kind: 'sort', sort } as const);
    return { ...span(i === columns.length - 1 ? text : `${text} `, isMarked ? 'strong' : 'quiet', 'bar'), target };
  });
}

/** One row of the table. */
export function rowLine<Row>(columns: readonly PlacedColumn<Row>[], row: Row, mark: string): Line {
  const line: Span[] = [];
  for (const { cell, width, align } of columns) {
    if (line.length > 0) line.push(BETWEEN);
    for (const part of fitLine(cell(row, width), width, mark, 'none', align)) line.push(part);
  }
  return line;
}

const BETWEEN = span(' ');
