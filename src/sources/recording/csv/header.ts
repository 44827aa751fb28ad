import { absenceIn } from './absence-words.ts';
import { SEPARATORS, type Separator, splitText } from './cells.ts';
import type { Meaning } from './meaning.ts';
import { isSmiTitle, meaningOf } from './titles.ts';

export interface CsvColumn {
  /** Of the cell in the record, from 0. */
  readonly position: number;
  readonly title: string;
  readonly meaning: Meaning;
}

export interface CsvHeader {
  /** `other`: the output of a query that says nothing about the state of devices. */
  readonly kind: 'gpus' | 'processes' | 'other';
  readonly columns: readonly CsvColumn[];
  readonly separator: Separator;
}

/** Words in the title of a column, its unit among them. */
const MOST_WORDS = 5;

/** Reads a line as a header, or returns null if it is none: at least half of its titles must be known. */
export function parseHeader(line: string): CsvHeader | null {
  for (const separator of SEPARATORS) {
    if (separator !== ',' && !line.includes(separator)) continue;
    const titles = splitText(line, separator);
    if (titles.some((title) => isValue(title) || isSentence(title))) continue;
    if (titles.length === 1 && !isSmiTitle(titles[0] ?? '')) continue;
    const header = headerOf(titles, separator);
    if (header !== null) return header;
  }
  return null;
}

/** The columns a list of titles stands for, or null if too few of them are known. */
export function headerOf(titles: readonly string[], separator: Separator): CsvHeader | null {
  const columns = titles.map((title, position) => ({ position, title, meaning: meaningOf(title) }));
  const named = columns.filter(({ title }) => title !== '');
  const known = named.filter(({ meaning }) => meaning.kind !== 'unknown');
  if (known.length === 0 || known.length * 2 < named.length) return null;
  return { kind: kindOf(columns), columns, separator };
}

function kindOf(columns: readonly CsvColumn[]): CsvHeader['kind'] {
  const kinds = new Set(columns.map(({ meaning }) => meaning.kind));
  if (kinds.has('other-query')) return 'other';
  return kinds.has('pid') && (kinds.has('process-memory') || kinds.has('process-name')) ? 'processes' : 'gpus';
}

function isValue(cell: string): boolean {
  return cell !== '' && (/^[-+.]?\d/.test(cell) || absenceIn(cell) !== null);
}

function isSentence(title: string): boolean {
  return title.split(' ').length > MOST_WORDS;
}
