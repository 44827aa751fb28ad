const WORD_BYTES = 4;

/** Cells next to each other that one record had, with their bytes: where these come again, so do the cells. */
export class CellRun {
  /** Place of the first of them in the record. */
  readonly first: number;
  readonly count: number;
  /** From the start of the first cell to that of the one behind the last, in bytes. */
  readonly length: number;
  /** Starts and ends of the cells, counted from the start of the first. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly #bytes: DataView;

  /** `bytes` are copied; `starts` and `ends` are those of the cells in them. */
  constructor(first: number, bytes: Uint8Array, starts: Int32Array, ends: Int32Array) {
    this.first = first;
    this.count = starts.length;
    this.length = bytes.length;
    this.starts = starts;
    this.ends = ends;
    this.#bytes = new DataView(bytes.slice().buffer);
  }

  /** True if they are at `at` too. Never for fewer than four bytes, which are not worth it. */
  isAt(view: DataView, at: number, to: number): boolean {
    const last = this.length - WORD_BYTES;
    if (last < 0 || at + this.length > to) return false;
    const bytes = this.#bytes;
    // Word by word: this takes a quarter of the time. The last word may overlap with the one before it.
    if (view.getInt32(at + last) !== bytes.getInt32(last)) return false;
    for (let word = 0; word < last; word += WORD_BYTES) {
      if (view.getInt32(at + word) !== bytes.getInt32(word)) return false;
    }
    return true;
  }
}
