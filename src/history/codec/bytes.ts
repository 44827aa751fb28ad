/** Written forms of numbers, shared by everything that goes to the disk. Byte order is little-endian. */

const BITS_7 = 128;
/** Thousandths hold most readings exactly: milliwatts, whole percent, bytes. */
const THOUSANDTHS = 1000;
const LARGEST = 2 ** 52;
/** Differences of thousandths up to this are still exact when written. */
const LARGEST_SCALED = 2 ** 50;

/** Kinds of a written number. */
const AS_THOUSANDTHS = 0;
const AS_FLOAT = 1;
const AS_INTEGER = 2;

/** Zero and small numbers of either sign become small numbers without one. */
function zigzag(value: number): number {
  return value >= 0 ? value * 2 : -value * 2 - 1;
}

function unzigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

/** `value` in thousandths where that is exact, else NaN. */
export function inThousandths(value: number): number {
  const scaled = Math.round(value * THOUSANDTHS);
  return scaled / THOUSANDTHS === value && Math.abs(scaled) < LARGEST_SCALED ? scaled : Number.NaN;
}

/** A growing array of bytes, used again and again. */
export class ByteWriter {
  #bytes = new Uint8Array(1024);
  #view = new DataView(this.#bytes.buffer);
  length = 0;

  #reserve(count: number): void {
    if (this.length + count <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(2 * this.#bytes.length, this.length + count));
    larger.set(this.#bytes.subarray(0, this.length));
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.length++] = value;
  }

  /** A whole number from 0 to 2^53, seven bits a byte, the lowest first. */
  varint(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest >= BITS_7) {
      this.#bytes[this.length++] = (rest % BITS_7) | BITS_7;
      rest = Math.floor(rest / BITS_7);
    }
    this.#bytes[this.length++] = rest;
  }

  /** A whole number of either sign. */
  signed(value: number): void {
    this.varint(zigzag(value));
  }

  float(value: number): void {
    this.#reserve(8);
    this.#view.setFloat64(this.length, value, true);
    this.length += 8;
  }

  word(value: number): void {
    this.#reserve(4);
    this.#view.setUint32(this.length, value, true);
    this.length += 4;
  }

  /** Any finite number, exactly, in as few bytes as is cheap to find out. */
  number(value: number): void {
    if (Number.isInteger(value) && Math.abs(value) < LARGEST) {
      this.byte(AS_INTEGER);
      this.signed(value);
      return;
    }
    const scaled = inThousandths(value);
    if (Number.isNaN(scaled)) {
      this.byte(AS_FLOAT);
      this.float(value);
    } else {
      this.byte(AS_THOUSANDTHS);
      this.signed(scaled);
    }
  }

  bytes(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#bytes.set(value, this.length);
    this.length += value.length;
  }

  /** A copy of everything since the last time. */
  take(): Uint8Array {
    const result = this.#bytes.slice(0, this.length);
    this.length = 0;
    return result;
  }
}

/** Reads what a {@link ByteWriter} wrote. Throws a RangeError where bytes are missing. */
export class ByteReader {
  readonly source: Uint8Array;
  readonly end: number;
  readonly #view: DataView;
  at: number;

  constructor(source: Uint8Array, start = 0, end: number = source.length) {
    this.source = source;
    this.end = end;
    this.at = start;
    this.#view = new DataView(source.buffer, source.byteOffset, source.byteLength);
  }

  get isAtEnd(): boolean {
    return this.at >= this.end;
  }

  #need(count: number): void {
    if (this.at + count > this.end) throw new RangeError('unexpected end of data');
  }

  byte(): number {
    this.#need(1);
    return this.source[this.at++]!;
  }

  varint(): number {
    let value = 0;
    for (let factor = 1; factor <= 2 ** 49; factor *= BITS_7) {
      const part = this.byte();
      value += (part % BITS_7) * factor;
      if (part < BITS_7) return value;
    }
    throw new RangeError('a number of more than 53 bits');
  }

  signed(): number {
    return unzigzag(this.varint());
  }

  float(): number {
    this.#need(8);
    const value = this.#view.getFloat64(this.at, true);
    this.at += 8;
    return value;
  }

  word(): number {
    this.#need(4);
    const value = this.#view.getUint32(this.at, true);
    this.at += 4;
    return value;
  }

  number(): number {
    switch (this.byte()) {
      case AS_INTEGER:
        return this.signed();
      case AS_THOUSANDTHS:
        return this.signed() / THOUSANDTHS;
      case AS_FLOAT:
        return this.float();
      default:
        throw new RangeError('a number of an unknown kind');
    }
  }

  /** A view of the next bytes, not a copy. */
  bytes(count: number): Uint8Array {
    this.#need(count);
    this.at += count;
    return this.source.subarray(this.at - count, this.at);
  }
}
