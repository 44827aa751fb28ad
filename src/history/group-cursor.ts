import { CATALOGUE } from '../model/catalogue.ts';
import type { DeviceState } from '../model/device.ts';
import type { Millis } from '../model/reading.ts';
import { ReadingSet } from '../model/reading-set.ts';
import { DEVICE_STATES } from './device-states.ts';
import { NOT_IN_TICK } from './engine/absence.ts';
import type { ColumnRows, RowTable } from './engine/row-table.ts';

/** One device at one tick, as it was stored. */
export interface StoredRow {
  readonly device: number;
  readonly state: DeviceState;
  readonly readings: ReadingSet;
}

/** A device of the table at the cursor: what holds for every row, and the columns that change. */
interface DeviceTableView {
  readonly device: number;
  readonly states: Uint8Array;
  readonly fixed: ReadingSet;
  readonly varying: readonly { readonly slot: number; readonly column: ColumnRows }[];
}

/** Goes through the ticks of one group of devices between two times; one table is in memory at a time. */
export class GroupCursor {
  /** Number of the tick at the cursor; null at the end. */
  sequence: number | null = null;
  at: Millis = 0;
  readonly #tables: Iterator<RowTable>;
  /** Column by slot of the catalogue, null where the history never saw the metric. */
  readonly #columns: readonly (number | null)[];
  readonly #from: Millis;
  readonly #to: Millis;
  #table: RowTable | null = null;
  #devices: readonly DeviceTableView[] = [];
  #row = 0;

  constructor(tables: Iterator<RowTable>, columns: readonly (number | null)[], from: Millis, to: Millis) {
    this.#tables = tables;
    this.#columns = columns;
    this.#from = from;
    this.#to = to;
    this.#settle();
  }

  /** The rows of the tick at the cursor, which then moves on. */
  take(): readonly StoredRow[] {
    const row = this.#row++;
    const rows = this.#devices.filter(({ states }) => states[row] !== NOT_IN_TICK).map((view) => rowOf(view, row));
    this.#settle();
    return rows;
  }

  /** Moves to the next row within the times, this one included. */
  #settle(): void {
    for (;;) {
      while (this.#table !== null && this.#row < this.#table.rows) {
        const at = this.#table.at[this.#row]!;
        if (at >= this.#from && at < this.#to) {
          this.at = at;
          this.sequence = this.#table.sequence[this.#row]!;
          return;
        }
        this.#row++;
      }
      const next = this.#tables.next();
      if (next.done) {
        this.sequence = null;
        this.#table = null;
        this.#devices = [];
        return;
      }
      this.#open(next.value);
    }
  }

  #open(table: RowTable): void {
    this.#table = table;
    this.#row = 0;
    this.#devices = table.deviceIds().map((device) => this.#view(table, device));
  }

  #view(table: RowTable, device: number): DeviceTableView {
    const fixed = new ReadingSet();
    const varying: { slot: number; column: ColumnRows }[] = [];
    for (let slot = 0; slot < CATALOGUE.length; slot++) {
      const number = this.#columns[slot];
      if (number == null) continue;
      const column = table.column(device, number);
      if (column.values !== null) varying.push({ slot, column });
      else put(fixed, slot, column.constant, column.code);
    }
    return { device, states: table.states(device)!, fixed, varying };
  }
}

function rowOf({ device, states, fixed, varying }: DeviceTableView, row: number): StoredRow {
  const readings = fixed.clone();
  for (const { slot, column } of varying) {
    put(readings, slot, column.values![row]!, column.codes === null ? 0 : column.codes[row]!);
  }
  return { device, state: DEVICE_STATES[states[row]!] ?? 'ok', readings };
}

function put({ values, codes }: ReadingSet, slot: number, value: number, code: number): void {
  values[slot] = code === 0 ? value : 0;
  codes[slot] = code;
}
