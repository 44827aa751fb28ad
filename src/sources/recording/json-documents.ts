export type JsonFault = 'truncated' | 'unclosed' | 'too-long';

/** Takes what a {@link JsonDocuments} finds. */
export interface JsonSink {
  /**
   * An element of the array that stands at the top, or of the one that `isStream` chose. `text` may not be valid JSON:
   * only its brackets were matched.
   */
  element(text: string, line: number): void;
  /** A document is complete; `rest` is its text without those elements. */
  document(rest: string, line: number): void;
  /** A line outside any document. */
  outside(line: string, number: number): void;
  /**
   * A document ended before its end: within an element or value (`truncated`), or between two elements (`unclosed`), so
   * that nothing of it is lost. Or it, or an element, is larger than {@link MAX_JSON_BYTES}.
   */
  broken(line: number, reason: JsonFault): void;
}

/** A document, or an element of one, of more bytes than this is left out: memory does not grow with the file. */
export const MAX_JSON_BYTES = 8 * 2 ** 20;

const LF = 10;
const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;
const OPEN_ARRAY = 91;
const CLOSE_ARRAY = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const SPACE = 32;

/** Keys of interest are short and have no escapes. */
const LONGEST_KEY = 64;

/** Nesting deeper than this is no output of a tool. */
const DEEPEST = 64;

/**
 * Finds JSON documents that follow each other in a stream, among lines of other text, and hands out the elements of
 * large arrays one by one. Brackets must match; whether the rest is valid is not its business, since tools have printed
 * JSON without commas.
 */
export class JsonDocuments {
  readonly #sink: JsonSink;
  /** Keys that lead to the array whose elements are handed out, in a document that is an object. */
  readonly #path: readonly string[];
  /** What is open, as closing brackets. */
  #stack: number[] = [];
  /** Key under which each open bracket stands. */
  #keys: string[] = [];
  #isInString = false;
  #isEscaped = false;
  /** Bytes of the element being read, else of the document around the elements. */
  #element: Pieces = new Pieces();
  #rest: Pieces = new Pieces();
  /** Depth of the brackets around the elements; -1 outside. */
  #streamDepth = -1;
  #isElement = false;
  #startLine = 0;
  #elementLine = 0;
  #lastString = '';
  #lastByte = 0;
  #isIndented = false;
  #isTooLong = false;

  /** Elements are handed out of a top-level array, and of the array that the keys of `path` lead to. */
  constructor(sink: JsonSink, path: readonly string[] = []) {
    this.#sink = sink;
    this.#path = path;
  }

  /** True while a document is open. */
  get isOpen(): boolean {
    return this.#stack.length > 0;
  }

  /** A whole line. */
  line(bytes: Uint8Array, start: number, end: number, number: number): void {
    this.start(bytes, start, end, number);
    if (this.isOpen) this.#keep(LINE_END, 0, 1);
  }

  /** The first part of a line. */
  start(bytes: Uint8Array, start: number, end: number, number: number): void {
    if (this.isOpen && this.#isNewStart(bytes, start, end)) this.#abandon(number);
    if (!this.isOpen && !startsDocument(bytes, start, end)) {
      this.#sink.outside(Buffer.from(bytes.subarray(start, end)).toString(), number);
      return;
    }
    if (this.isOpen && start < end && bytes[start]! <= SPACE) this.#isIndented = true;
    this.part(bytes, start, end, number);
  }

  /** A further part of the last line. */
  part(bytes: Uint8Array, start: number, end: number, number: number): void {
    // Between documents of one line there are only blanks and commas.
    let from = start;
    for (let at = start; at < end; at++) {
      const byte = bytes[at]!;
      if (this.#isInString) {
        this.#inString(byte);
        continue;
      }
      if (byte <= SPACE) continue;
      if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
        if (this.#stack.length === 0) this.#startLine = number;
        from = this.#open(bytes, from, at, number);
      } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
        from = this.#close(bytes, from, at, number);
      } else if (byte === QUOTE) {
        this.#isInString = true;
        this.#lastString = '';
      }
      this.#lastByte = byte;
    }
    if (this.isOpen) this.#keep(bytes, from, end);
  }

  /** Nothing follows. */
  end(number: number): void {
    if (this.isOpen) this.#abandon(number);
  }

  #inString(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) {
      this.#isInString = false;
      this.#lastByte = QUOTE;
    } else if (this.#stack.length <= this.#path.length && this.#lastString.length < LONGEST_KEY) {
      this.#lastString += String.fromCharCode(byte);
    }
  }

  #open(bytes: Uint8Array, from: number, at: number, line: number): number {
    const byte = bytes[at]!;
    if (this.#stack.length >= DEEPEST) {
      this.#abandon(line);
      return at + 1;
    }
    let next = from;
    if (this.#stack.length === 0) next = at;
    const isElement = this.#streamDepth !== -1 && this.#stack.length === this.#streamDepth && !this.#isElement;
    if (isElement) {
      this.#keep(bytes, next, at);
      next = at;
      this.#isElement = true;
      this.#elementLine = line;
    }
    this.#stack.push(byte === OPEN_ARRAY ? CLOSE_ARRAY : CLOSE_OBJECT);
    this.#keys.push(this.#lastString);
    this.#lastString = '';
    if (this.#streamDepth === -1 && byte === OPEN_ARRAY && this.#isStream()) this.#streamDepth = this.#stack.length;
    return next;
  }

  #isStream(): boolean {
    const depth = this.#stack.length;
    if (depth === 1) return true;
    return depth === this.#path.length + 1 && this.#path.every((key, level) => this.#keys[level + 1] === key);
  }

  #close(bytes: Uint8Array, from: number, at: number, line: number): number {
    if (this.#stack.length === 0) return at + 1;
    if (this.#stack.at(-1) !== bytes[at]) {
      this.#abandon(line);
      return at + 1;
    }
    this.#stack.pop();
    this.#keys.pop();
    if (this.#isElement && this.#stack.length === this.#streamDepth) {
      this.#keep(bytes, from, at + 1);
      this.#isElement = false;
      const text = this.#element.take();
      if (this.#isTooLong) this.#sink.broken(this.#elementLine, 'too-long');
      else this.#sink.element(text, this.#elementLine);
      this.#isTooLong = false;
      return at + 1;
    }
    if (this.#stack.length < this.#streamDepth) this.#streamDepth = -1;
    if (this.#stack.length > 0) return from;
    this.#keep(bytes, from, at + 1);
    const rest = this.#rest.take();
    const isTooLong = this.#isTooLong;
    this.#reset();
    if (isTooLong) this.#sink.broken(this.#startLine, 'too-long');
    else this.#sink.document(rest, this.#startLine);
    return at + 1;
  }

  #keep(bytes: Uint8Array, start: number, end: number): void {
    if (start >= end || this.#isTooLong) return;
    const into = this.#current();
    into.add(bytes, start, end);
    if (into.length <= MAX_JSON_BYTES) return;
    this.#isTooLong = true;
    into.take();
  }

  #current(): Pieces {
    return this.#isElement ? this.#element : this.#rest;
  }

  /** A line that can only be the start of another document: the one before was cut off. */
  #isNewStart(bytes: Uint8Array, start: number, end: number): boolean {
    if (!startsDocument(bytes, start, end) || bytes[start]! <= SPACE) return false;
    if (this.#isInString || this.#isIndented) return true;
    // In an object a key must come, in an array an element may.
    return this.#stack.at(-1) === CLOSE_OBJECT ? this.#lastByte !== 58 : ![OPEN_ARRAY, COMMA].includes(this.#lastByte);
  }

  #abandon(line: number): void {
    const isBetween = this.#streamDepth !== -1 && !this.#isElement && this.#stack.length === this.#streamDepth;
    this.#reset();
    this.#sink.broken(line, isBetween ? 'unclosed' : 'truncated');
  }

  #reset(): void {
    this.#stack = [];
    this.#keys = [];
    this.#isInString = false;
    this.#isEscaped = false;
    this.#isElement = false;
    this.#isIndented = false;
    this.#isTooLong = false;
    this.#streamDepth = -1;
    this.#lastString = '';
    this.#element.take();
    this.#rest.take();
  }
}

const LINE_END = Uint8Array.of(LF);

/** Bytes that come in pieces. */
class Pieces {
  length = 0;
  #pieces: Uint8Array[] = [];

  add(bytes: Uint8Array, start: number, end: number): void {
    this.#pieces.push(bytes.slice(start, end));
    this.length += end - start;
  }

  take(): string {
    const text = Buffer.concat(this.#pieces).toString();
    this.#pieces = [];
    this.length = 0;
    return text;
  }
}

/** True for a line that begins with a bracket behind which JSON may go on, unlike `[0] GeForce` and `[  12.3] NVRM`. */
function startsDocument(bytes: Uint8Array, start: number, end: number): boolean {
  const first = skipBlanks(bytes, start, end);
  if (first === end || (bytes[first] !== OPEN_ARRAY && bytes[first] !== OPEN_OBJECT)) return false;
  const second = skipBlanks(bytes, first + 1, end);
  if (second === end) return true;
  const next = bytes[second]!;
  if (bytes[first] === OPEN_OBJECT) return next === QUOTE || next === CLOSE_OBJECT;
  return [OPEN_OBJECT, OPEN_ARRAY, CLOSE_ARRAY].includes(next);
}

function skipBlanks(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end && bytes[at]! <= SPACE) at++;
  return at;
}
