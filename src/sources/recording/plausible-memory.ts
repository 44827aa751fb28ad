import { type MetricId, slotOf } from '../../model/catalogue.ts';
import type { ReadingSet } from '../../model/reading-set.ts';
import type { RecordingReport } from './report.ts';

const TOTAL = slotOf('memory_total_bytes');
const PARTS = [partOf('memory_used_bytes', 'memory.used'), partOf('memory_free_bytes', 'memory.free')] as const;

/** Tools round: a part may be a hair above the whole. */
const ROUNDING = 1.001;

const BYTES_PER_MIB = 2 ** 20;

function partOf(id: MetricId, column: string): { readonly slot: number; readonly column: string } {
  return { slot: slotOf(id), column };
}

/**
 * Takes away what memory cannot be: a part that is larger than the whole is a read error, and a whole of nothing, as tools
 * give it for boards that share the host's memory, is not supported. `line` is where it stands.
 */
export function checkMemory(readings: ReadingSet, line: number, report: RecordingReport): void {
  const total = readings.number(TOTAL);
  if (total === null) return;
  if (total === 0) readings.setAbsent(TOTAL, 'not-supported');
  for (const { slot, column } of PARTS) {
    const part = readings.number(slot);
    if (part === null) continue;
    if (part > total * ROUNDING) {
      readings.setAbsent(slot, 'error');
      const value = `${mebibytes(part)}, total ${mebibytes(total)}`;
      report.fault('impossible-values', line, { column, value });
    } else if (total === 0) {
      readings.setAbsent(slot, 'not-supported');
    }
  }
}

function mebibytes(bytes: number): string {
  return `${Number((bytes / BYTES_PER_MIB).toPrecision(6))} MiB`;
}
