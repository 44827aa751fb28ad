import { holderOf } from '../../client/holder.ts';
import type { ApiGpu } from '../../model/api.ts';
import type { ApiProcess } from '../../model/api-process.ts';
import { ownerLabel } from '../../model/owner-label.ts';
import type { FleetRow } from '../data/fleet.ts';

/** One process on one GPU. */
export interface ProcessEntry {
  /** Tells it from every other, also from a later one with its pid. */
  readonly key: string;
  readonly gpu: ApiGpu;
  readonly process: ApiProcess;
}

/** Processes of one holder, in the tree. */
interface OwnerEntry {
  readonly key: string;
  /** Null for those of which no holder is known. */
  readonly owner: string | null;
  readonly entries: readonly ProcessEntry[];
}

/** A line of the process table: a process, or in the tree an owner above his processes. */
export type ProcessRow =
  | { readonly kind: 'process'; readonly key: string; readonly entry: ProcessEntry; readonly isLast: boolean | null }
  | { readonly kind: 'owner'; readonly key: string; readonly group: OwnerEntry };

export const SORTS = ['gpu', 'pid', 'user', 'utilisation', 'memory', 'cpu', 'host-memory', 'time', 'command'] as const;
export type SortId = (typeof SORTS)[number];

export interface ProcessOrder {
  readonly sort: SortId;
  /** Largest, or last in the alphabet, first. */
  readonly isDescending: boolean;
}

/** The direction people expect of a column: figures from the top, names and indexes from the beginning. */
export function usualDirection(sort: SortId): boolean {
  return sort === 'utilisation' || sort === 'memory' || sort === 'cpu' || sort === 'host-memory';
}

/** Every process on the listed GPUs. */
export function processEntries(rows: readonly FleetRow[]): readonly ProcessEntry[] {
  return rows.flatMap(({ gpu }) =>
    gpu.processes.map((process) => ({
      key: `${gpu.uuid} ${process.pid} ${process.startedAt ?? ''}`,
      gpu,
      process,
    })),
  );
}

/** What a column compares; null sorts last whatever the direction. */
function sortValue({ gpu, process }: ProcessEntry, sort: SortId): number | string | null {
  switch (sort) {
    case 'gpu':
      return gpu.index + (gpu.mig === null ? 0 : ((gpu.mig.gpuInstance ?? 0) + 1) / 1000);
    case 'pid':
      return process.pid;
    case 'user':
      return holderOf(process);
    case 'utilisation':
      return process.smRatio;
    case 'memory':
      return process.memoryBytes;
    case 'cpu':
      return process.cpuRatio;
    case 'host-memory':
      return process.hostMemoryBytes;
    case 'time':
      return process.startedAt;
    case 'command':
      return process.command ?? process.name;
  }
}

/** The entries in order. Equal ones by GPU and pid, so that rows do not change places for nothing. */
function sortEntries(entries: readonly ProcessEntry[], { sort, isDescending }: ProcessOrder): readonly ProcessEntry[] {
  const keyed = entries.map((entry) => ({ entry, value: sortValue(entry, sort) }));
  keyed.sort((a, b) => {
    if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null);
    const order = compare(a.value, b.value);
    return order === 0 ? tieOrder(a.entry, b.entry) : isDescending ? -order : order;
  });
  return keyed.map(({ entry }) => entry);
}

function compare(a: number | string, b: number | string): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;
}

function tieOrder(a: ProcessEntry, b: ProcessEntry): number {
  return a.gpu.index - b.gpu.index || a.process.pid - b.process.pid || compare(a.gpu.uuid, b.gpu.uuid);
}

/**
 * True where the entry has every word of the filter. A plain number is the index of a GPU (`3`, `gpu3`), a pid or the
 * number of a job; any other word is looked for in everything a person may know a process by.
 */
function matchesFilter({ gpu, process }: ProcessEntry, filter: string): boolean {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return words.every((word) => {
    const number = /^(?:gpu)?(\d+)$/.exec(word)?.[1];
    if (number !== undefined) {
      if (gpu.index === Number(number)) return true;
      return !word.startsWith('gpu') && (String(process.pid).startsWith(number) || process.owner?.job?.id === number);
    }
    const { user, name, command, owner, kind } = process;
    const { container, pod, unit, job } = owner ?? {};
    const known = [user, name, command, kind, ownerLabel(owner)?.text, pod?.namespace, pod?.name, pod?.container];
    const more = [container?.name, container?.image, unit, job?.user, gpu.name, gpu.uuid, gpu.mig?.profile];
    return [...known, ...more].join(' ').toLowerCase().includes(word);
  });
}

/** The lines of the table. In the tree owners come in the order of their first process. */
export function processRows(
  entries: readonly ProcessEntry[],
  order: ProcessOrder,
  filter: string,
  isTree: boolean,
): readonly ProcessRow[] {
  const sorted = sortEntries(filter === '' ? entries : entries.filter((entry) => matchesFilter(entry, filter)), order);
  if (!isTree) return sorted.map((entry) => ({ kind: 'process', key: entry.key, entry, isLast: null }));
  const groups = Map.groupBy(sorted, ({ process }) => holderOf(process));
  return [...groups].flatMap(([owner, members]): ProcessRow[] => {
    const group: OwnerEntry = { key: `owner ${owner ?? ''}`, owner, entries: members };
    return [
      { kind: 'owner', key: group.key, group },
      ...members.map((entry, i): ProcessRow => {
        return { kind: 'process', key: entry.key, entry, isLast: i === members.length - 1 };
      }),
    ];
  });
}
