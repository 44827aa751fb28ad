/** Most bits that are written or read at once. */
export const MOST_BITS = 16;

/** Bits that nothing is known about: written as they are, the highest first. Used again and again. */
export class BitWriter {
  #bytes = new Uint8Array(1024);
  #length = 0;
  /** The last bits, which do not fill a byte yet. */
  #rest = 0;
  #count = 0;

  /** The lowest `count` bits of `value`, up to {@link MOST_BITS}. */
  put(value: number, count: number): void {
    this.#rest = (this.#rest << count) | value;
    this.#count += count;
    while (this.#count >= 8) {
      this.#count -= 8;
      this.#byte((this.#rest >>> this.#count) & 0xff);
    }
    this.#rest &= (1 << this.#count) - 1;
  }

  #byte(value: number): void {
    if (this.#length === this.#bytes.length) {
      const larger = new Uint8Array(2 * this.#length);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes[this.#length++] = value;
  }

  /** A copy of everything since the last time, filled up with zeros. */
  take(): Uint8Array {
    if (this.#count > 0) this.put(0, 8 - this.#count);
    const result = this.#bytes.slice(0, this.#length);
    this.#length = 0;
    return result;
  }
}

/** Reads what a {@link BitWriter} wrote; zeros behind the end. */
export class BitReader {
  #bytes: Uint8Array = new Uint8Array();
  #at = 0;
  #end = 0;
  #rest = 0;
  #count = 0;

  open(bytes: Uint8Array, start: number, end: number): void {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
    this.#rest = 0;
    this.#count = 0;
  }

  take(count: number): number {
    while (this.#count < count) {
      this.#rest = ((this.#rest & 0xffff) << 8) | (this.#at < this.#end ? this.#bytes[this.#at++]! : 0);
      this.#count += 8;
    }
    this.#count -= count;
    return (this.#rest >>> this.#count) & ((1 << count) - 1);
  }
}
