import { type Code, PCIE_COUNTER } from './abi.ts';
import type { Handle, Nvml } from './nvml.ts';
import { symbol } from './symbols.ts';

const THROUGHPUT = symbol('nvmlDeviceGetPcieThroughput');

/** The driver counts kilobytes of 1000 here; where it means 1024, as for NVLink, the interface says KiB. */
export const BYTES_PER_KB = 1000;

/** Every GPU is measured in both directions once in this time, as far as the limit below lets it: a tick before ten seconds. */
const PERIOD_MS = 9000;
/** Calls per second at most: 40 ms of every second. */
const MAX_PER_SECOND = 2;
/** In one tick at most, however long the one before is ago. */
const MAX_PER_TICK = 16;

export type Direction = keyof typeof PCIE_COUNTER;

/**
 * Traffic in one direction, in kilobytes per second, to the first word of the scratch buffer. The driver measures for
 * 20 ms and blocks for them, so this is for drivers without byte counters, and in turn.
 */
export function readThroughput(nvml: Nvml, handle: Handle, direction: Direction): Code {
  return nvml.call(THROUGHPUT, handle, PCIE_COUNTER[direction], nvml.out);
}

/** Shares out the calls that block: one per second for few GPUs, two for many. */
export class ThroughputTurns {
  #next = 0;
  /** Calls that may be made; one at the start, so that the first tick begins with it. */
  #credit = 1;

  /** Measures what is due of the GPUs given by number, each in two directions. */
  turn(gpus: number, elapsedMs: number, measure: (gpu: number, direction: Direction) => void): void {
    if (gpus === 0) return;
    const jobs = 2 * gpus;
    const seconds = Math.max(0, elapsedMs) / 1000;
    const cap = Math.min(Math.max(MAX_PER_SECOND, MAX_PER_SECOND * seconds), MAX_PER_TICK, jobs);
    const credit = this.#credit + Math.max(1, (jobs * 1000) / PERIOD_MS) * seconds;
    const due = Math.floor(Math.min(credit, cap));
    // What could not be paid out is forgiven, but for a part of a call.
    this.#credit = Math.min(credit - due, 1);
    for (let i = 0; i < due; i++) {
      const job = this.#next++ % jobs;
      measure(job >> 1, (job & 1) === 0 ? 'tx' : 'rx');
    }
    this.#next %= jobs;
  }
}
