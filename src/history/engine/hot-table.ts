import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { LEVELS } from './tiers.ts';

/** Room for the rows of one level of one group: ten a second for 3400 years. */
const STRIDE = 2 ** 40;

export interface HotRow {
  readonly group: number;
  readonly level: number;
  /** Grows from row to row of a level of a group. */
  readonly key: number;
  readonly body: Uint8Array;
}

/** Rows of segments that are not sealed yet, so that a killed process loses none. */
export class HotTable {
  readonly #insert: StatementSync;
  readonly #remove: StatementSync;
  readonly #all: StatementSync;

  constructor(db: DatabaseSync) {
    this.#insert = db.prepare('INSERT INTO hot (id, body) VALUES (?, ?)');
    this.#remove = db.prepare('DELETE FROM hot WHERE id BETWEEN ? AND ?');
    this.#all = db.prepare('SELECT id, body FROM hot WHERE id > ? ORDER BY id');
  }

  insert(group: number, level: number, key: number, body: Uint8Array): void {
    this.#insert.run(BigInt(idOf(group, level, key)), body);
  }

  /** Removes the rows of a segment. */
  remove(group: number, level: number, first: number, last: number): void {
    this.#remove.run(BigInt(idOf(group, level, first)), BigInt(idOf(group, level, last)));
  }

  /** Group by group, level by level, in the order of their keys. */
  *rows(): Generator<HotRow> {
    for (const { id, body } of this.#all.iterate(-1)) {
      if (typeof id !== 'number' || !(body instanceof Uint8Array)) continue;
      yield { ...placeOf(id), body };
    }
  }
}

/** Where a row of this id belongs. */
export function placeOf(id: number): Omit<HotRow, 'body'> {
  const place = Math.floor(id / STRIDE);
  return { group: Math.floor(place / LEVELS), level: place % LEVELS, key: id % STRIDE };
}

function idOf(group: number, level: number, key: number): number {
  return (group * LEVELS + level) * STRIDE + key;
}
