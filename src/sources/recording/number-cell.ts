const ZERO = 48;
const DOT = 46;
const MINUS = 45;
const PLUS = 43;
const UPPER_E = 69;
const LOWER_E = 101;

/** Numbers up to this many digits are exact as an integer, so that dividing once by a power of ten rounds once. */
const EXACT_DIGITS = 15;
export const POWERS_OF_TEN = Array.from({ length: EXACT_DIGITS + 1 }, (_, exponent) => 10 ** exponent);

const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?/;

/** Reads the number at the start of a cell without making a string, as `Number()` would read it. */
export class NumberCell {
  /** Where the number ended: what follows is its unit. */
  end = 0;

  /** The number at `start`, or NaN where there is none. Surrounding blanks are not skipped. */
  read(bytes: Uint8Array, start: number, end: number): number {
    const first = bytes[start]!;
    const isNegative = first === MINUS;
    const from = isNegative || first === PLUS ? start + 1 : start;
    let value = 0;
    let at = from;
    for (; at < end && isDigit(bytes[at]!); at++) value = value * 10 + bytes[at]! - ZERO;
    let digits = at - from;
    if (at < end && bytes[at] === DOT) {
      const point = ++at;
      for (; at < end && isDigit(bytes[at]!); at++) value = value * 10 + bytes[at]! - ZERO;
      digits += at - point;
      if (digits <= EXACT_DIGITS) value /= POWERS_OF_TEN[at - point]!;
    }
    this.end = at;
    if (digits <= 0) return Number.NaN;
    const mayHaveExponent = at < end && (bytes[at] === UPPER_E || bytes[at] === LOWER_E);
    if (digits > EXACT_DIGITS || mayHaveExponent) return this.#readExactly(bytes, start, end);
    return isNegative ? -value : value;
  }

  /** Many digits or an exponent: rare enough for a string. */
  #readExactly(bytes: Uint8Array, start: number, end: number): number {
    const text = DECIMAL.exec(asciiText(bytes, start, Math.min(end, start + 64)))?.[0] ?? '';
    this.end = start + text.length;
    return text === '' ? Number.NaN : Number(text);
  }
}

/** The bytes as text, one character per byte. */
export function asciiText(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= ZERO + 9;
}
