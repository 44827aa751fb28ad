import type { Millis } from './reading.ts';

/** Stops a running timer; calling it twice is harmless. */
export type Stop = () => void;

/** The only way to learn the time, so that tests can drive it. */
export interface Clock {
  /** Wall-clock time. It may be stepped by the operator or by NTP. */
  now(): Millis;
  /** Milliseconds on a clock that is never stepped; the origin is arbitrary. */
  monotonic(): number;
  /** Calls `run` every `periodMs` until stopped. A timer that is late fires once, not once per missed period. */
  every(periodMs: number, run: () => void): Stop;
  /** Calls `run` once after `delayMs` unless stopped before. */
  after(delayMs: number, run: () => void): Stop;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  every(periodMs, run) {
    const timer = setInterval(run, periodMs);
    return () => clearInterval(timer);
  },
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};
