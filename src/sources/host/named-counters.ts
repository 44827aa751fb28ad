import type { ByteFile } from './byte-file.ts';

/** What is kept of one line of a table: a disk or a network interface. */
interface Row {
  readonly name: Uint8Array;
  readonly isCounted: boolean;
  readonly values: Float64Array;
  readonly before: Float64Array;
  /** Number of the read in which it was seen last, and the one before that. */
  seen: number;
  seenBefore: number;
}

/** Things remembered at most: containers come and go, each with an interface of its own. */
const MOST_ROWS = 4096;

/**
 * Counters of things that are told apart by name, one per line, read again and again. The lines mostly come in the same
 * order, so that comparing the bytes of the name with the line that followed the last time is enough.
 */
export class NamedCounters {
  readonly #width: number;
  readonly #isCounted: (name: string) => boolean;
  #rows: Row[] = [];
  #read = 0;
  #place = 0;

  /** `isCounted` decides about each name once. */
  constructor(width: number, isCounted: (name: string) => boolean) {
    this.#width = width;
    this.#isCounted = isCounted;
  }

  begin(): void {
    if (this.#rows.length > MOST_ROWS) this.forget();
    this.#read++;
    this.#place = 0;
  }

  /** Decides about every name again. */
  forget(): void {
    this.#rows = [];
  }

  /** Values to fill in for the name at `from`…`to`, or null for what does not count. */
  row(file: ByteFile, from: number, to: number): Float64Array | null {
    const row = this.#find(file, from, to);
    if (!row.isCounted || row.seen === this.#read) return null;
    row.before.set(row.values);
    row.seenBefore = row.seen;
    row.seen = this.#read;
    return row.values;
  }

  /** Calls `take` for everything that counts and was in the two last reads. Gives how many count in the last. */
  each(take: (now: Float64Array, before: Float64Array) => void): number {
    let count = 0;
    for (const row of this.#rows) {
      if (!row.isCounted || row.seen !== this.#read) continue;
      count++;
      if (row.seenBefore === this.#read - 1) take(row.values, row.before);
    }
    return count;
  }

  #find(file: ByteFile, from: number, to: number): Row {
    const expected = this.#rows[this.#place];
    if (expected !== undefined && isName(expected.name, file, from, to)) {
      this.#place++;
      return expected;
    }
    const known = this.#rows.findIndex(({ name }) => isName(name, file, from, to));
    this.#place = known === -1 ? this.#rows.length + 1 : known + 1;
    return known === -1 ? this.#add(file, from, to) : this.#rows[known]!;
  }

  #add(file: ByteFile, from: number, to: number): Row {
    const name = Uint8Array.from(file.bytes.subarray(from, to));
    const row = {
      name,
      isCounted: this.#isCounted(Buffer.from(name).toString('latin1')),
      values: new Float64Array(this.#width),
      before: new Float64Array(this.#width),
      seen: -1,
      seenBefore: -1,
    };
    this.#rows.push(row);
    return row;
  }
}

function isName(name: Uint8Array, { bytes }: ByteFile, from: number, to: number): boolean {
  if (name.length !== to - from) return false;
  for (let i = 0; i < name.length; i++) if (name[i] !== bytes[from + i]) return false;
  return true;
}
