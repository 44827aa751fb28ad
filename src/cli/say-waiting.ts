import type { Stop } from '../model/clock.ts';
import type { Context } from './context.ts';

/** Longer than an ordinary start takes. */
const WAITING_MS = 2000;

/** A driver may take long to start: whoever waits is told so, unless it is stopped before. */
export function sayWaiting({ clock, warn, t }: Context): Stop {
  return clock.after(WAITING_MS, () => warn(t('cli.waiting')));
}
