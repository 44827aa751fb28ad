/** UTF-16 byte order marks, as PowerShell's `>` writes them. */
const UTF16_MARKS = [
  { label: 'utf-16le', mark: [0xff, 0xfe] },
  { label: 'utf-16be', mark: [0xfe, 0xff] },
] as const;

/** So many bytes at the start tell the encoding: a mark, or the zeros of two letters. */
const TELLING_BYTES = 4;

/**
 * Turns a stream into UTF-8 if it begins with a UTF-16 byte order mark or with two letters of UTF-16; every other
 * stream passes through unchanged, whether its bytes are valid UTF-8 or not.
 */
export class Utf16Converter {
  readonly #push: (chunk: Uint8Array) => void;
  #decoder: InstanceType<typeof TextDecoder> | null = null;
  #decided = false;
  /** First bytes, too few to tell. */
  #held: Uint8Array = new Uint8Array(0);

  constructor(push: (chunk: Uint8Array) => void) {
    this.#push = push;
  }

  /** Takes the next bytes of the stream; they are only lent for the call. */
  push(chunk: Uint8Array): void {
    if (this.#decided) {
      this.#pass(chunk);
      return;
    }
    const bytes = this.#held.length === 0 ? chunk : new Uint8Array([...this.#held, ...chunk]);
    if (bytes.length < TELLING_BYTES) {
      this.#held = bytes.slice();
      return;
    }
    this.#decide(bytes);
  }

  end(): void {
    if (!this.#decided) this.#decide(this.#held);
    const last = this.#decoder?.decode();
    if (last !== undefined && last !== '') this.#push(Buffer.from(last));
  }

  #decide(bytes: Uint8Array): void {
    const found = UTF16_MARKS.find(({ mark }) => bytes[0] === mark[0] && bytes[1] === mark[1]);
    const label = found?.label ?? unmarkedUtf16(bytes);
    if (label !== null) this.#decoder = new TextDecoder(label);
    this.#decided = true;
    this.#pass(bytes);
  }

  #pass(bytes: Uint8Array): void {
    this.#push(this.#decoder === null ? bytes : Buffer.from(this.#decoder.decode(bytes, { stream: true })));
  }
}

/** The byte order of letters whose other bytes are zero; null for anything else. */
function unmarkedUtf16([first, second, third, fourth]: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (second === 0 && fourth === 0 && isLetter(first) && isLetter(third)) return 'utf-16le';
  return first === 0 && third === 0 && isLetter(second) && isLetter(fourth) ? 'utf-16be' : null;
}

function isLetter(byte: number | undefined): boolean {
  return byte !== undefined && byte > 0x20 && byte < 0x7f;
}
