import type { GpuProcess, ProcessKind } from '../../model/process.ts';
import type { Absent } from '../../model/reading.ts';
import type { Card } from './cards.ts';

/** A process of a card, with the MIG instance it runs in; null for each where there is none. */
export interface CardProcess {
  readonly process: GpuProcess;
  readonly gpuInstance: number | null;
  readonly computeInstance: number | null;
}

export const PROCESS_TYPES: Readonly<Record<ProcessKind, string>> = {
  compute: 'C',
  graphics: 'G',
  'compute+graphics': 'C+G',
};

/** The processes of a card and its instances by pid, each once; absent where none can be listed. */
export function processesOf({ view, instances }: Card): readonly CardProcess[] | Absent {
  const lists = [...instances, view].map(({ processes }) => processes);
  if (lists.every((list) => 'absent' in list)) return lists.at(-1) as Absent;
  const found: CardProcess[] = [];
  const seen = new Set<number>();
  for (const { processes, device } of [...instances, view]) {
    if ('absent' in processes) continue;
    const { gpuInstance = null, computeInstance = null } = device.mig ?? {};
    for (const process of processes) {
      // A card may list those of its instances too.
      if (device.mig === undefined && seen.has(process.pid)) continue;
      seen.add(process.pid);
      found.push({ process, gpuInstance, computeInstance });
    }
  }
  return found.sort((a, b) => a.process.pid - b.process.pid);
}

/** The program of a process as nvidia-smi names it: the first word of its command line, else its short name. */
export function programOf({ command, name }: GpuProcess): string | null {
  const [first = ''] = command?.split(' ') ?? [];
  return first === '' ? name : first;
}

/** The last part of a path. */
export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1) || path;
}
