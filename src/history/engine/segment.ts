import type { Millis } from '../../model/reading.ts';
import { NOT_IN_TICK, UNSET_CODE } from './absence.ts';
import { type ColumnRows, constantColumn, type RowTable } from './row-table.ts';

const FIRST_CAPACITY = 64;

/** A column of one device that has held more than one value; absent ones are NaN with the reason in `codes`. */
export interface Varying {
  readonly column: number;
  values: Float64Array;
  /** Null while every row is present. */
  codes: Uint8Array | null;
}

/** What one device held at each row of a segment. A column that never changed is only its last value. */
export class DeviceRows {
  device = 0;
  firstRow = 0;
  states: Uint8Array;
  readonly last: Float64Array;
  readonly lastCodes: Uint8Array;
  readonly varying: Varying[] = [];
  readonly #byColumn = new Map<number, Varying>();
  /** Arrays of columns that changed in a segment before this one. */
  readonly #spare: Float64Array[] = [];

  constructor(width: number, capacity: number) {
    this.states = new Uint8Array(capacity);
    this.last = new Float64Array(width);
    this.lastCodes = new Uint8Array(width);
  }

  /** Makes it the rows of a device that is new to the segment. */
  start(device: number, firstRow: number): void {
    this.device = device;
    this.firstRow = firstRow;
    this.states.fill(NOT_IN_TICK);
    this.last.fill(Number.NaN);
    this.lastCodes.fill(UNSET_CODE);
    for (const { values } of this.varying) this.#spare.push(values);
    this.varying.length = 0;
    this.#byColumn.clear();
  }

  #room(): Float64Array {
    const spare = this.#spare.pop();
    return spare !== undefined && spare.length === this.states.length ? spare : new Float64Array(this.states.length);
  }

  /** The rows of a column that changed, else undefined: then its last value holds for all. */
  changed(column: number): Varying | undefined {
    return this.#byColumn.get(column);
  }

  /** Sets what a column holds from `row` on; NaN with a code where it is absent. */
  put(row: number, column: number, value: number, code: number): void {
    if (row > this.firstRow) this.#makeVarying(row, column, code);
    this.last[column] = value;
    this.lastCodes[column] = code;
  }

  #makeVarying(row: number, column: number, code: number): void {
    const found = this.#byColumn.get(column);
    const old = this.lastCodes[column]!;
    if (found === undefined) {
      const values = this.#room().fill(this.last[column]!, 0, row);
      const codes = old === 0 && code === 0 ? null : new Uint8Array(this.states.length).fill(old, 0, row);
      const made = { column, values, codes };
      this.#byColumn.set(column, made);
      this.varying.push(made);
    } else if (found.codes === null && code !== 0) {
      found.codes = new Uint8Array(this.states.length);
    }
  }

  /** Completes a row. A device that is not in the tick keeps what it held. */
  end(row: number, state: number): void {
    this.states[row] = state;
    for (const each of this.varying) {
      each.values[row] = this.last[each.column]!;
      if (each.codes !== null) each.codes[row] = this.lastCodes[each.column]!;
    }
  }

  grow(capacity: number): void {
    const states = new Uint8Array(capacity).fill(NOT_IN_TICK);
    states.set(this.states);
    this.states = states;
    for (const each of this.varying) {
      const values = new Float64Array(capacity);
      values.set(each.values);
      each.values = values;
      if (each.codes === null) continue;
      const codes = new Uint8Array(capacity);
      codes.set(each.codes);
      each.codes = codes;
    }
  }

  /** Forgets everything from `rows` on. */
  cut(rows: number): void {
    for (const { column, values, codes } of this.varying) {
      this.last[column] = values[rows - 1]!;
      this.lastCodes[column] = codes === null ? 0 : codes[rows - 1]!;
    }
    this.states.fill(NOT_IN_TICK, rows);
  }
}

/**
 * Rows of a few devices in memory, on their way into a block: ticks, or sums of ticks. Columns lie apart, and one costs
 * memory only once it changes.
 */
export class Segment implements RowTable {
  readonly width: number;
  at: Float64Array;
  /** Grows from row to row. */
  sequence: Float64Array;
  rows = 0;
  /** Times of its earliest and its latest row; the first is after the last while it is empty. */
  from = Number.POSITIVE_INFINITY;
  to = Number.NEGATIVE_INFINITY;
  readonly devices = new Map<number, DeviceRows>();
  /** Rows of devices that were in it before it was emptied. */
  readonly #spare: DeviceRows[] = [];

  /** `expected` rows fit without moving anything. */
  constructor(width: number, expected = 0) {
    const capacity = Math.max(FIRST_CAPACITY, expected);
    this.width = width;
    this.at = new Float64Array(capacity);
    this.sequence = new Float64Array(capacity);
  }

  /** Starts a row; everything of it follows before the next one, then {@link end}. */
  begin(at: Millis, sequence: number): void {
    if (this.rows === this.at.length) this.#grow(2 * this.rows);
    this.at[this.rows] = at;
    this.sequence[this.rows] = sequence;
  }

  /** The device, which is new to the segment where this is its first row. */
  rowsOf(device: number): DeviceRows {
    const known = this.devices.get(device);
    if (known !== undefined) return known;
    const made = this.#spare.pop() ?? new DeviceRows(this.width, this.at.length);
    made.start(device, this.rows);
    this.devices.set(device, made);
    return made;
  }

  /** Completes the row. Devices whose `end` was not called were not in the tick. */
  end(): void {
    const row = this.rows;
    for (const device of this.devices.values()) if (device.states[row] === NOT_IN_TICK) device.end(row, NOT_IN_TICK);
    this.from = Math.min(this.from, this.at[row]!);
    this.to = Math.max(this.to, this.at[row]!);
    this.rows++;
  }

  #grow(capacity: number): void {
    const [at, sequence] = [new Float64Array(capacity), new Float64Array(capacity)];
    at.set(this.at);
    sequence.set(this.sequence);
    this.at = at;
    this.sequence = sequence;
    for (const device of this.devices.values()) device.grow(capacity);
    this.#spare.length = 0;
  }

  /** Forgets everything and keeps the room, for whom nobody else may hold the segment any more. */
  empty(): void {
    this.#spare.push(...this.devices.values());
    this.devices.clear();
    this.cut(0);
  }

  /** Forgets rows that could not be stored, also one that was begun and not ended. */
  cut(rows: number): void {
    for (const [id, device] of this.devices) {
      if (device.firstRow >= rows) this.devices.delete(id);
      else device.cut(rows);
    }
    this.rows = rows;
    this.from = Number.POSITIVE_INFINITY;
    this.to = Number.NEGATIVE_INFINITY;
    for (let row = 0; row < rows; row++) {
      this.from = Math.min(this.from, this.at[row]!);
      this.to = Math.max(this.to, this.at[row]!);
    }
  }

  deviceIds(): readonly number[] {
    return [...this.devices.keys()];
  }

  columnsOf(device: number): readonly number[] {
    const rows = this.devices.get(device);
    if (rows === undefined) return [];
    const all = Array.from({ length: this.width }, (_, column) => column);
    return all.filter((column) => rows.changed(column) !== undefined || rows.lastCodes[column] !== UNSET_CODE);
  }

  states(device: number): Uint8Array | null {
    return this.devices.get(device)?.states ?? null;
  }

  holdsValues(device: number, column: number): boolean {
    const { values, code } = this.column(device, column);
    if (values === null) return code === 0;
    return values.subarray(0, this.rows).some((value) => !Number.isNaN(value));
  }

  column(device: number, column: number): ColumnRows {
    const rows = this.devices.get(device);
    if (rows === undefined || column >= this.width) return constantColumn(Number.NaN, UNSET_CODE);
    const varying = rows.changed(column);
    if (varying === undefined) return constantColumn(rows.last[column]!, rows.lastCodes[column]!);
    return { values: varying.values, constant: Number.NaN, codes: varying.codes, code: 0 };
  }
}
