import type { Metric } from '../../../model/catalogue.ts';
import { ABSENCE_REASONS, type AbsenceReason, absent } from '../../../model/reading.ts';
import { absenceReason, ReadingSet } from '../../../model/reading-set.ts';
import type { WireAbsences, WireReadings } from './wire.ts';

/** Readings as a line has them. */
export interface ReadingPart {
  readonly readings: WireReadings;
  readonly absent?: WireAbsences;
}

/**
 * What of some readings a line has to say after the one before: every value that is read anew at each tick, and of the rest
 * what has changed. Without a line before it, all but what is not collected.
 */
export function readingPart(readings: ReadingSet, before: ReadingSet | null, metrics: readonly Metric[]): ReadingPart {
  const values: Record<string, number> = {};
  const reasons: Record<string, AbsenceReason> = {};
  let hasReasons = false;
  for (const { id, slot, cadence } of metrics) {
    const code = readings.codes[slot]!;
    const known = before ?? NOTHING;
    const isSame = code === known.codes[slot] && (code !== 0 || readings.values[slot] === known.values[slot]);
    if (code === 0) {
      if (!isSame || cadence === 'fast') values[id] = readings.values[slot]!;
    } else if (!isSame) {
      reasons[id] = absenceReason(code);
      hasReasons = true;
    }
  }
  return hasReasons ? { readings: values, absent: reasons } : { readings: values };
}

const NOTHING = new ReadingSet();

/** Reads readings by the ids of the catalogue, from lines that other programs may have changed. */
export class ReadingNames {
  readonly #slots: ReadonlyMap<string, number>;
  /** Metrics of another version of gpulse, which were left out. */
  readonly unknown = new Set<string>();

  constructor(metrics: readonly Metric[]) {
    this.#slots = new Map(metrics.map(({ id, slot }) => [id, slot]));
  }

  /** Takes over what a line says. What is neither a number nor a reason is a read error. */
  apply(readings: ReadingSet, values: Readonly<Record<string, unknown>>, reasons: Readonly<Record<string, unknown>>) {
    for (const [id, value] of Object.entries(values)) {
      const slot = this.#slot(id);
      if (slot !== undefined) readings.setValue(slot, typeof value === 'number' ? value : Number.NaN);
    }
    for (const [id, reason] of Object.entries(reasons)) {
      const slot = this.#slot(id);
      if (slot !== undefined) readings.set(slot, absent(isReason(reason) ? reason : 'error'));
    }
  }

  #slot(id: string): number | undefined {
    const slot = this.#slots.get(id);
    if (slot === undefined && this.unknown.size < MOST_UNKNOWN) this.unknown.add(id);
    return slot;
  }
}

/** A notice names no more. */
const MOST_UNKNOWN = 20;

export function isReason(word: unknown): word is AbsenceReason {
  return (ABSENCE_REASONS as readonly unknown[]).includes(word);
}
