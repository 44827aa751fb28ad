import { CONDITIONS, type Condition, isTrouble } from './condition.ts';

/** The order rows are shown in, and what was already moved up. */
export interface RowOrder {
  readonly uuids: readonly string[];
  /** Rank of the worst trouble for which a GPU was moved to the top; smaller is worse. */
  readonly raised: ReadonlyMap<string, number>;
}

export interface RowState {
  readonly uuid: string;
  readonly condition: Condition;
}

export const NO_ROWS: RowOrder = { uuids: [], raised: new Map() };

/**
 * Keeps rows where they are, so that nothing jumps while someone reads: only a GPU in a trouble worse than any it was
 * raised for before moves to the top, once. When it recovers it stays; a GPU that flaps does not move again. New GPUs
 * go to the end, vanished ones are dropped. `rows` come in index order. Returns the same object where nothing changed.
 */
export function reorder(before: RowOrder, rows: readonly RowState[]): RowOrder {
  const rank = new Map(rows.map((row) => [row.uuid, CONDITIONS.indexOf(row.condition)]));
  const raised = new Map([...before.raised].filter(([uuid]) => rank.has(uuid)));
  const rising: string[] = [];
  for (const { uuid, condition } of rows) {
    const worse = CONDITIONS.indexOf(condition) < (raised.get(uuid) ?? Number.POSITIVE_INFINITY);
    if (!isTrouble(condition) || !worse) continue;
    raised.set(uuid, CONDITIONS.indexOf(condition));
    rising.push(uuid);
  }
  const up = new Set(rising);
  const kept = before.uuids.filter((uuid) => rank.has(uuid) && !up.has(uuid));
  const known = new Set([...kept, ...up]);
  const added = rows.map((row) => row.uuid).filter((uuid) => !known.has(uuid));
  const uuids = [...rising.sort((a, b) => rank.get(a)! - rank.get(b)!), ...kept, ...added];
  const same = rising.length === 0 && added.length === 0 && kept.length === before.uuids.length;
  return same ? before : { uuids, raised };
}
