/** UTF-16 byte order marks, as PowerShell's `>` writes them. */
const UTF16_MARKS = [
  { label: 'utf-16le', mark: [0xff, 0xfe] },
  { label: 'utf-16be', mark: [0xfe, 0xff] },
] as const;

/**
 * Turns a stream into UTF-8 if it begins with a UTF-16 byte order mark; every other stream passes through unchanged,
 * whether its bytes are valid UTF-8 or not.
 */
export class Utf16Converter {
  readonly #push: (chunk: Uint8Array) => void;
  #decoder: InstanceType<typeof TextDecoder> | null = null;
  #decided = false;
  /** A first chunk of one byte, too short to tell. */
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
    if (bytes.length < 2) {
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
    if (found !== undefined) this.#decoder = new TextDecoder(found.label);
    this.#decided = true;
    this.#pass(bytes);
  }

  #pass(bytes: Uint8Array): void {
    this.#push(this.#decoder === null ? bytes : Buffer.from(this.#decoder.decode(bytes, { stream: true })));
  }
}
