import type { Tick } from '../model/tick.ts';

/** Ticks, and rows of devices in them, between two waits: a fraction of what a history lets pile up in memory. */
const MOST_TICKS = 256;
const MOST_ROWS = 1024;

/** Tells when whoever publishes ticks much faster than real time has to wait until they have been taken in. */
export class DrainPace {
  #ticks = 0;
  #rows = 0;

  /** True where it is time to wait after this tick, which then begins a new count. */
  isDueAfter({ devices }: Tick): boolean {
    this.#ticks++;
    this.#rows += 1 + devices.length;
    if (this.#ticks < MOST_TICKS && this.#rows < MOST_ROWS) return false;
    this.#ticks = 0;
    this.#rows = 0;
    return true;
  }
}
