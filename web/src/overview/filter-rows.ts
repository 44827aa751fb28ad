import type { Condition } from '../../../src/client/condition.ts';
import type { Fleet, FleetRow } from '../session/session.ts';

/** The rows to list, in their order, that are in the condition and match every word of the text. */
export function filterRows(fleet: Fleet, condition: Condition | null, text: string): readonly FleetRow[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const byUuid = new Map(fleet.rows.map((row) => [row.gpu.uuid, row]));
  return fleet.order.uuids.flatMap((uuid) => {
    const row = byUuid.get(uuid);
    if (row === undefined || (condition !== null && row.condition !== condition)) return [];
    return words.every((word) => matches(row, word)) ? [row] : [];
  });
}

/**
 * A plain number is the index of a GPU or the id of a process: figures in product names, and other indices that begin
 * with it, are not meant. Any other word is looked for in everything a person may know a GPU by.
 */
function matches({ gpu, condition }: FleetRow, word: string): boolean {
  const number = /^(?:gpu)?(\d+)$/.exec(word)?.[1];
  if (number !== undefined) {
    const isProcess = !word.startsWith('gpu') && gpu.processes.some(({ pid }) => pid === Number(number));
    return gpu.index === Number(number) || isProcess;
  }
  const processes = gpu.processes.flatMap(({ user, name }) => [user, name]);
  const known = ['gpu', gpu.name, gpu.uuid, gpu.pciBusId, condition, ...processes];
  return known.join(' ').toLowerCase().includes(word);
}
