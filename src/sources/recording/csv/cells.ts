import type { AbsenceReason } from '../../../model/reading.ts';
import { asciiText } from '../number-cell.ts';

/** No query of nvidia-smi has this many fields. */
const MAX_CELLS = 1024;

const ENCODER = new TextEncoder();

const QUOTE = 34;
const SPACE = 32;

/** Positions of the cells of one record in its bytes, blanks and quotes around them left out. Reused for every record. */
export class Cells {
  readonly starts = new Int32Array(MAX_CELLS);
  readonly ends = new Int32Array(MAX_CELLS);
  /** Cells of the record; beyond {@link MAX_CELLS} they are counted no further. */
  count = 0;
  /** True if a cell is quoted. */
  isQuoted = false;
  readonly #separator: number;

  /** `separator` is the character between two cells. */
  constructor(separator = ',') {
    this.#separator = separator.charCodeAt(0);
  }

  /** Finds the cells. False if a quoted cell is not closed: the record goes on in the next line. */
  split(bytes: Uint8Array, from: number, to: number): boolean {
    const { starts, ends } = this;
    const separator = this.#separator;
    let count = 0;
    let at = from;
    this.isQuoted = false;
    for (;;) {
      while (at < to && bytes[at]! <= SPACE && bytes[at] !== separator) at++;
      let start = at;
      let end = -1;
      if (bytes[at] === QUOTE && at < to) {
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

  /** Makes one cell of cell `first` and the `more` cells behind it: text that holds commas of its own. */
  merge(first: number, more: number): void {
    this.ends[first] = this.ends[first + more]!;
    this.starts.copyWithin(first + 1, first + 1 + more, this.count);
    this.ends.copyWithin(first + 1, first + 1 + more, this.count);
    this.count -= more;
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

/**
 * What nvidia-smi and the scripts around it print instead of a value, in lower case, without brackets. `''` and the
 * words of scripting languages only say that nothing was written.
 */
const ABSENCE_WORDS: ReadonlyMap<string, AbsenceReason> = new Map([
  ['n/a', 'not-supported'],
  ['not supported', 'not-supported'],
  ['function not found', 'not-supported'],
  ['requested functionality has been deprecated', 'not-supported'],
  ['not available', 'not-supported'],
  ['unknown error', 'error'],
  ['error', 'error'],
  ['err!', 'error'],
  ['gpu requires reset', 'error'],
  ['timeout', 'error'],
  ['in use', 'error'],
  ['reset required', 'error'],
  ['gpu is lost', 'gpu-lost'],
  ['insufficient permissions', 'no-permission'],
  ['no permission', 'no-permission'],
  ['not found', 'not-found'],
  ['not available in wddm driver model', 'not-supported'],
  ['', 'not-collected'],
  ['-', 'not-collected'],
  ['nan', 'not-collected'],
  ['none', 'not-collected'],
  ['null', 'not-collected'],
]);

/** The reason a cell gives for having no value, or null if it is not one of the known words. */
export function absenceIn(text: string): AbsenceReason | null {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  return ABSENCE_WORDS.get(bare.trim().toLowerCase()) ?? null;
}

/** True for a word that only nvidia-smi prints in place of a value: brackets around a known reason. */
export function isDriverWord(text: string): boolean {
  return text.startsWith('[') && text.endsWith(']') && text.length > 2 && absenceIn(text) !== null;
}

/** {@link absenceIn} on bytes; the form that fills whole columns of a log, `[N/A]`, costs no string. */
export function absenceOf(bytes: Uint8Array, start: number, end: number): AbsenceReason | null {
  if (isBracketedNa(bytes, start, end)) return 'not-supported';
  return end - start > 64 ? null : absenceIn(asciiText(bytes, start, end));
}

function isBracketedNa(bytes: Uint8Array, start: number, end: number): boolean {
  return (
    end - start === 5 &&
    bytes[start] === 91 &&
    bytes[start + 1] === 78 &&
    bytes[start + 2] === 47 &&
    bytes[start + 3] === 65 &&
    bytes[start + 4] === 93
  );
}
