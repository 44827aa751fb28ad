import { readFileSync } from 'node:fs';
import type { Millis } from '../../model/reading.ts';

/** Times of the kernel, which count from boot. */
export interface BootClock {
  /** Tells this boot from others. */
  readonly bootId: string;
  /** Microseconds since boot, on the clock that stands still during sleep, as the time stamps of the kernel log do. */
  micros(): number;
}

/** The boot of this machine. `bootIdFile` is where the kernel names it. */
export function systemBootClock(bootIdFile = '/proc/sys/kernel/random/boot_id'): BootClock {
  return { bootId: readBootId(bootIdFile), micros: () => Number(process.hrtime.bigint() / 1000n) };
}

function readBootId(file: string): string {
  try {
    return readFileSync(file, 'latin1').trim().slice(0, 8) || '?';
  } catch {
    return '?';
  }
}

/**
 * Wall-clock time of a moment since boot. The two clocks of the kernel drift apart by seconds in weeks, so what is read
 * as it happens is kept between `since`, when the log was last at its end, and `now`.
 */
export function wallTime(micros: number, now: { wall: Millis; micros: number }, since: Millis | null): Millis {
  const at = Math.round(now.wall - (now.micros - micros) / 1000);
  return Math.min(Math.max(at, since ?? at), now.wall);
}
