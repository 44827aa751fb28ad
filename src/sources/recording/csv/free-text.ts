import { absenceIn } from './absence-words.ts';
import type { CsvColumn } from './header.ts';
import { isBusId, isUuid } from './identity.ts';

/** A piece of a name holds a letter and is no value: a whole record must not disappear in a name. */
const LETTER = /\p{L}/u;
const VALUE = /^[-+]?\.?\d|^0x|^P\d+$/;

/** The only column that can hold commas of its own, the name of the product; -1 where that is not certain. */
export function freeTextColumn(columns: readonly CsvColumn[]): number {
  const free = columns.filter(({ meaning }) => meaning.kind === 'name' || meaning.kind === 'unknown');
  const [name] = free;
  return free.length === 1 && name?.meaning.kind === 'name' ? name.position : -1;
}

/** True for a text that can be a part of the name of a product. */
export function isPieceOfName(text: string): boolean {
  return LETTER.test(text) && !VALUE.test(text) && absenceIn(text) === null && !isUuid(text) && !isBusId(text);
}

/** A record of `count` cells, made by joining the surplus at `position`; null if that is no name. */
export function joinName(cells: readonly string[], count: number, position: number): string[] | null {
  const end = position + cells.length - count + 1;
  const pieces = cells.slice(position, end);
  if (cells.length <= count || position === -1 || !pieces.every(isPieceOfName)) return null;
  return [...cells.slice(0, position), pieces.join(', '), ...cells.slice(end)];
}
