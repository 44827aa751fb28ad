import { slotOf } from './catalogue.ts';
import { AMISS, CORE_METRICS } from './core-metrics.ts';
import { isPresent } from './reading.ts';
import type { ReadingSet } from './reading-set.ts';

const CORE = CORE_METRICS.map(slotOf);

/**
 * True for a device of which nothing that matters can be read, though it is there: the driver answers with errors only. A
 * device that supports none of it is not mute.
 */
export function isMute(readings: ReadingSet): boolean {
  const core = CORE.map((slot) => readings.at(slot));
  return (
    core.every((reading) => !isPresent(reading)) &&
    core.some((reading) => !isPresent(reading) && AMISS.includes(reading.absent))
  );
}
