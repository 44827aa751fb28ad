import { slotOf } from '../model/catalogue.ts';
import type { EventKind, GpuEvent, Severity } from '../model/event.ts';
import type { ReadingSet } from '../model/reading-set.ts';

/** Takes an event of the device that is being looked at. */
export type Emit = (kind: EventKind, severity: Severity, params?: GpuEvent['params']) => void;

/** Counters of which every increase is news. */
const COUNTERS = [
  { slot: slotOf('ecc_corrected_volatile_total'), kind: 'ecc-corrected', severity: 'info' },
  { slot: slotOf('ecc_uncorrected_volatile_total'), kind: 'ecc-uncorrected', severity: 'critical' },
  { slot: slotOf('remapped_rows_correctable_total'), kind: 'rows-remapped', severity: 'info' },
  { slot: slotOf('remapped_rows_uncorrectable_total'), kind: 'rows-remapped', severity: 'warning' },
  { slot: slotOf('retired_pages_corrected_total'), kind: 'pages-retired', severity: 'info' },
  { slot: slotOf('retired_pages_uncorrected_total'), kind: 'pages-retired', severity: 'warning' },
] as const satisfies readonly { slot: number; kind: EventKind; severity: Severity }[];

/** States that are news when they come; one that `lasts` also where it is found, since only a new card ends it. */
const FLAGS = [
  { slot: slotOf('remapped_rows_pending'), kind: 'remapping-pending', severity: 'warning', lasts: false },
  { slot: slotOf('remapped_rows_failure'), kind: 'remapping-failed', severity: 'critical', lasts: true },
  { slot: slotOf('retired_pages_pending'), kind: 'retirement-pending', severity: 'warning', lasts: false },
] as const satisfies readonly { slot: number; kind: EventKind; severity: Severity; lasts: boolean }[];

const HEALTH_SLOTS: ReadonlySet<number> = new Set([...COUNTERS, ...FLAGS].map(({ slot }) => slot));

/**
 * What happens to the memory of one device, found by comparing its readings with the last ones that were there: they are
 * read now and then only. The first value is the baseline.
 */
export class HealthEvents {
  readonly #counts = new Array<number | null>(COUNTERS.length).fill(null);
  readonly #flags = new Array<number | null>(FLAGS.length).fill(null);
  /** Slots of a source that tells none of these. */
  #other: readonly number[] | null = null;

  compare(readings: ReadingSet, emit: Emit): void {
    const { slots } = readings;
    if (slots !== null) {
      if (slots === this.#other) return;
      if (!slots.some((slot) => HEALTH_SLOTS.has(slot))) this.#other = slots;
    }
    for (let i = 0; i < COUNTERS.length; i++) {
      const { slot, kind, severity } = COUNTERS[i]!;
      const before = this.#counts[i]!;
      const now = readings.number(slot);
      if (now === null) continue;
      if (before !== null && now > before) emit(kind, severity, { count: now - before });
      this.#counts[i] = now;
    }
    for (let i = 0; i < FLAGS.length; i++) {
      const { slot, kind, severity, lasts } = FLAGS[i]!;
      const before = this.#flags[i]!;
      const now = readings.number(slot);
      if (now === null) continue;
      if (now === 1 && (before === 0 || (before === null && lasts))) emit(kind, severity);
      this.#flags[i] = now;
    }
  }
}
