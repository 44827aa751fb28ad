/** Bytes of the length of a frame's content, and of the number of its dictionary, by what the descriptor says: RFC 8878, 3.1.1.1. */
const CONTENT_SIZE_BYTES = [0, 2, 4, 8] as const;
const DICTIONARY_BYTES = [0, 1, 2, 4] as const;

const CHECKSUM_BYTES = 4;
const BLOCK_HEADER_BYTES = 3;
/** A block that is one byte, many times over. */
const RUN = 1;

/** First word of a frame, and of one that holds nothing of the content, whose lowest four bits are free. */
const MAGIC = 0xfd2fb528;
const SKIPPABLE = 0x184d2a50;

type Part = 'magic' | 'size' | 'descriptor' | 'block' | 'other';

/**
 * Where the frames of a zstd file end. `zstd >>` and parallel compressors write several, and the decompressor of Node.js
 * takes bytes behind the end of a frame for garbage unless they come by themselves.
 */
export class ZstdFrames {
  #part: Part = 'magic';
  /** Bytes of the part that are still to come, and those of a part that is looked at. */
  #missing = 4;
  #seen: number[] = [];
  #hasChecksum = false;
  #isInSkippable = false;
  #isLastBlock = false;
  #isUnknown = false;

  /** The bytes in pieces, none of which goes on behind the end of a frame. */
  split(bytes: Uint8Array): Uint8Array[] {
    const pieces: Uint8Array[] = [];
    let from = 0;
    let at = 0;
    while (at < bytes.length && !this.#isUnknown) {
      const taken = Math.min(this.#missing, bytes.length - at);
      if (this.#part !== 'other') this.#seen.push(...bytes.subarray(at, at + taken));
      at += taken;
      this.#missing -= taken;
      while (this.#missing === 0 && !this.#isUnknown) {
        if (!this.#goOn()) continue;
        pieces.push(bytes.subarray(from, at));
        from = at;
      }
    }
    if (from < bytes.length) pieces.push(bytes.subarray(from));
    return pieces;
  }

  /** A part is complete. True where a frame ends with it. */
  #goOn(): boolean {
    const number = this.#seen.reduce((sum, byte, i) => sum + byte * 2 ** (8 * i), 0);
    this.#seen = [];
    switch (this.#part) {
      case 'magic':
        this.#isInSkippable = Math.floor(number / 16) === SKIPPABLE / 16;
        this.#isUnknown = !this.#isInSkippable && number !== MAGIC;
        this.#isLastBlock = this.#isInSkippable;
        this.#hasChecksum = false;
        this.#expect(this.#isInSkippable ? 'size' : 'descriptor', this.#isInSkippable ? 4 : 1);
        return false;
      case 'size':
        this.#expect('other', number);
        return false;
      case 'descriptor':
        this.#readDescriptor(number);
        return false;
      case 'block':
        this.#readBlock(number);
        return false;
      case 'other':
        if (this.#isLastBlock) this.#expect('magic', 4);
        else this.#expect('block', BLOCK_HEADER_BYTES);
        return this.#isLastBlock;
    }
  }

  #readDescriptor(byte: number): void {
    const isSingleSegment = (byte & 0x20) !== 0;
    const sizeBytes = byte >> 6 === 0 && isSingleSegment ? 1 : CONTENT_SIZE_BYTES[byte >> 6]!;
    this.#hasChecksum = (byte & 4) !== 0;
    this.#expect('other', (isSingleSegment ? 0 : 1) + DICTIONARY_BYTES[byte & 3]! + sizeBytes);
  }

  #readBlock(header: number): void {
    const size = header >> 3;
    this.#isLastBlock = (header & 1) === 1;
    const bytes = ((header >> 1) & 3) === RUN ? 1 : size;
    this.#expect('other', bytes + (this.#isLastBlock && this.#hasChecksum ? CHECKSUM_BYTES : 0));
  }

  #expect(part: Part, bytes: number): void {
    this.#part = part;
    this.#missing = bytes;
  }
}
