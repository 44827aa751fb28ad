import { type Code, PCIE_COUNTER } from './abi.ts';
import type { Handle, Nvml } from './nvml.ts';
import { symbol } from './symbols.ts';

const THROUGHPUT = symbol('nvmlDeviceGetPcieThroughput');

/** The driver counts kilobytes of 1000 here; where it means 1024, as for NVLink, the interface says KiB. */
export const BYTES_PER_KB = 1000;

/** Sixteen times what the fastest link of sixteen lanes carries: beyond it a counter jumped. */
export const MAX_BYTES_PER_SECOND = 2 ** 41;

/** A rate over less than this, in milliseconds, says more about the two clocks than about the traffic. */
const MIN_INTERVAL_MS = 50;

/** Makes a rate out of a byte counter. */
export class ByteMeter {
  #bytes: number | null = null;
  #at = 0;

  /**
   * Takes the counter as it stood at `at` milliseconds. Gives bytes per second since the reading before; null where there
   * is none yet, or it is too recent to compare with; NaN where the counter went back: it wrapped, or the driver was
   * reloaded.
   */
  next(bytes: number, at: number): number | null {
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

export type Direction = keyof typeof PCIE_COUNTER;

/**
 * Traffic in one direction, in kilobytes per second, to the first word of the scratch buffer. The driver measures for
 * 20 ms and blocks for them, so this is for drivers without byte counters, one call per tick.
 */
export function readThroughput(nvml: Nvml, handle: Handle, direction: Direction): Code {
  return nvml.call(THROUGHPUT, handle, PCIE_COUNTER[direction], nvml.out);
}
