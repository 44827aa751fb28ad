import { dateText, timeOfDay } from '../../../src/model/format.ts';
import type { Millis } from '../../../src/model/reading.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/**
 * Labels of the time axis for ticks `step` apart: seconds only where they differ, and the date in place of the time at
 * the first tick of a day, or everywhere once ticks are days apart.
 */
export function timeLabels(ticks: readonly Millis[], step: number): string[] {
  return ticks.map((at, i) => {
    const before = ticks[i - 1];
    const date = dateText(at).slice(5);
    if (step >= DAY) return date;
    const newDay = before !== undefined && dateText(before) !== dateText(at);
    const time = step < MINUTE ? timeOfDay(at) : timeOfDay(at).slice(0, 5);
    return newDay ? `${date}\n${time}` : time;
  });
}
