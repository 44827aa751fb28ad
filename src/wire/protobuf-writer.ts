/** Wire types of protobuf, as far as they are written here. */
const VARINT = 0;
const FIXED64 = 1;
const LENGTH = 2;

/** Writes protobuf messages into one growing buffer. Field numbers are 1…15. */
export class ProtobufWriter {
  #bytes = Buffer.allocUnsafeSlow(65_536);
  #length = 0;

  text(field: number, value: string): void {
    const size = Buffer.byteLength(value);
    this.#tag(field, LENGTH);
    this.#varint(size);
    this.#ensure(size);
    this.#length += this.#bytes.write(value, this.#length);
  }

  double(field: number, value: number): void {
    this.#tag(field, FIXED64);
    this.#ensure(8);
    this.#length = this.#bytes.writeDoubleLE(value, this.#length);
  }

  /** Fields that have been encoded before. */
  raw(bytes: Uint8Array): void {
    this.#ensure(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** A whole number from 0 to 2^53. */
  integer(field: number, value: number): void {
    this.#tag(field, VARINT);
    this.#varint(value);
  }

  /** A message in a message, written by `write`. Its length is known afterwards, so that it is moved up to make room. */
  message(field: number, write: () => void): void {
    this.#tag(field, LENGTH);
    const start = this.#length;
    write();
    const size = this.#length - start;
    const room = varintSize(size);
    this.#ensure(room);
    this.#bytes.copyWithin(start + room, start, this.#length);
    this.#length = start;
    this.#varint(size);
    this.#length += size;
  }

  /** What has been written; it is overwritten by what is written after {@link clear}. */
  finish(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }

  #tag(field: number, type: number): void {
    this.#varint(field * 8 + type);
  }

  #varint(value: number): void {
    this.#ensure(10);
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 0x80) + 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#length++] = rest;
  }

  #ensure(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow((this.#length + more) * 2);
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++;
  return size;
}
