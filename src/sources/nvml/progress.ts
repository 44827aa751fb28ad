/**
 * What the worker is doing, in memory that both threads see: a worker that hangs inside the driver cannot send a message,
 * yet the main thread must be able to name the call and the GPU, to tell the worker that the other GPUs are no longer its
 * business, and to tell it that it is no longer wanted. What is wanted of a worker stands here, too: one that sleeps on a word
 * of memory wakes up and falls asleep at half the cost of one that waits for messages.
 */

/** Places in {@link Progress.cells}. */
export const SEQUENCE = 0;
export const CALL = 1;
const GPU = 2;
export const ABANDONED = 3;
const ONLY = 4;
/** {@link TICK} and {@link MESSAGE}, or 0: where the worker sleeps. */
const WANTED = 5;
const CELLS = 6;

/** A tick is wanted. */
export const TICK = 1;
/** There are messages. */
export const MESSAGE = 2;

const BYTES = CELLS * Int32Array.BYTES_PER_ELEMENT + Float64Array.BYTES_PER_ELEMENT;

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
  /**
   * What both threads see. Whoever calls the driver writes its place here itself, without a function in between and without
   * a fence: that is done four hundred times a tick, and a call that hangs does so for longer than a store can take.
   */
  readonly cells: Int32Array;
  /** The caller's clock when it asked for a tick. */
  readonly #now: Float64Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(BYTES)) {
    this.buffer = buffer;
    this.cells = new Int32Array(buffer, 0, CELLS);
    this.#now = new Float64Array(buffer, CELLS * Int32Array.BYTES_PER_ELEMENT, 1);
    if (this.cells[SEQUENCE] === 0) {
      this.cells.fill(NONE, CALL, GPU + 1);
      this.cells[ONLY] = NONE;
    }
  }

  /** Says which GPU the next calls are on. */
  setGpu(index: number): void {
    this.cells[GPU] = index;
  }

  read(): CallInProgress {
    const sequence = Atomics.load(this.cells, SEQUENCE);
    return { sequence, call: Atomics.load(this.cells, CALL), gpu: Atomics.load(this.cells, GPU) };
  }

  /** Tells a worker to leave every GPU but this one alone, should it ever return from the call it is in. */
  restrict(gpu: number): void {
    Atomics.store(this.cells, ONLY, gpu);
  }

  /** NVML index of the only GPU that is still wanted, or NONE where all are. */
  get only(): number {
    return this.cells[ONLY]!;
  }

  /** Takes note of a restriction for good: gives what `only` is, which is NONE from now on. */
  takeOnly(): number {
    return Atomics.exchange(this.cells, ONLY, NONE);
  }

  /** Tells a worker that hangs to release what it holds and end, should it ever return. */
  abandon(): void {
    Atomics.store(this.cells, ABANDONED, 1);
  }

  /** Asks the worker for a tick, of the GPUs that it has; `now` on the caller's monotonic clock. */
  askForTick(now: number): void {
    this.#now[0] = now;
    this.#wake(TICK);
  }

  /** Lets the worker look for messages. */
  announceMessage(): void {
    this.#wake(MESSAGE);
  }

  /** Sleeps until something is wanted, and gives what: {@link TICK}, {@link MESSAGE}, or both. Only by the worker. */
  sleep(): number {
    Atomics.wait(this.cells, WANTED, 0);
    return Atomics.exchange(this.cells, WANTED, 0);
  }

  /** What was given with the last question for a tick. */
  get now(): number {
    return this.#now[0]!;
  }

  #wake(want: number): void {
    Atomics.or(this.cells, WANTED, want);
    Atomics.notify(this.cells, WANTED);
  }
}
