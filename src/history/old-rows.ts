import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { UNSET_CODE } from './engine/absence.ts';
import { appendRow, type Layout, layoutOf, type RowPart } from './engine/row-log.ts';
import { groupOf, type SampleLog } from './engine/sample-log.ts';
import type { Segment } from './engine/segment.ts';
import type { MetricTable } from './metric-table.ts';
import { hasOldRows } from './schema.ts';

/** Ticks that become one block. */
const TICKS = 600;
const MINUTE_MS = 60_000;
/** Columns before those of the metrics: device, at, sequence. */
const LEADING = 3;

/**
 * Turns the samples of format 1, one row per device and tick, into blocks, oldest first; null where there are none. What
 * has become a block is deleted in the same transaction, so that it may be interrupted at any time and goes on later.
 */
export function convertOldRows(db: DatabaseSync, log: SampleLog, metrics: MetricTable): Generator<void, null> | null {
  return hasOldRows(db) ? new OldRows(db, log, metrics).convert() : null;
}

type Cells = readonly (number | null)[];

class OldRows {
  readonly #db: DatabaseSync;
  readonly #log: SampleLog;
  readonly #layout: Layout;
  readonly #first: StatementSync;
  readonly #end: StatementSync;
  readonly #rows: StatementSync;
  readonly #remove: StatementSync;

  constructor(db: DatabaseSync, log: SampleLog, metrics: MetricTable) {
    this.#db = db;
    this.#log = log;
    const names = db.prepare("SELECT name FROM pragma_table_info('old_samples')").all().slice(LEADING);
    this.#layout = layoutOf(names.map((row) => metrics.numberOf(String(row['name']))!));
    const of = 'FROM old_samples WHERE device = ?';
    this.#first = db.prepare(`SELECT min(at) AS at ${of}`);
    this.#end = db.prepare(`SELECT at ${of} AND at >= ? ORDER BY at LIMIT 1 OFFSET ${TICKS}`);
    this.#rows = db.prepare(`SELECT * ${of} AND at >= ? AND at < ?`);
    this.#rows.setReturnArrays(true);
    this.#remove = db.prepare(`DELETE ${of} AND at >= ? AND at < ?`);
  }

  *convert(): Generator<void, null> {
    // What an attempt before this one had prepared holds rows that are still in the table.
    yield* this.#sealAll();
    const ids = this.#db.prepare('SELECT DISTINCT id FROM devices ORDER BY id').all();
    for (const [group, devices] of Map.groupBy(
      ids.map((row) => Number(row['id'])),
      groupOf,
    )) {
      while (this.#adoptNext(group, devices)) yield* this.#sealAll();
    }
    this.#db.exec('DROP TABLE old_samples');
    return null;
  }

  *#sealAll(): Generator<void, void> {
    while (this.#log.sealStep()) yield;
  }

  /** Makes a segment of the oldest ticks of the devices; false where there are none left. */
  #adoptNext(group: number, devices: readonly number[]): boolean {
    const starts = devices.flatMap((device) => {
      const at = this.#first.get(device)?.['at'];
      return typeof at === 'number' ? [{ device, at }] : [];
    });
    if (starts.length === 0) return false;
    const { device, at: from } = starts.reduce((a, b) => (b.at < a.at ? b : a));
    const to = this.#endOf(device, from);
    const rows = devices.flatMap((id) => this.#rows.all(id, from, to) as unknown as Cells[]);
    this.#log.adopt(group, 0, this.#segmentOf(rows), () => {
      for (const id of devices) this.#remove.run(id, from, to);
    });
    return true;
  }

  /** Where a block that begins at `from` ends: at a full minute, if it is long enough. */
  #endOf(device: number, from: number): number {
    const end = this.#end.get(device, from)?.['at'];
    if (typeof end !== 'number') return Number.MAX_SAFE_INTEGER;
    const minute = Math.floor(end / MINUTE_MS) * MINUTE_MS;
    return minute > from ? minute : end;
  }

  #segmentOf(rows: readonly Cells[]): Segment {
    const segment = this.#log.newSegment(0);
    const ticks = Map.groupBy(rows, ([, , sequence]) => sequence ?? 0);
    const sequences = [...ticks.keys()].sort((a, b) => a - b);
    for (const sequence of sequences) {
      const parts = ticks.get(sequence)!;
      appendRow(
        segment,
        parts[0]![1]!,
        sequence,
        parts.map((cells) => this.#partOf(cells)),
      );
    }
    return segment;
  }

  #partOf(cells: Cells): RowPart {
    const values = Float64Array.from(cells, (cell) => cell ?? Number.NaN);
    // Why a value is missing was not kept, and neither was the state of the device.
    const codes = Uint8Array.from(cells, (cell) => (cell === null ? UNSET_CODE : 0));
    return { device: cells[0]!, state: 0, values, codes, offset: LEADING, layout: this.#layout };
  }
}
