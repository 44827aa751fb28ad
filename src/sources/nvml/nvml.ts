import type { LibraryHandle } from 'koffi';
import { CODE, type Code } from './abi.ts';
import { ABANDONED, CALL, NONE, type Progress, SEQUENCE } from './progress.ts';
import { type Argument, argumentsOf, SYMBOL_COUNT, symbolName } from './symbols.ts';

/** The driver came back to a worker that has been given up: unwinds to where the worker ends. */
export class Abandoned extends Error {}

/** What the library knows a device by. Valid until the last shutdown. */
export type Handle = number | bigint;

/** Room for the largest result: fields of all 36 NVLink ports, in both directions. */
const SCRATCH_BYTES = 4096;

/** Most results that one call writes, 8 bytes apart. */
const RESULTS = 4;

const TYPES: Readonly<Record<Argument, string>> = {
  // A handle is only ever passed back, so it may as well be the number it is.
  device: 'uint64',
  out: 'void *',
  text: 'const char *',
  int: 'int',
  uint: 'uint32',
  time: 'uint64',
};

type NativeArgument = number | bigint | string | Uint8Array | Uint32Array | null | undefined;
type NativeFunction = (
  a: NativeArgument,
  b: NativeArgument,
  c: NativeArgument,
  d: NativeArgument,
  e: NativeArgument,
  f: NativeArgument,
) => Code;

/**
 * The library, bound lazily: each symbol is looked up at its first call, once, and its absence is remembered. A call on
 * an absent symbol gives `functionNotFound`, which is what the library says itself where it knows a function by name
 * only; so a caller walks from the newest function to the oldest by looking at codes alone.
 *
 * Results arrive in one scratch buffer that the next call overwrites.
 */
export class Nvml {
  /** 32-bit words of the scratch buffer: where every call of one result writes. */
  readonly out = new Uint32Array(SCRATCH_BYTES / 4);
  readonly signed = new Int32Array(this.out.buffer);
  readonly float = new Float64Array(this.out.buffer);
  readonly bytes = Buffer.from(this.out.buffer);
  /** The first 8-byte places of the scratch buffer, for calls with several results: the second is `out[2]`. */
  readonly results: readonly Uint32Array[] = Array.from({ length: RESULTS }, (_, i) => this.out.subarray(2 * i));
  /** Takes a second result that nobody wants. */
  readonly ignored = new Uint32Array(2);
  readonly progress: Progress;
  /** Those of {@link progress}. */
  readonly cells: Int32Array;
  readonly #handle: LibraryHandle;
  readonly #functions: (NativeFunction | null | undefined)[] = new Array(SYMBOL_COUNT).fill(undefined);

  constructor(handle: LibraryHandle, progress: Progress) {
    this.#handle = handle;
    this.progress = progress;
    this.cells = progress.cells;
  }

  call(
    symbol: number,
    a?: NativeArgument,
    b?: NativeArgument,
    c?: NativeArgument,
    d?: NativeArgument,
    e?: NativeArgument,
    f?: NativeArgument,
  ): Code {
    const native = this.#functions[symbol] ?? this.#bind(symbol);
    if (native === null) return CODE.functionNotFound;
    const { cells } = this;
    cells[CALL] = symbol;
    cells[SEQUENCE]!++;
    const code = native(a, b, c, d, e, f);
    cells[CALL] = NONE;
    cells[SEQUENCE]!++;
    if (cells[ABANDONED] === 1) throw new Abandoned();
    return code;
  }

  /** How many calls were made so far: only differences mean something. */
  get calls(): number {
    // It changes with the beginning and the end of each.
    return this.cells[SEQUENCE]! / 2;
  }

  /** A call on the first of these symbols that exists. */
  callFirst(symbols: readonly number[], a?: NativeArgument, b?: NativeArgument): Code {
    for (const symbol of symbols) if (this.has(symbol)) return this.call(symbol, a, b);
    return CODE.functionNotFound;
  }

  has(symbol: number): boolean {
    return (this.#functions[symbol] ?? this.#bind(symbol)) !== null;
  }

  /** The library's own words for a code. */
  errorText(code: Code): string {
    try {
      return this.#handle.func('nvmlErrorString', 'const char *', ['int'])(code) as string;
    } catch {
      return '?';
    }
  }

  /** An unsigned 64-bit number at a byte offset that is a multiple of 4. Above 2^53 it is rounded, as a number is. */
  u64(offset: number): number {
    const { out } = this;
    const word = offset >> 2;
    return out[word + 1]! * 2 ** 32 + out[word]!;
  }

  /** An amount of 64 bits at such an offset: NaN for all ones of 32 bits, which some functions give in place of a number. */
  amount(offset: number): number {
    const number = this.u64(offset);
    return number === 0xffffffff ? Number.NaN : number;
  }

  /** A C string at a byte offset. Control characters are left out: they would reach a terminal. */
  text(offset: number, size: number): string {
    const end = this.bytes.indexOf(0, offset);
    const text = this.bytes.toString('utf8', offset, end < 0 || end > offset + size ? offset + size : end);
    return text.replaceAll(/\p{Cc}/gu, '').trim();
  }

  /** A device handle at the start of the scratch buffer. A pointer fits a number, which koffi passes on fastest. */
  handle(): Handle {
    const handle = this.u64(0);
    return Number.isSafeInteger(handle) ? handle : this.bytes.readBigUInt64LE(0);
  }

  /** Unmaps the library. Nothing may be called after it. */
  unload(): void {
    this.progress.setGpu(NONE);
    this.#functions.fill(null);
    this.#handle.unload();
  }

  #bind(symbol: number): NativeFunction | null {
    const known = this.#functions[symbol];
    if (known !== undefined) return known;
    let native: NativeFunction | null = null;
    try {
      const types = argumentsOf(symbol).map((argument) => TYPES[argument]);
      native = this.#handle.func(symbolName(symbol), 'int', types) as NativeFunction;
    } catch {
      // koffi throws for a symbol that the library does not export.
    }
    this.#functions[symbol] = native;
    return native;
  }
}
