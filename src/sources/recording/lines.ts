/** A line longer than this is no log line: it is dropped to its end and reported once. Bytes. */
export const MAX_LINE_BYTES = 64 * 1024;

/** What a {@link LineSplitter} finds. */
export interface LineSink {
  /**
   * One line without its line end, carriage returns at the end and byte order mark. `bytes` is only lent for the call.
   * `number` counts from 1; `terminated` is false for a last line without a line end, which may have been cut.
   */
  line(bytes: Uint8Array, start: number, end: number, number: number, terminated: boolean): void;
  /** A line of more than {@link MAX_LINE_BYTES}, told at its end. */
  tooLong(number: number): void;
  /** The same line in pieces, where somebody may want them; `bytes` is only lent for the call. */
  part?(bytes: Uint8Array, start: number, end: number, number: number, isFirst: boolean): void;
}

const LF = 10;
const CR = 13;
/** Fewer NUL bytes than these are no text in UTF-16: a row has more. */
const LEAST_UTF16_NULS = 16;

const EMPTY = new Uint8Array(0);

/**
 * Cuts a stream of bytes into lines, wherever the chunks are cut. NUL bytes, which a file truncated under its writer
 * is full of, are removed and counted. Bytes that are not UTF-8 pass through. If the first line runs to the end of the
 * stream, or is too long, and has carriage returns in it, they are the line ends.
 */
export class LineSplitter {
  readonly #sink: LineSink;
  /** Start of a line whose end has not been seen. */
  #rest: Uint8Array = EMPTY;
  #dropping = false;
  #number = 1;
  #nulBytes = 0;
  /** NUL bytes next to another one, which text in UTF-16 does not have. */
  #nulsInRuns = 0;
  #isLastNul = false;
  #hasCrEnds = false;

  constructor(sink: LineSink) {
    this.#sink = sink;
  }

  get nulBytes(): number {
    return this.#nulBytes;
  }

  /** True if NUL bytes come in runs, as where a file was cut, rather than between the letters of UTF-16. */
  get isNulRun(): boolean {
    return this.#nulsInRuns * 2 >= this.#nulBytes || this.#nulBytes < LEAST_UTF16_NULS;
  }

  /** Takes the next bytes of the stream; they are only lent for the call. */
  push(chunk: Uint8Array): void {
    const search = searchable(chunk);
    const plain = search.includes(0) ? this.#withoutNuls(chunk) : asPlain(chunk);
    if (plain.length > 0 && plain.length === chunk.length) this.#isLastNul = false;
    this.#split(this.#hasCrEnds ? withLineFeeds(plain) : plain);
  }

  #split(bytes: Uint8Array): void {
    const search = searchable(bytes);
    const first = search.indexOf(LF);
    let start = 0;
    if (this.#rest.length > 0) {
      const line = joined(this.#rest, first === -1 ? bytes : bytes.subarray(0, first));
      this.#rest = EMPTY;
      if (first === -1) {
        this.#keep(line);
        return;
      }
      this.#finish(line, 0, line.length, true);
      start = first + 1;
    }
    for (let end = search.indexOf(LF, start); end !== -1; end = search.indexOf(LF, start)) {
      this.#finish(bytes, start, end, true);
      start = end + 1;
    }
    this.#keep(bytes.slice(start));
  }

  /** The stream has ended: gives out a last line without a line end. */
  end(): void {
    if (this.#endsWithCr(this.#rest, 0, this.#rest.length)) this.#splitAtCr(this.#rest);
    if (this.#rest.length > 0 || this.#dropping) this.#finish(this.#rest, 0, this.#rest.length, false);
    this.#rest = EMPTY;
  }

  /** True for the start of a stream that has no line feeds where lines end. */
  #endsWithCr(bytes: Uint8Array, from: number, to: number): boolean {
    if (this.#hasCrEnds || this.#number > 1 || this.#dropping) return false;
    const at = searchable(bytes).indexOf(CR, from);
    return at !== -1 && at < to - 1;
  }

  #splitAtCr(bytes: Uint8Array): void {
    this.#hasCrEnds = true;
    this.#rest = EMPTY;
    this.#split(withLineFeeds(bytes));
  }

  #keep(rest: Uint8Array): void {
    if (this.#dropping) {
      if (rest.length > 0) this.#sink.part?.(rest, 0, rest.length, this.#number, false);
      return;
    }
    if (rest.length > MAX_LINE_BYTES && this.#endsWithCr(rest, 0, rest.length)) {
      this.#splitAtCr(rest);
      return;
    }
    if (rest.length > MAX_LINE_BYTES) {
      this.#dropping = true;
      this.#sink.part?.(rest, 0, rest.length, this.#number, true);
    } else {
      this.#rest = rest;
    }
  }

  #finish(bytes: Uint8Array, from: number, to: number, terminated: boolean): void {
    const number = this.#number++;
    let end = to;
    while (end > from && bytes[end - 1] === CR) end--;
    if (this.#dropping || to - from > MAX_LINE_BYTES) {
      this.#sink.part?.(bytes, from, end, number, !this.#dropping);
      this.#dropping = false;
      this.#sink.tooLong(number);
      return;
    }
    const hasMark = bytes[from] === 0xef && bytes[from + 1] === 0xbb && bytes[from + 2] === 0xbf && end - from >= 3;
    this.#sink.line(bytes, hasMark ? from + 3 : from, end, number, terminated);
  }

  #withoutNuls(chunk: Uint8Array): Uint8Array {
    const kept = new Uint8Array(chunk.length);
    let length = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (byte !== 0) kept[length++] = byte;
      else if (at === 0 ? this.#isLastNul : chunk[at - 1] === 0) this.#nulsInRuns++;
    }
    this.#isLastNul = chunk.at(-1) === 0;
    this.#nulBytes += chunk.length - length;
    return kept.subarray(0, length);
  }
}

/** A Buffer searches several times faster than a plain array. */
export function searchable(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Parsing is fastest if it only ever sees plain arrays, since code is compiled for the kinds of arrays it has seen. */
function asPlain(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** A copy in which every carriage return is a line feed. */
function withLineFeeds(bytes: Uint8Array): Uint8Array {
  return bytes.map((byte) => (byte === CR ? LF : byte));
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
