/** A value of the long output of rocm-smi: `GPU[0] : GPU use (%): 0`, or that it could not be read. */
export interface DetailLine {
  readonly index: number;
  readonly isError: boolean;
  /** The tool itself calls it an error, rather than something the card does not have. */
  readonly isReported: boolean;
  readonly key: string;
  readonly value: string;
}

const DETAIL = /^\s*(ERROR\s*:\s*)?GPU\[(\d{1,4})\]\s*:\s*(.*?)\s*$/;
const KEY_AND_VALUE = /^(.+?)\s*:{1,2}\s+(\S.*)$/;
const FAILURE = /^(?:unable to (?:get|display|read)|failed to|not supported)/i;

export function parseDetail(line: string): DetailLine | null {
  const found = DETAIL.exec(line);
  if (found === null) return null;
  const [, error, index = '', text = ''] = found;
  const isError = error !== undefined || FAILURE.test(text);
  const pair = isError ? null : KEY_AND_VALUE.exec(text);
  return {
    index: Number(index),
    isError,
    isReported: error !== undefined,
    key: pair?.[1] ?? text,
    value: pair?.[2] ?? '',
  };
}

/** Columns of the concise table that are one word each, from the right to the left of the table. */
export interface ConciseHeader {
  /** Titles from the left; those that may be of several words are in front of `firstPlain`. */
  readonly titles: readonly string[];
  readonly firstPlain: number;
}

/** Columns whose cells have blanks in them. */
const WIDE = /^(?:\[|Partitions|IDs|Node)/;

/** The titles of the concise table, or null for another line. */
export function conciseHeader(line: string): ConciseHeader | null {
  if (!/^\s*(?:GPU|Device)\b.*\bGPU%/.test(line)) return null;
  const titles = line.trim().split(/\s{2,}/);
  const lastWide = titles.findLastIndex((title) => WIDE.test(title));
  return { titles, firstPlain: lastWide + 1 };
}

/** Cells of a row by title; null for a line that is no row of this table. */
export function conciseRow(line: string, { titles, firstPlain }: ConciseHeader): ReadonlyMap<string, string> | null {
  const index = /^\s*(\d{1,4})\s+\S/.exec(line)?.[1];
  if (index === undefined) return null;
  const words = line.trim().split(/\s+/);
  const plain = titles.slice(Math.max(1, firstPlain));
  if (words.length < plain.length + 1) return null;
  const tail = words.slice(words.length - plain.length);
  const cells = new Map(plain.map((title, position) => [title, tail[position]!] as const));
  const head = words.slice(1, words.length - plain.length);
  // In front of the wide columns it is the unit that tells temperature and power.
  if (firstPlain > 0) {
    cells.set('Temp', head.find((word) => /^-?\d+(?:\.\d+)?°?\ufffd*[cC]$/.test(word)) ?? 'N/A');
    cells.set('Power', head.find((word) => /^\d+(?:\.\d+)?W$/.test(word)) ?? 'N/A');
  } else if (head.length > 0) {
    return null;
  }
  // Every table of this kind ends with the shares.
  return /^(?:\d+(?:\.\d+)?%|N\/A|None|Unsupported|unknown|Disabled)$/i.test(tail.at(-1)!)
    ? cells.set('index', index)
    : null;
}

/** The name of a card in a line of its own, below its row. */
export function nameLine(line: string): string | null {
  const name = /^\s{4,}(\S.*?)\s*$/.exec(line)?.[1];
  return name === undefined || /[=|]|^\(|^Name\b/.test(name) ? null : name;
}
