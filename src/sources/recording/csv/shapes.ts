import { absenceIn } from './absence-words.ts';
import { isBusId, isUuid } from './identity.ts';

/** What kind of thing the cells of a column without a title look like. */
export type Shape =
  | 'date'
  | 'epoch'
  | 'uuid'
  | 'bus-id'
  | 'pstate'
  | 'mask'
  | 'percent'
  | 'mebibytes'
  | 'watts'
  | 'megahertz'
  | 'integer'
  | 'decimal'
  | 'text'
  | 'mixed'
  | 'absent';

export interface ColumnShape {
  readonly position: number;
  readonly shape: Shape;
  /** Cells that are there, in order of the rows. */
  readonly texts: readonly string[];
  /** One per row; NaN where the cell holds no number. */
  readonly numbers: readonly number[];
  readonly min: number;
  readonly max: number;
  readonly isConstant: boolean;
}

const PATTERNS: readonly (readonly [Shape, RegExp])[] = [
  ['date', /^\d{4}([/-])\d{2}\1\d{2}[ T]\d{2}:\d{2}:\d{2}/],
  ['epoch', /^1\d{9}(\.\d+)?$|^1\d{12}$/],
  ['pstate', /^P\d{1,2}$/],
  ['mask', /^0x[\da-f]{8,16}$/i],
  ['percent', /^\d+(\.\d+)? ?%$/],
  ['mebibytes', /^\d+ ?MiB$/],
  ['watts', /^\d+(\.\d+)? ?W$/],
  ['megahertz', /^\d+ ?MHz$/],
  ['integer', /^\d+$/],
  // nvidia-smi prints exactly two decimals, and only power has any.
  ['decimal', /^\d+\.\d\d$/],
];

function shapeOf(cell: string): Shape {
  if (isUuid(cell)) return 'uuid';
  if (isBusId(cell)) return 'bus-id';
  const found = PATTERNS.find(([, pattern]) => pattern.test(cell));
  if (found !== undefined) return found[0];
  return /\p{L}/u.test(cell) ? 'text' : 'mixed';
}

/** The column at `position` of rows that all have it. */
export function columnShape(position: number, rows: readonly string[][]): ColumnShape {
  const cells = rows.map((cells) => cells[position] ?? '');
  const texts = cells.filter((cell) => absenceIn(cell) === null);
  const shapes = new Set(texts.map(shapeOf));
  const [shape = 'absent'] = shapes;
  const numbers = cells.map((cell) => (/^\d/.test(cell) ? Number.parseFloat(cell) : Number.NaN));
  const present = numbers.filter((value) => !Number.isNaN(value));
  return {
    position,
    shape: shapes.size > 1 ? 'mixed' : shape,
    texts,
    numbers,
    min: Math.min(...present),
    max: Math.max(...present),
    isConstant: new Set(texts).size === 1,
  };
}
