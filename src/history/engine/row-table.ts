/** One column of one device over the rows of a table. */
export interface ColumnRows {
  /** NaN where absent; null where every row holds `constant`. May be longer than the table. */
  readonly values: Float64Array | null;
  /** NaN where the column is absent at every row. */
  readonly constant: number;
  /** Reasons of the absences, 0 where present; null where every row has `code`. */
  readonly codes: Uint8Array | null;
  readonly code: number;
}

/** Rows of a few devices: a segment in memory, or a block from the disk. Arrays may be longer than there are rows. */
export interface RowTable {
  readonly rows: number;
  readonly at: Float64Array;
  readonly sequence: Float64Array;
  deviceIds(): readonly number[];
  /** Columns that hold, or once held, anything of the device. */
  columnsOf(device: number): readonly number[];
  /** State of the device by row, NOT_IN_TICK where it has no row; null where it is not in the table. */
  states(device: number): Uint8Array | null;
  /** The first `rows` rows of a column, or all: what is behind them may hold anything. */
  column(device: number, column: number, rows?: number): ColumnRows;
  /** True where the column has a value at any row; known without decoding it. */
  holdsValues(device: number, column: number): boolean;
}

export function constantColumn(constant: number, code: number): ColumnRows {
  return { values: null, constant, codes: null, code };
}
