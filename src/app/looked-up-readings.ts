import type { ApiGpu } from '../model/api.ts';
import { DEVICE_METRICS } from '../model/catalogue.ts';
import { absenceReason, type ReadingSet } from '../model/reading-set.ts';

/** Something with the id of every metric of a device, whose values are looked up in a set when they are asked for. */
function lookupClass<Value>(look: (set: ReadingSet, slot: number) => Value) {
  class Lookup {
    readonly set: ReadingSet;

    constructor(set: ReadingSet) {
      this.set = set;
    }
  }
  for (const { id, slot } of DEVICE_METRICS) {
    Object.defineProperty(Lookup.prototype, id, {
      get(this: Lookup) {
        return look(this.set, slot);
      },
    });
  }
  return Lookup;
}

const Readings = lookupClass((set, slot) => set.number(slot));
const Absences = lookupClass((set, slot) => {
  const code = set.codes[slot] ?? 0;
  return code === 0 ? undefined : absenceReason(code);
});

/**
 * The readings of a device as the API has them, for whoever asks for a few by name: two hundred are not put into objects
 * of which a screen shows a few dozen. They can be neither listed nor written as JSON.
 */
export function lookedUpReadings(set: ReadingSet): Pick<ApiGpu, 'readings' | 'absent'> {
  return {
    readings: new Readings(set) as unknown as ApiGpu['readings'],
    absent: new Absences(set) as unknown as ApiGpu['absent'],
  };
}
