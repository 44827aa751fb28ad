import { slotOf } from '../../../model/catalogue.ts';
import type { ReadingSet } from '../../../model/reading-set.ts';
import type { RecordingReport } from '../report.ts';

const MS_PER_SECOND = 1000;

/** Where nothing tells how far samples are apart, they are taken to be a second apart. */
const ASSUMED_MS = 1000;

/** What lies between two samples further apart than so many times the usual distance was not measured. */
const LONGEST = 1.5;

/**
 * Columns that say for how much of the time since the sample before a limit held the clocks down: `pviol` in percent,
 * `tviol` as 0 or 1. `unit` is what stands for all of it.
 */
const COLUMNS = [
  { name: 'pviol', slot: slotOf('clock_event_power_cap_seconds_total'), unit: 100 },
  { name: 'tviol', slot: slotOf('clock_event_thermal_seconds_total'), unit: 1 },
] as const;

/** True for a column that {@link Violations} reads. */
export function isViolation(column: string): boolean {
  return COLUMNS.some(({ name }) => name === column);
}

/**
 * Adds up the violations of `nvidia-smi dmon -s v`, so that they are what the driver itself counts: seconds that only
 * grow, here from the start of the log. Of a sample in which heat held the clocks down for any part of the time all of
 * it is counted: `tviol` does not tell how long it was.
 */
export class Violations {
  readonly #report: RecordingReport;
  #columns: readonly ((typeof COLUMNS)[number] & { readonly position: number })[] = [];
  /** Seconds so far, by slot and index of the GPU. */
  readonly #sums = new Map<string, number>();
  #isFirst = true;
  #time = Number.NaN;
  #shortestMs = Number.POSITIVE_INFINITY;
  /** From the sample before to this one. */
  #seconds = 0;

  constructor(report: RecordingReport) {
    this.#report = report;
  }

  /** The columns of the rows that follow, in lower case. */
  use(names: readonly string[]): void {
    this.#columns = COLUMNS.map((column) => ({ ...column, position: names.indexOf(column.name) })).filter(
      ({ position }) => position !== -1,
    );
  }

  /** A sample begins. `time` is epoch milliseconds, NaN where none is known. */
  begin(time: number): void {
    const gap = time - this.#time;
    this.#time = time;
    if (gap > 0) this.#shortestMs = Math.min(this.#shortestMs, gap);
    const measured = Number.isNaN(gap) ? ASSUMED_MS : Math.max(0, Math.min(gap, LONGEST * this.#shortestMs));
    this.#seconds = this.#isFirst ? 0 : measured / MS_PER_SECOND;
    this.#isFirst = false;
  }

  /** Puts what the cells of GPU `index` say into its readings. `count` cells are whole. */
  put(readings: ReadingSet, cells: readonly string[], count: number, index: number, line: number): void {
    for (const { name, slot, unit, position } of this.#columns) {
      if (position >= count) continue;
      const cell = cells[position]!;
      const share = /^\d{1,3}$/.test(cell) ? Number(cell) / unit : Number.NaN;
      if (cell === '-') readings.setAbsent(slot, 'not-supported');
      else if (share <= 1) readings.setValue(slot, this.#add(`${slot} ${index}`, share * this.#seconds));
      else {
        readings.setAbsent(slot, 'error');
        this.#report.fault('unreadable-cells', line, { column: name, value: cell });
      }
    }
  }

  #add(key: string, seconds: number): number {
    const sum = (this.#sums.get(key) ?? 0) + seconds;
    this.#sums.set(key, sum);
    return sum;
  }
}
