import { type MetricId, slotOf } from '../../model/catalogue.ts';
import type { ReadingSet } from '../../model/reading-set.ts';
import type { RecordingReport } from './report.ts';

const TOTAL = slotOf('memory_total_bytes');
const RESERVED = slotOf('memory_reserved_bytes');
const PARTS = [partOf('memory_used_bytes', 'memory.used'), partOf('memory_free_bytes', 'memory.free')] as const;

/** Tools round: a part may be a hair above the whole. */
const ROUNDING = 1.001;

const BYTES_PER_MIB = 2 ** 20;

function partOf(id: MetricId, column: string): { readonly slot: number; readonly column: string } {
  return { slot: slotOf(id), column };
}

/** Looks at the memory of every device of a log. */
export class MemoryCheck {
  readonly #report: RecordingReport;
  /** Some row told what the driver keeps for itself: one that does not, as in a scrape that was cut off, has no sum. */
  #hasReserved = false;

  constructor(report: RecordingReport) {
    this.#report = report;
  }

  /**
   * Takes away what memory cannot be: a part that is larger than the whole is a read error, and a whole of nothing, as
   * tools give it for boards that share the host's memory, is not supported. A whole that is not told is the sum of its
   * parts, where the used and the free one are. `line` is where it stands.
   */
  check(readings: ReadingSet, line: number): void {
    const total = readings.number(TOTAL);
    if (total === null) {
      this.#addUp(readings);
      return;
    }
    if (total === 0) readings.setAbsent(TOTAL, 'not-supported');
    for (const { slot, column } of PARTS) {
      const part = readings.number(slot);
      if (part === null) continue;
      if (part > total * ROUNDING) {
        readings.setAbsent(slot, 'error');
        const value = `${mebibytes(part)}, total ${mebibytes(total)}`;
        this.#report.fault('impossible-values', line, { column, value });
      } else if (total === 0) {
        readings.setAbsent(slot, 'not-supported');
      }
    }
  }

  /** What the driver keeps for itself is neither used nor free; in a log that never tells it the sum is without it. */
  #addUp(readings: ReadingSet): void {
    const used = readings.number(PARTS[0].slot);
    const free = readings.number(PARTS[1].slot);
    const reserved = readings.number(RESERVED);
    this.#hasReserved ||= reserved !== null;
    if (used === null || free === null || used + free === 0 || (reserved === null && this.#hasReserved)) return;
    readings.setValue(TOTAL, used + free + (reserved ?? 0));
  }
}

function mebibytes(bytes: number): string {
  return `${Number((bytes / BYTES_PER_MIB).toPrecision(6))} MiB`;
}
