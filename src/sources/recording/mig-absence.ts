import { DEVICE_METRICS } from '../../model/catalogue.ts';
import { absenceCode, type ReadingSet } from '../../model/reading-set.ts';

const UTILISATION_SLOTS = DEVICE_METRICS.filter(({ id }) => id.endsWith('utilization_ratio')).map(({ slot }) => slot);
const NOT_SUPPORTED = absenceCode('not-supported');
const MIG = absenceCode('mig');

/** Under MIG the driver reports no utilisation of the whole device; its word for that is `N/A`. */
export function markMig({ codes }: ReadingSet): void {
  for (const slot of UTILISATION_SLOTS) {
    if (codes[slot] === NOT_SUPPORTED) codes[slot] = MIG;
  }
}
