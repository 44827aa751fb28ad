import { absenceIn } from './absence-words.ts';
import { splitText } from './cells.ts';
import { freeTextColumn, joinName } from './free-text.ts';
import type { CsvHeader } from './header.ts';

/** A quoted cell may run over so many lines: one for every GPU of a large node. */
export const MAX_LINES_PER_RECORD = 64;

const VALUE = /^[-+]?\.?\d|^0x|^P\d|^GPU-/;

/** True if most of the cells are values or words for a missing one, or stand beside one where there are few. */
export function looksLikeValues(cells: readonly string[]): boolean {
  const filled = cells.filter((cell) => cell !== '');
  const values = filled.filter(isValue);
  return values.length > 0 && values.length * 2 >= filled.length;
}

function isValue(cell: string): boolean {
  return cell !== '' && (VALUE.test(cell) || absenceIn(cell) !== null);
}

/**
 * The records among some lines that have as many cells as the header, or the most frequent number of cells without one.
 * Lines in which nothing is a value, such as a repeated header, are none.
 */
export function gatherSamples(lines: readonly string[], header: CsvHeader | null): string[][] {
  const rows = joinOpenQuotes(lines).map((line) => splitText(line, header?.separator));
  if (header === null) {
    const likely = rows.filter(looksLikeValues);
    const common = mostFrequent(likely.map(({ length }) => length));
    return likely.filter(({ length }) => length === common);
  }
  const count = header.columns.length;
  const name = freeTextColumn(header.columns);
  return rows
    .map((cells) => joinName(cells, count, name) ?? cells)
    .filter((cells) => cells.length === count && cells.some(isValue));
}

/** Puts the lines of a quoted cell together. A quote that is not closed soon is taken for a stray one. */
function joinOpenQuotes(lines: readonly string[]): string[] {
  const joined: string[] = [];
  for (let row = 0; row < lines.length; row++) {
    let record = lines[row] ?? '';
    let last = row;
    while (hasOpenQuote(record) && last + 1 < lines.length && last - row < MAX_LINES_PER_RECORD) {
      record += `\n${lines[++last]}`;
    }
    if (hasOpenQuote(record)) joined.push(lines[row] ?? '');
    else {
      joined.push(record);
      row = last;
    }
  }
  return joined;
}

function hasOpenQuote(record: string): boolean {
  return (record.match(/"/g)?.length ?? 0) % 2 === 1;
}

function mostFrequent(counts: readonly number[]): number | undefined {
  const times = new Map<number, number>();
  for (const count of counts) times.set(count, (times.get(count) ?? 0) + 1);
  return [...times].sort(([, a], [, b]) => b - a)[0]?.[0];
}
