import type { Millis } from '../../model/reading.ts';
import type { GridBuilder } from '../grid-builder.ts';
import type { Column } from '../protocol.ts';
import { NOT_IN_TICK } from './absence.ts';
import { valueAt } from './roll-up.ts';
import type { RowTable } from './row-table.ts';
import { SUMMED } from './sum.ts';
import { PART, partColumn, TICKS_COLUMN } from './tiers.ts';

/** A column asked for, and its number in the tables; null for a metric that this history never saw. */
export interface WantedColumn extends Column {
  readonly number: number | null;
}

/** What a range asks of one group of devices. */
export interface Wanted {
  /** Id of each device, with its place in the query. */
  readonly devices: readonly { readonly id: number; readonly place: number }[];
  readonly columns: readonly WantedColumn[];
}

/** Which rows of a table of which level are to be added: of the first `rows` those whose time is in [from, to). */
export interface Part {
  readonly level: number;
  readonly rows: number;
  readonly from: Millis;
  readonly to: Millis;
}

/** Adds rows of a table to a grid, with a yield behind every series. */
export function* fillGrid(
  grid: GridBuilder,
  table: RowTable,
  part: Part,
  { devices, columns }: Wanted,
): Generator<void, void> {
  const { buckets, end } = bucketsOf(grid, table, part);
  for (const { id, place } of devices) {
    const states = table.states(id);
    if (states === null) continue;
    for (const [at, column] of columns.entries()) {
      if (column.number === null) continue;
      const target = { grid, series: grid.seriesOf(place, at), buckets, states, end };
      if (part.level === 0) addTicks(target, table, id, column.number);
      else addSums(target, table, id, { ...column, number: column.number });
      yield;
    }
  }
}

/** The bucket of each row, -1 outside of the range; and the first row behind those in the range. */
function bucketsOf(
  grid: GridBuilder,
  { at }: RowTable,
  { rows, from, to }: Part,
): { readonly buckets: Int32Array; readonly end: number } {
  let end = 0;
  const buckets = new Int32Array(rows);
  for (let row = 0; row < rows; row++) {
    const time = at[row]!;
    const isInside = time >= from && time < to;
    buckets[row] = isInside ? grid.bucketOf(time) : -1;
    if (isInside) end = row + 1;
  }
  return { buckets, end };
}

interface Target {
  readonly grid: GridBuilder;
  readonly series: number;
  readonly buckets: Int32Array;
  readonly states: Uint8Array;
  readonly end: number;
}

function addTicks({ grid, series, buckets, states, end }: Target, table: RowTable, id: number, column: number): void {
  const { values, constant } = table.column(id, column, end);
  const { sequence } = table;
  for (let row = 0; row < end; row++) {
    const bucket = buckets[row]!;
    if (bucket < 0 || states[row] === NOT_IN_TICK) continue;
    const value = values === null ? constant : values[row]!;
    if (!Number.isNaN(value)) grid.add(series, bucket, value, sequence[row]!);
  }
}

function addSums(
  { grid, series, buckets, states, end }: Target,
  table: RowTable,
  id: number,
  { number, summed }: WantedColumn & { readonly number: number },
): void {
  const column = (part: number) => table.column(id, partColumn(number, part), end);
  const min = column(PART.min);
  if (min.values === null && Number.isNaN(min.constant)) return;
  const ticks = table.column(id, TICKS_COLUMN, end);
  const [max, excess, missing] = [column(PART.max), column(PART.excess), column(PART.missing)];
  const isCounter = summed === SUMMED.counter;
  const [first, last, reset] = isCounter
    ? [column(PART.first), column(PART.last), column(PART.reset)]
    : [min, max, min];
  for (let row = 0; row < end; row++) {
    const bucket = buckets[row]!;
    const low = valueAt(min, row, Number.NaN);
    if (bucket < 0 || states[row] === NOT_IN_TICK || Number.isNaN(low)) continue;
    const high = valueAt(max, row, low);
    const count = valueAt(ticks, row, 1) - valueAt(missing, row, 0);
    if (summed === SUMMED.bits) {
      grid.addBitSum(series, bucket, count, low, high);
      continue;
    }
    grid.addSum(series, bucket, count, low, high, count * low + valueAt(excess, row, 0));
    if (!isCounter) continue;
    const [start, stop] = [valueAt(first, row, low), valueAt(last, row, high)];
    grid.addGrowth(series, bucket, table.sequence[row]!, start, stop, stop - start + valueAt(reset, row, 0));
  }
}
