/**
 * What a worker is reading, in memory that both threads see: one that hangs inside the kernel cannot send a message, yet
 * the main thread must be able to name the GPU on which it hangs.
 */

const SEQUENCE = 0;
const SUBJECT = 1;
const CELLS = 2;

/** The worker is looking for GPUs, or at what concerns all of them. */
export const EVERYTHING = -1;
/** The worker is listing processes. */
export const PROCESSES = -2;

export class Progress {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: Int32Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(CELLS * Int32Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer;
    this.#cells = new Int32Array(buffer);
  }

  /** Says that the next reads are on the GPU at this position, on EVERYTHING or on PROCESSES. */
  begin(subject: number): void {
    this.#cells[SUBJECT] = subject;
    this.step();
  }

  /** Says that a file is about to be read: a sequence number that stands still is a read that hangs. */
  step(): void {
    Atomics.add(this.#cells, SEQUENCE, 1);
  }

  read(): { readonly sequence: number; readonly subject: number } {
    return { sequence: Atomics.load(this.#cells, SEQUENCE), subject: this.#cells[SUBJECT]! };
  }
}
