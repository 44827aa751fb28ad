/**
 * Lets one thread of this process at a time use the driver's performance counters (GPM): calls at the same moment, even
 * on different GPUs, have crashed processes.
 */
export class GpmLock {
  readonly buffer: SharedArrayBuffer;
  readonly #cell: Int32Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer;
    this.#cell = new Int32Array(buffer);
  }

  /**
   * False while another thread holds it, which may be for ever, since that one may hang in the driver. Waits for so many
   * milliseconds at most, so not to be called with a wait by the main thread.
   */
  take(waitMs = 0): boolean {
    if (Atomics.compareExchange(this.#cell, 0, 0, 1) === 0) return true;
    if (waitMs === 0) return false;
    Atomics.wait(this.#cell, 0, 1, waitMs);
    return this.take();
  }

  /** Only by the one who took it. */
  release(): void {
    Atomics.store(this.#cell, 0, 0);
    Atomics.notify(this.#cell, 0, 1);
  }
}
