import { CellRun } from './cell-run.ts';

/** No query of nvidia-smi has this many fields. */
const MAX_CELLS = 1024;

const ENCODER = new TextEncoder();

const QUOTE = 34;
const SPACE = 32;

/** What reads the cells of one column, and finds their end by reading them. */
export interface ColumnReader {
  /** The end of what can be read at `start`; if the cell ends there too, its value is kept. */
  readAhead(bytes: Uint8Array, start: number, to: number): number;
}

/** Positions of the cells of one record in its bytes, blanks and quotes around them left out. Reused for every record. */
export class Cells {
  readonly starts = new Int32Array(MAX_CELLS);
  readonly ends = new Int32Array(MAX_CELLS);
  /** Cells of the record; beyond {@link MAX_CELLS} they are counted no further. */
  count = 0;
  /** True if a cell is quoted. */
  isQuoted = false;
  /** The cells that were expected, if the record has them. */
  found: CellRun | null = null;
  readonly #separator: number;
  readonly #columns: readonly (ColumnReader | null)[];
  /** 1 for cells that the reader of their column has read. */
  readonly #isRead = new Uint8Array(MAX_CELLS);
  #expected: CellRun | null = null;
  #isMerged = false;
  /** The bytes seen last, and a view of them. */
  #bytes: Uint8Array = new Uint8Array(0);
  #view: DataView = new DataView(this.#bytes.buffer);

  /** `separator` is the character between two cells. `columns` read cells as they are found, by position; null for none. */
  constructor(separator = ',', columns: readonly (ColumnReader | null)[] = []) {
    this.#separator = separator.charCodeAt(0);
    this.#columns = columns;
  }

  /** Finds the cells. False if a quoted cell is not closed: the record goes on in the next line. */
  split(bytes: Uint8Array, from: number, to: number): boolean {
    const { starts, ends } = this;
    const separator = this.#separator;
    let expected = this.#expected;
    let count = 0;
    let at = from;
    this.isQuoted = false;
    this.#isMerged = false;
    this.found = null;
    for (;;) {
      while (at < to && bytes[at]! <= SPACE && bytes[at] !== separator) at++;
      if (expected !== null && count === expected.first) {
        if (expected.isAt(this.#viewOf(bytes), at, to)) {
          this.#place(expected, at);
          count += expected.count;
          at += expected.length;
          expected = null;
          continue;
        }
        expected = null;
      }
      let start = at;
      let end = this.#readAhead(count, bytes, at, to);
      if (end !== -1) {
        at = end;
      } else if (bytes[at] === QUOTE && at < to) {
        const close = closingQuote(bytes, at + 1, to);
        if (close === -1) return false;
        let next = close + 1;
        while (next < to && bytes[next]! <= SPACE && bytes[next] !== separator) next++;
        // With more text behind the quotes they are part of the text, as in a line of JSON.
        if (next === to || bytes[next] === separator) {
          this.isQuoted = true;
          start = at + 1;
          end = close;
          at = next;
        }
      }
      if (end === -1) {
        while (at < to && bytes[at] !== separator) at++;
        end = at;
      }
      while (end > start && bytes[end - 1]! <= SPACE) end--;
      if (count < MAX_CELLS) {
        starts[count] = start;
        ends[count] = end;
        count++;
      }
      if (at >= to) break;
      at++;
    }
    this.count = count;
    return true;
  }

  /** True if the reader of its column has read the cell already. */
  isRead(cell: number): boolean {
    return this.#isRead[cell] === 1;
  }

  /** Lets the reader of the column read the cell at `at`: the end of the cell, or -1 where it has not read all of it. */
  #readAhead(cell: number, bytes: Uint8Array, at: number, to: number): number {
    const column = cell < this.#columns.length ? this.#columns[cell]! : null;
    if (column === null) return -1;
    const end = column.readAhead(bytes, at, to);
    const isWhole = end === to || (end !== -1 && bytes[end] === this.#separator);
    this.#isRead[cell] = isWhole ? 1 : 0;
    return isWhole ? end : -1;
  }

  /** The cells that the next record most likely has, which makes it quick to split; null for none. */
  expect(run: CellRun | null): void {
    this.#expected = run;
  }

  /** The `count` cells from `first` on for {@link expect}; null where their bytes alone do not tell where they are. */
  run(bytes: Uint8Array, first: number, count: number): CellRun | null {
    const behind = first + count;
    if (count === 0 || behind >= this.count || this.isQuoted || this.#isMerged) return null;
    const start = this.starts[first]!;
    const relative = (at: number): number => at - start;
    return new CellRun(
      first,
      bytes.subarray(start, this.starts[behind]!),
      this.starts.slice(first, behind).map(relative),
      this.ends.slice(first, behind).map(relative),
    );
  }

  #place(run: CellRun, at: number): void {
    const { first, count } = run;
    for (let cell = 0; cell < count; cell++) {
      this.starts[first + cell] = at + run.starts[cell]!;
      this.ends[first + cell] = at + run.ends[cell]!;
    }
    this.found = run;
  }

  #viewOf(bytes: Uint8Array): DataView {
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    }
    return this.#view;
  }

  /** Makes one cell of cell `first` and the `more` cells behind it: text that holds commas of its own. */
  merge(first: number, more: number): void {
    this.ends[first] = this.ends[first + more]!;
    this.starts.copyWithin(first + 1, first + 1 + more, this.count);
    this.ends.copyWithin(first + 1, first + 1 + more, this.count);
    this.count -= more;
    this.#isMerged = true;
    // They were taken for those of other columns.
    this.#isRead.fill(0);
  }

  /** True if the bytes of the cell are `text`. */
  holds(bytes: Uint8Array, cell: number, text: Uint8Array): boolean {
    const start = this.starts[cell]!;
    const { length } = text;
    if (this.ends[cell]! - start !== length) return false;
    for (let at = 0; at < length; at++) {
      if (bytes[start + at] !== text[at]) return false;
    }
    return true;
  }

  /** A copy of the bytes of the cell. */
  copy(bytes: Uint8Array, cell: number): Uint8Array {
    return bytes.slice(this.starts[cell]!, this.ends[cell]!);
  }

  /** True if quotes were around the cell. */
  isClosed(bytes: Uint8Array, cell: number): boolean {
    return this.isQuoted && this.starts[cell]! > 0 && bytes[this.starts[cell]! - 1] === QUOTE;
  }

  /**
   * The cell as UTF-8 text, the doubled quotes of a quoted cell undone. Control characters become blanks: what a log
   * holds is shown in terminals.
   */
  text(bytes: Uint8Array, cell: number): string {
    const start = this.starts[cell]!;
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, this.ends[cell]! - start).toString();
    const plain = this.isClosed(bytes, cell) ? text.replaceAll('""', '"') : text;
    return plain.replaceAll(/\p{Cc}/gu, ' ');
  }
}

function closingQuote(bytes: Uint8Array, start: number, to: number): number {
  for (let at = start; at < to; at++) {
    if (bytes[at] !== QUOTE) continue;
    if (bytes[at + 1] !== QUOTE || at + 1 >= to) return at;
    at++;
  }
  return -1;
}

/** Characters that may be between two cells, the usual one first. */
export const SEPARATORS = [',', ';', '\t'] as const;

export type Separator = (typeof SEPARATORS)[number];

/** For {@link splitText}, which is called for every line that is no record. */
const SCRATCH: Readonly<Record<Separator, Cells>> = { ',': new Cells(), ';': new Cells(';'), '\t': new Cells('\t') };

/** A line that needs no more than to be cut: without quotes, and of characters that print. */
const SIMPLE: Readonly<Record<Separator, RegExp>> = { ',': /^[ !#-~]*$/, ';': /^[ !#-~]*$/, '\t': /^[\t !#-~]*$/ };

/** The cells of a line as texts: for headers and for looking at the first rows. An open quote runs to the end. */
export function splitText(line: string, separator: Separator = ','): string[] {
  if (SIMPLE[separator].test(line)) {
    return line.split(separator, MAX_CELLS).map((cell) => cell.trim());
  }
  const bytes = ENCODER.encode(line);
  const cells = SCRATCH[separator];
  if (!cells.split(bytes, 0, bytes.length)) return splitText(line.replaceAll('"', ''), separator);
  return Array.from({ length: cells.count }, (_, cell) => cells.text(bytes, cell));
}
