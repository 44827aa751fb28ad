import { cardCondition, conditionOf, type Judged } from '../../client/condition.ts';
import { cardsOf } from '../../client/mig.ts';
import { NO_ROWS, type RowOrder, reorder } from '../../client/row-order.ts';
import type { ApiEvent, ApiGpu, ApiGpus } from '../../model/api.ts';
import type { Millis } from '../../model/reading.ts';
import { criticalEvents, EVENTS_MS } from './events.ts';
import type { TopHistory } from './history.ts';

/** A card, or a MIG instance on it, with what it comes down to. */
export interface FleetRow extends Judged {
  readonly instances: readonly FleetRow[];
  /** The newest critical event of the last hour. */
  readonly error: ApiEvent | null;
}

/** Every card by index, and the order in which they are listed. */
export interface Fleet {
  readonly state: ApiGpus;
  readonly rows: readonly FleetRow[];
  readonly order: RowOrder;
}

/** Judges every GPU. Rows keep the places they had in `before`, but for new trouble, which comes to the top once. */
export function judgeFleet(
  state: ApiGpus,
  history: TopHistory,
  events: readonly ApiEvent[],
  now: Millis,
  before: Fleet | null,
): Fleet {
  const errors = criticalEvents(events, now - EVENTS_MS);
  const judge = (gpu: ApiGpu, parts: readonly ApiGpu[]): FleetRow => {
    const instances = parts.map((part) => judge(part, []));
    const own = conditionOf(gpu, {
      recent: history.recent(gpu.uuid, now),
      lastMinute: history.lastMinute(gpu.uuid, now),
      hasErrors: errors.has(gpu.uuid),
    });
    const conditions = instances.map((instance) => instance.condition);
    return { gpu, condition: cardCondition(own, conditions), instances, error: errors.get(gpu.uuid) ?? null };
  };
  const rows = cardsOf(state.gpus).map(({ gpu, instances }) => judge(gpu, instances));
  const states = rows.map(({ gpu, condition }) => ({ uuid: gpu.uuid, condition }));
  return { state, rows, order: reorder(before?.order ?? NO_ROWS, states) };
}

/** The rows to list: cards in their order without those that are hidden, each with its MIG instances below it. */
export function listedRows({ rows, order }: Fleet, isHidden: (uuid: string) => boolean): readonly FleetRow[] {
  const byUuid = new Map(rows.map((row) => [row.gpu.uuid, row]));
  return order.uuids.flatMap((uuid) => {
    const row = byUuid.get(uuid);
    return row === undefined || isHidden(uuid) ? [] : [row, ...row.instances];
  });
}
