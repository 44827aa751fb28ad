import type { ReadingSet } from '../../model/reading-set.ts';
import type { RecordingReport } from './report.ts';
import type { LogRow, RowPlaces } from './rows.ts';

/** A row that names no device, kept until all rows of its instant are there. */
export interface PlacedRow {
  readonly time: number;
  readonly name: string | null;
  readonly lost: boolean;
  readonly readings: ReadingSet;
  readonly line: number;
}

/** Instants that may have the same time: a clock that stands still does not make memory grow. */
const MOST_INSTANTS = 64;

/**
 * Puts rows that name no device into the order of their instant. An instant with other than the usual number of rows
 * cannot be told apart: which device is missing is not known, so that all its rows are skipped and counted.
 */
export class PlacedRows {
  readonly #places: RowPlaces;
  readonly #report: RecordingReport;
  readonly #take: (instant: readonly PlacedRow[]) => void;
  #rows: PlacedRow[] = [];
  /** As the log gives it. */
  #lastTime = Number.NaN;
  /** Without times: the place in the round of names of the next row, and whether one before it is missing. */
  #place = 0;
  #isTorn = false;

  /** `take` gets the rows of one instant, one for each place. */
  constructor(places: RowPlaces, report: RecordingReport, take: (instant: readonly PlacedRow[]) => void) {
    this.#places = places;
    this.#report = report;
    this.#take = take;
  }

  /** Ends the instant before if `row` is not part of it: to be called before its time is turned into that of a tick. */
  prepare({ time, name }: LogRow): void {
    const isApart = Number.isNaN(time)
      ? !this.#continuesRound(name)
      : Math.abs(time - this.#lastTime) > this.#places.gapMs;
    if (isApart || this.#rows.length >= MOST_INSTANTS * this.#places.count) this.finish();
    this.#lastTime = time;
  }

  /** `time` is that of the tick. */
  add({ name, lost, readings, line }: LogRow, time: number): void {
    this.#rows.push({ time, name, lost, readings, line });
    if (!Number.isNaN(time)) return;
    const found = this.#placeOf(name);
    if (found !== this.#place) this.#isTorn = true;
    this.#place = found + 1;
  }

  /** No row of the open instant follows. */
  finish(): void {
    const rows = this.#rows;
    const { count } = this.#places;
    const isWhole = !this.#isTorn && rows.length % count === 0;
    this.#rows = [];
    this.#place = 0;
    this.#isTorn = false;
    if (!isWhole) {
      for (const { line } of rows) this.#report.skip('unplaced', line);
      return;
    }
    for (let first = 0; first < rows.length; first += count) this.#take(rows.slice(first, first + count));
  }

  #continuesRound(name: string | null): boolean {
    return this.#placeOf(name) !== -1;
  }

  /** The next place of a device of this name, or -1. A row without a name may be in any place. */
  #placeOf(name: string | null): number {
    const { names, count } = this.#places;
    if (name === null) return this.#place < count ? this.#place : -1;
    return names.indexOf(name, this.#place);
  }
}
