/** A rate over less than this, in milliseconds, says more about the two clocks than about the traffic. */
const MIN_INTERVAL_MS = 50;

/** Makes a rate out of a byte counter. */
export class ByteMeter {
  #bytes: number | null = null;
  #at = 0;

  /**
   * Takes the counter as it stood at `at` milliseconds. Gives bytes per second since the reading before; null where there
   * is none yet, or it is too recent to compare with; NaN where the counter went back (it wrapped, or the driver was
   * reloaded) and where it is NaN itself, which is no reading to compare the next one with.
   */
  next(bytes: number, at: number): number | null {
    if (Number.isNaN(bytes)) {
      this.reset();
      return bytes;
    }
    const elapsed = at - this.#at;
    const before = this.#bytes;
    if (before !== null && elapsed < MIN_INTERVAL_MS) return null;
    this.#bytes = bytes;
    this.#at = at;
    if (before === null) return null;
    return bytes < before ? Number.NaN : ((bytes - before) / elapsed) * 1000;
  }

  /** Forgets the reading before, after a pause in which the counter may have been reset. */
  reset(): void {
    this.#bytes = null;
  }
}

/** The byte counters of a GPU. */
export class ByteMeters {
  readonly pcieTx = new ByteMeter();
  readonly pcieRx = new ByteMeter();
  readonly nvlinkTx = new ByteMeter();
  readonly nvlinkRx = new ByteMeter();

  reset(): void {
    for (const meter of [this.pcieTx, this.pcieRx, this.nvlinkTx, this.nvlinkRx]) meter.reset();
  }
}

export type MeterName = Exclude<keyof ByteMeters, 'reset'>;
