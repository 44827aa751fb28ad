import type { Condition } from '../../../src/client/condition.ts';
import type { ApiGpu } from '../../../src/model/api.ts';
import { ownerLabel } from '../../../src/model/owner-label.ts';
import type { Fleet, FleetRow } from '../session/session.ts';

/**
 * The rows to list, in their order, that are in the condition and match every word of the text. A card also matches by
 * its MIG instances; then only those that do are listed below it.
 */
export function filterRows(fleet: Fleet, condition: Condition | null, text: string): readonly FleetRow[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const byUuid = new Map(fleet.rows.map((row) => [row.gpu.uuid, row]));
  return fleet.order.uuids.flatMap((uuid) => {
    const row = byUuid.get(uuid);
    if (row === undefined || (condition !== null && row.condition !== condition)) return [];
    const fits = (each: FleetRow) => words.every((word) => matches(each, word));
    if (fits(row)) return [row];
    const instances = row.instances.filter(fits);
    return instances.length === 0 ? [] : [{ ...row, instances }];
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
    return gpu.index === Number(number) || isProcess || gpu.processes.some(({ owner }) => owner?.job?.id === number);
  }
  return knownBy(gpu, condition).join(' ').toLowerCase().includes(word);
}

function knownBy(gpu: ApiGpu, condition: Condition): readonly (string | null | undefined)[] {
  const processes = gpu.processes.flatMap(({ user, name, owner }) => {
    const { container, pod, unit } = owner ?? {};
    const places = [ownerLabel(owner)?.text, pod?.namespace, pod?.name, container?.name, container?.image, unit];
    return [user, name, ...places];
  });
  const pods = gpu.allotted?.flatMap(({ namespace, name }) => [namespace, name]) ?? [];
  const slice = gpu.mig === null ? [] : ['mig', gpu.mig.profile];
  return ['gpu', gpu.name, gpu.uuid, gpu.pciBusId, condition, ...slice, ...processes, ...pods];
}
