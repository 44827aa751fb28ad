import type { EngineUse } from './fdinfo.ts';

/** Shorter spans than this give no rate worth having: the last one is kept. */
const MIN_SPAN_MS = 50;

/** A counter that stays below its highest value for so many looks has begun anew. */
const RESTART_LOOKS = 5;

interface Mark {
  busy: number;
  /** Milliseconds, or cycles of the engine. */
  passed: number;
  at: number;
  ratio: number | null;
  lowLooks: number;
}

/**
 * Turns the counters of one client into shares of time, 0–1 of all equal engines together. A counter may step back and
 * catch up later, which the kernel allows: then the client has done nothing meanwhile, rather than something negative.
 */
export class EngineMeter {
  readonly #marks = new Map<string, Mark>();

  /** Share since the look before; null at the first look, or where the driver gives no counter. `now` is monotonic. */
  ratio(use: EngineUse, now: number): number | null {
    const busy = use.ns ?? use.cycles;
    if (busy === null || (use.ns === null && use.totalCycles === null)) return null;
    const passed = use.ns === null ? use.totalCycles! : now * 1e6;
    const mark = this.#marks.get(use.name);
    if (mark === undefined) {
      this.#marks.set(use.name, { busy, passed, at: now, ratio: null, lowLooks: 0 });
      return null;
    }
    if (now - mark.at < MIN_SPAN_MS) return mark.ratio;
    mark.ratio = this.#advance(mark, busy, passed, use.capacity);
    mark.at = now;
    return mark.ratio;
  }

  #advance(mark: Mark, busy: number, passed: number, capacity: number): number | null {
    const span = passed - mark.passed;
    const done = busy - mark.busy;
    mark.passed = passed;
    mark.lowLooks = done < 0 ? mark.lowLooks + 1 : 0;
    if (done >= 0 || mark.lowLooks >= RESTART_LOOKS) mark.busy = busy;
    if (span <= 0) return done === 0 ? 0 : null;
    return Math.min(1, Math.max(0, done) / span / capacity);
  }
}
