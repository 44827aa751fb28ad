import { promisify } from 'node:util';
import { constants, gzip, gzipSync } from 'node:zlib';

const compress = promisify(gzip);

/** The fastest level: pages are so repetitive that a higher one saves little and costs the scraper its time. */
const LEVEL = { level: constants.Z_BEST_SPEED };

/**
 * Pages up to this length are compressed at once, in less than two milliseconds (the 366 KiB of 64 GPUs in 1.1): handing
 * one to another thread and waiting for it takes as long again, and a short page keeps the event loop as busy with that
 * alone.
 */
const MOST_BYTES_AT_ONCE = 512 * 1024;

/** One page, as text and compressed. */
export class MadePage {
  /** Number of the tick that it shows. */
  readonly sequence: number;
  /** When it was made, on the monotonic clock. */
  readonly at: number;
  readonly #text: Buffer;
  #packed: Buffer | Promise<Buffer> | null = null;
  #isGiven = false;
  #isPacking = false;

  constructor(sequence: number, at: number, text: Buffer) {
    this.sequence = sequence;
    this.at = at;
    this.#text = text;
  }

  /** The memory of the page, for another one, once nobody reads it any more; null while somebody may. */
  get room(): Buffer | null {
    return this.#isGiven || this.#isPacking ? null : Buffer.from(this.#text.buffer);
  }

  get bytes(): number {
    return this.#text.length;
  }

  /** The page as text, which its reader keeps as long as he wants. */
  plain(): Buffer {
    this.#isGiven = true;
    return this.#text;
  }

  /** The page in gzip, compressed by whoever wants it first. */
  compressed(): Buffer | Promise<Buffer> {
    this.#packed ??= this.#text.length > MOST_BYTES_AT_ONCE ? this.#packAside() : gzipSync(this.#text, LEVEL);
    return this.#packed;
  }

  async #packAside(): Promise<Buffer> {
    this.#isPacking = true;
    try {
      return await compress(this.#text, LEVEL);
    } finally {
      this.#isPacking = false;
    }
  }
}
