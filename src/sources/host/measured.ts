import type { AbsenceReason } from '../../model/reading.ts';
import type { ReadingSet } from '../../model/reading-set.ts';

/** Sets what was counted. Nothing here can be negative: such a value, or none, is absent for `reason`. */
export function setMeasured(out: ReadingSet, slot: number, value: number, reason: AbsenceReason = 'error'): void {
  if (value >= 0) out.setValue(slot, value);
  else out.setAbsent(slot, reason);
}
