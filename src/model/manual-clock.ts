import type { Clock, Stop } from './clock.ts';
import type { Millis } from './reading.ts';

interface Timer {
  due: number;
  readonly period: number | null;
  readonly run: () => void;
}

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  #now: Millis;
  #monotonic = 0;
  readonly #timers = new Set<Timer>();

  constructor(now: Millis = Date.UTC(2026, 0, 1)) {
    this.#now = now;
  }

  now(): Millis {
    return this.#now;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  every(periodMs: number, run: () => void): Stop {
    return this.#add({ due: this.#monotonic + periodMs, period: periodMs, run });
  }

  after(delayMs: number, run: () => void): Stop {
    return this.#add({ due: this.#monotonic + delayMs, period: null, run });
  }

  /** Moves time forward, firing what falls due in order, and lets pending promises settle before and after each timer. */
  async advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    await settle();
    for (;;) {
      const next = [...this.#timers].filter((timer) => timer.due <= end).sort((a, b) => a.due - b.due)[0];
      if (next === undefined) break;
      this.#moveTo(next.due);
      if (next.period === null) this.#timers.delete(next);
      else next.due += next.period;
      next.run();
      await settle();
    }
    this.#moveTo(end);
    await settle();
  }

  /** Steps the wall clock alone, as an operator or NTP would. */
  step(ms: number): void {
    this.#now += ms;
  }

  #add(timer: Timer): Stop {
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  #moveTo(monotonic: number): void {
    this.#now += monotonic - this.#monotonic;
    this.#monotonic = monotonic;
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
}
