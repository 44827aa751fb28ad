import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Millis } from '../../model/reading.ts';
import { isDamage } from '../store-error.ts';
import { Block, checkBlock } from './block.ts';

/** What is known of a block without reading it. */
export interface BlockInfo {
  readonly id: number;
  readonly level: number;
  readonly group: number;
  /** Times of its earliest and its latest row. */
  readonly from: Millis;
  readonly to: Millis;
  /** Numbers of the ticks at which its first and its last row begin. */
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly rows: number;
  /** Median distance of its ticks, or of those that it sums up; 0 where it has a single one. */
  readonly intervalMs: Millis;
  readonly bytes: number;
}

export type NewBlock = Omit<BlockInfo, 'id' | 'bytes'>;

const COLUMNS = 'level, grp, from_at, to_at, first_sequence, last_sequence, rows, interval_ms';

/** The blocks of a database, with what is known of them in memory. */
export class BlockTable {
  readonly #db: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #body: StatementSync;
  readonly #remove: StatementSync;
  readonly #lists = new Map<string, BlockInfo[]>();
  /** Blocks whose checksum was right when they were read. */
  readonly #sound = new Set<number>();
  readonly #damaged = new Set<number>();

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#insert = db.prepare(`INSERT INTO blocks (${COLUMNS}, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`);
    this.#body = db.prepare('SELECT body FROM blocks WHERE id = ?');
    this.#remove = db.prepare('DELETE FROM blocks WHERE id = ?');
    for (const info of this.newerThan(0)) this.register(info);
  }

  /** Number of blocks that could not be read and were left out. */
  get damaged(): number {
    return this.#damaged.size;
  }

  /** What is in the table behind a block, by id. */
  newerThan(id: number): readonly BlockInfo[] {
    const select = `SELECT id, ${COLUMNS}, length(body) AS bytes FROM blocks WHERE id > ? ORDER BY id`;
    return this.#db.prepare(select).all(id).map(toInfo);
  }

  /** Writes a block; it takes part in nothing before it is registered, once the transaction is over. */
  insert(block: NewBlock, body: Uint8Array): BlockInfo {
    const { level, group, from, to, firstSequence, lastSequence, rows, intervalMs } = block;
    const cells: SQLInputValue[] = [level, group, from, to, firstSequence, lastSequence, rows, intervalMs];
    const id = Number(this.#insert.get(...cells, body)?.['id']);
    return { ...block, id, bytes: body.length };
  }

  register(info: BlockInfo): void {
    const key = keyOf(info.level, info.group);
    const list = this.#lists.get(key);
    if (list === undefined) this.#lists.set(key, [info]);
    else list.push(info);
  }

  /** In the order in which they were sealed. */
  list(level: number, group: number): readonly BlockInfo[] {
    return this.#lists.get(keyOf(level, group)) ?? [];
  }

  /** All of a level. */
  *ofLevel(level: number): Generator<BlockInfo> {
    for (const list of this.#lists.values()) if (list[0]?.level === level) yield* list;
  }

  *all(): Generator<BlockInfo> {
    for (const list of this.#lists.values()) yield* list;
  }

  /** The block, or null where it is damaged. Throws for what is wrong with more than this block. */
  read({ id }: BlockInfo): Block | null {
    if (this.#damaged.has(id)) return null;
    try {
      const body = this.#body.get(id)?.['body'];
      // It was deleted meanwhile.
      if (!(body instanceof Uint8Array)) return null;
      if (!this.#sound.has(id)) checkBlock(body);
      this.#sound.add(id);
      return new Block(body);
    } catch (error) {
      if (!isDamagedBlock(error)) throw error;
      this.#damaged.add(id);
      return null;
    }
  }

  /** Deletes blocks in one transaction. */
  remove(infos: readonly BlockInfo[]): void {
    this.#db.exec('BEGIN');
    try {
      for (const { id } of infos) this.#remove.run(id);
      this.#db.exec('COMMIT');
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
    const gone = new Set(infos);
    for (const [key, list] of this.#lists) {
      if (list.some((info) => gone.has(info)))
        this.#lists.set(
          key,
          list.filter((info) => !gone.has(info)),
        );
    }
    for (const { id } of infos) this.#sound.delete(id);
  }
}

function keyOf(level: number, group: number): string {
  return `${level}/${group}`;
}

/** True for a fault of the bytes of one block: a RangeError of the codec, or a corrupt page below it. */
function isDamagedBlock(error: unknown): boolean {
  if (error instanceof RangeError) return true;
  const isOfZlib = error instanceof Error && 'code' in error && String(error.code).startsWith('ZSTD_');
  return isOfZlib || isDamage(error);
}

function toInfo(row: Readonly<Record<string, unknown>>): BlockInfo {
  const number = (name: string) => Number(row[name]);
  return {
    id: number('id'),
    level: number('level'),
    group: number('grp'),
    from: number('from_at'),
    to: number('to_at'),
    firstSequence: number('first_sequence'),
    lastSequence: number('last_sequence'),
    rows: number('rows'),
    intervalMs: number('interval_ms'),
    bytes: number('bytes'),
  };
}
