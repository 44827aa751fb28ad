import type { Condition } from '../../../src/client/condition.ts';
import type { Fleet, FleetRow } from '../session/session.ts';

/** The rows to list, in their order, that are in the condition and match every word of the text. */
export function filterRows(fleet: Fleet, condition: Condition | null, text: string): readonly FleetRow[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const byUuid = new Map(fleet.rows.map((row) => [row.gpu.uuid, row]));
  return fleet.order.uuids.flatMap((uuid) => {
    const row = byUuid.get(uuid);
    if (row === undefined || (condition !== null && row.condition !== condition)) return [];
    return words.every((word) => haystack(row).includes(word)) ? [row] : [];
  });
}

/** What a person may search a GPU by. */
function haystack({ gpu, condition }: FleetRow): string {
  const processes = gpu.processes.flatMap(({ user, name, pid }) => [user, name, pid]);
  return [`gpu${gpu.index}`, gpu.name, gpu.uuid, gpu.pciBusId, condition, ...processes].join(' ').toLowerCase();
}
