import type { Millis } from '../../model/reading.ts';
import { NOT_IN_TICK, UNSET_CODE } from './absence.ts';
import type { Layout, RowPart } from './row-log.ts';
import type { ColumnRows, RowTable } from './row-table.ts';
import { SUMMED, Sum, toMillionths } from './sum.ts';
import { PART, PARTS, partColumn, TICKS_COLUMN } from './tiers.ts';

/** Rows that fall into one bucket of the tier above. */
interface Stretch {
  readonly at: Millis;
  readonly from: number;
  readonly to: number;
}

/** Cuts the rows where the bucket changes; after a step of the clock the same bucket may come again. */
function stretchesOf({ at, rows }: RowTable, widthMs: number): readonly Stretch[] {
  const stretches: Stretch[] = [];
  for (let from = 0; from < rows; ) {
    const bucket = Math.floor(at[from]! / widthMs);
    let to = from + 1;
    while (to < rows && Math.floor(at[to]! / widthMs) === bucket) to++;
    stretches.push({ at: bucket * widthMs, from, to });
    from = to;
  }
  return stretches;
}

/** What becomes of each row of the tier above. `sequence` is that of its first tick. */
export type RowSink = (at: Millis, sequence: number, parts: readonly RowPart[]) => void;

/** Sums tables up to rows of the tier above; its buffers are used again and again. */
export class RollUp {
  readonly #summed: Uint8Array;
  readonly #layout: Layout;
  readonly #width: number;
  #values = new Float64Array();
  #codes = new Uint8Array();
  readonly #sum = new Sum();

  /** `summed` tells by column how it is summed up. */
  constructor(summed: Uint8Array) {
    this.#summed = summed;
    this.#width = PARTS * summed.length;
    const columns = Uint16Array.from({ length: this.#width }, (_, column) => column);
    this.#layout = { columns, places: columns };
  }

  /** Calls `row` for each row of the tier above; its parts are valid during the call only. `level` is that of `table`. */
  run(table: RowTable, level: number, widthMs: number, row: RowSink): void {
    const ids = table.deviceIds();
    const devices = ids.map((id) => this.#columnsOf(table, id, level));
    this.#makeRoom(ids.length);
    for (const { at, from, to } of stretchesOf(table, widthMs)) {
      this.#codes.fill(UNSET_CODE);
      const parts: RowPart[] = [];
      for (const [place, id] of ids.entries()) {
        const part = this.#part(table, id, devices[place]!, { from, to, offset: place * this.#width });
        if (part !== null) parts.push(part);
      }
      if (parts.length > 0) row(at, table.sequence[from]!, parts);
    }
  }

  #makeRoom(devices: number): void {
    const size = devices * this.#width;
    if (size <= this.#values.length) return;
    this.#values = new Float64Array(size);
    this.#codes = new Uint8Array(size);
  }

  #columnsOf(table: RowTable, id: number, level: number): readonly SummedColumn[] {
    const numbers = level === 0 ? table.columnsOf(id) : metricsIn(table.columnsOf(id));
    const ticks = level === 0 ? null : table.column(id, TICKS_COLUMN);
    return numbers
      .filter((column) => column < this.#summed.length)
      .map((column) => summedColumn(table, id, column, this.#summed[column]!, ticks));
  }

  #part(
    table: RowTable,
    id: number,
    columns: readonly SummedColumn[],
    { from, to, offset }: { from: number; to: number; offset: number },
  ): RowPart | null {
    const states = table.states(id)!;
    let state = NOT_IN_TICK;
    for (let row = to - 1; row >= from && state === NOT_IN_TICK; row--) state = states[row]!;
    if (state === NOT_IN_TICK) return null;
    let ticks = 0;
    for (const column of columns) {
      ticks = column.add(this.#sum, states, from, to);
      this.#put(column, offset, ticks);
    }
    if (columns.length === 0) for (let row = from; row < to; row++) if (states[row] !== NOT_IN_TICK) ticks++;
    this.#set(offset + TICKS_COLUMN, ticks);
    return { device: id, state, values: this.#values, codes: this.#codes, offset, layout: this.#layout };
  }

  #put({ column, summed, lastCode }: SummedColumn, offset: number, ticks: number): void {
    const at = offset + partColumn(column, 0);
    const { count, min, max, excess, first, last, growth } = this.#sum;
    if (count === 0) {
      this.#codes[at] = lastCode();
      return;
    }
    this.#set(at + PART.min, min);
    this.#set(at + PART.max, max);
    this.#set(at + PART.missing, ticks - count);
    if (summed === SUMMED.bits) return;
    this.#set(at + PART.excess, toMillionths(excess));
    if (summed !== SUMMED.counter) return;
    this.#set(at + PART.first, first);
    this.#set(at + PART.last, last);
    this.#set(at + PART.reset, toMillionths(growth - (last - first)));
  }

  #set(place: number, value: number): void {
    this.#values[place] = value;
    this.#codes[place] = 0;
  }
}

/** The metrics whose parts are among the columns of a tier. */
function metricsIn(columns: readonly number[]): readonly number[] {
  return [...new Set(columns.map((column) => Math.floor(column / PARTS)))].filter((column) => column > 0);
}

/** One column of one device, ready to be summed up over stretches of rows. */
interface SummedColumn {
  readonly column: number;
  readonly summed: number;
  /** Sums up the rows and returns the number of ticks in them. */
  add(sum: Sum, states: Uint8Array, from: number, to: number): number;
  /** Reason of the absence at the last row that was summed up. */
  lastCode(): number;
}

function summedColumn(
  table: RowTable,
  id: number,
  column: number,
  summed: number,
  ticks: ColumnRows | null,
): SummedColumn {
  if (ticks === null) return summedTicks(table.column(id, column), column, summed);
  return summedRows(table, id, column, summed, ticks);
}

function summedTicks({ values, constant, codes, code }: ColumnRows, column: number, summed: number): SummedColumn {
  let lastCode = UNSET_CODE;
  return {
    column,
    summed,
    lastCode: () => lastCode,
    add(sum, states, from, to) {
      let ticks = 0;
      sum.clear();
      for (let row = from; row < to; row++) {
        if (states[row] === NOT_IN_TICK) continue;
        ticks++;
        const value = values === null ? constant : values[row]!;
        if (Number.isNaN(value)) lastCode = codes === null ? code : codes[row]!;
        else if (summed === SUMMED.bits) sum.addBits(1, value, value);
        else sum.add(value);
      }
      return ticks;
    },
  };
}

function summedRows(table: RowTable, id: number, column: number, summed: number, ticks: ColumnRows): SummedColumn {
  const part = (number: number) => table.column(id, partColumn(column, number));
  const [min, max, excess, missing] = [part(PART.min), part(PART.max), part(PART.excess), part(PART.missing)];
  const [first, last, reset] = [part(PART.first), part(PART.last), part(PART.reset)];
  let lastCode = UNSET_CODE;
  return {
    column,
    summed,
    lastCode: () => lastCode,
    add(sum, states, from, to) {
      let all = 0;
      sum.clear();
      for (let row = from; row < to; row++) {
        if (states[row] === NOT_IN_TICK) continue;
        const rowTicks = valueAt(ticks, row, 1);
        all += rowTicks;
        const low = valueAt(min, row, Number.NaN);
        if (Number.isNaN(low)) {
          lastCode = min.codes === null ? min.code : min.codes[row]!;
          continue;
        }
        const count = rowTicks - valueAt(missing, row, 0);
        const high = valueAt(max, row, low);
        if (summed === SUMMED.bits) {
          sum.addBits(count, low, high);
          continue;
        }
        const [start, end] = [valueAt(first, row, low), valueAt(last, row, high)];
        sum.addSum(count, low, high, valueAt(excess, row, 0), start, end, end - start + valueAt(reset, row, 0));
      }
      return all;
    },
  };
}

/** The value of a column at a row, or what is usual where it is absent. */
export function valueAt({ values, constant }: ColumnRows, row: number, usual: number): number {
  const value = values === null ? constant : values[row]!;
  return Number.isNaN(value) ? usual : value;
}
