/**
 * What the worker is doing, in memory that both threads see: a worker that hangs inside the driver cannot send a message,
 * yet the main thread must be able to name the call and the GPU, to tell the worker that the other GPUs are no longer its
 * business, and to tell it that it is no longer wanted.
 */

const SEQUENCE = 0;
const CALL = 1;
const GPU = 2;
const ABANDONED = 3;
const ONLY = 4;
const CELLS = 5;

/** No call is under way, or none on a single GPU. */
export const NONE = -1;

export interface CallInProgress {
  /** Changes whenever a call begins or ends: a value that stands still is a call that hangs. */
  readonly sequence: number;
  /** Position in the symbol table, or NONE. */
  readonly call: number;
  /** NVML index of the GPU it is on, or NONE. */
  readonly gpu: number;
}

export class Progress {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: Int32Array;
  #sequence = 0;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(CELLS * Int32Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer;
    this.#cells = new Int32Array(buffer);
    if (this.#cells[SEQUENCE] === 0) {
      this.#cells.fill(NONE, CALL, GPU + 1);
      this.#cells[ONLY] = NONE;
    }
  }

  /** Says which GPU the next calls are on. */
  setGpu(index: number): void {
    this.#cells[GPU] = index;
  }

  /** Two stores and a fence per call: about 30 ns, little beside a driver call. */
  begin(call: number): void {
    this.#cells[CALL] = call;
    Atomics.store(this.#cells, SEQUENCE, ++this.#sequence);
  }

  end(): void {
    this.#cells[CALL] = NONE;
    Atomics.store(this.#cells, SEQUENCE, ++this.#sequence);
  }

  read(): CallInProgress {
    const sequence = Atomics.load(this.#cells, SEQUENCE);
    return { sequence, call: Atomics.load(this.#cells, CALL), gpu: Atomics.load(this.#cells, GPU) };
  }

  /** Tells a worker to leave every GPU but this one alone, should it ever return from the call it is in. */
  restrict(gpu: number): void {
    Atomics.store(this.#cells, ONLY, gpu);
  }

  /** NVML index of the only GPU that is still wanted, or NONE where all are. */
  get only(): number {
    return this.#cells[ONLY]!;
  }

  /** Takes note of a restriction for good: gives what `only` is, which is NONE from now on. */
  takeOnly(): number {
    return Atomics.exchange(this.#cells, ONLY, NONE);
  }

  /** Tells a worker that hangs to release what it holds and end, should it ever return. */
  abandon(): void {
    Atomics.store(this.#cells, ABANDONED, 1);
  }

  get isAbandoned(): boolean {
    return this.#cells[ABANDONED] === 1;
  }
}
