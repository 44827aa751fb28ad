import type { DatabaseSync } from 'node:sqlite';
import type { Column } from './protocol.ts';

/** The number of every metric of a history, from 1. A metric keeps its number for ever, known to this gpulse or not. */
export class MetricTable {
  readonly #numbers: ReadonlyMap<string, number>;

  constructor(db: DatabaseSync) {
    const rows = db.prepare('SELECT id, name FROM metrics').all();
    this.#numbers = new Map(rows.map((row) => [String(row['name']), Number(row['id'])]));
  }

  /** Gives numbers to the columns that have none. */
  static complete(db: DatabaseSync, columns: readonly Column[]): MetricTable {
    const known = new MetricTable(db);
    const missing = columns.filter(({ id }) => known.numberOf(id) === null);
    if (missing.length === 0) return known;
    const insert = db.prepare('INSERT INTO metrics (name) VALUES (?)');
    db.exec('BEGIN IMMEDIATE');
    for (const { id } of missing) insert.run(id);
    db.exec('COMMIT');
    return new MetricTable(db);
  }

  numberOf(id: string): number | null {
    return this.#numbers.get(id) ?? null;
  }

  /** One more than the highest number. */
  get width(): number {
    return 1 + Math.max(0, ...this.#numbers.values());
  }
}
