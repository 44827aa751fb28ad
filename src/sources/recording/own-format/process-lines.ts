import type { Owner } from '../../../model/owner.ts';
import type { GpuProcess, ProcessKind } from '../../../model/process.ts';
import { absent, isPresent, type Reading } from '../../../model/reading.ts';
import { isObject } from '../loose-json.ts';
import { isReason } from './reading-delta.ts';
import { FIGURES, type WireProcess } from './wire.ts';

/** What of a process does not change while it runs. */
type Facts = Pick<GpuProcess, 'kind' | 'name' | 'user' | 'startedAt' | 'command' | 'owner'>;

const KINDS: readonly ProcessKind[] = ['compute', 'graphics', 'compute+graphics'];
const FIGURE_NAMES = Object.entries(FIGURES) as readonly [keyof typeof FIGURES, string][];

/** Writes lists of processes; facts that were written before are left out. */
export class ProcessWriter {
  #facts = new Map<number, string>();
  readonly #hasCommands: boolean;

  /** Without `hasCommands` no command line is written. */
  constructor(hasCommands: boolean) {
    this.#hasCommands = hasCommands;
  }

  write(processes: readonly GpuProcess[], isFull: boolean): WireProcess[] {
    const now = new Map<number, string>();
    const written = processes.map((process): WireProcess => {
      const facts = this.#factsOf(process);
      const text = JSON.stringify(facts);
      const isKnown = !isFull && this.#facts.get(process.pid) === text;
      now.set(process.pid, text);
      const line: Record<string, unknown> = isKnown ? { pid: process.pid } : { pid: process.pid, ...facts };
      for (const [field, name] of FIGURE_NAMES) {
        const figure = process[field];
        if (figure !== undefined) line[name] = isPresent(figure) ? figure : figure.absent;
      }
      return line as WireProcess;
    });
    this.#facts = now;
    return written;
  }

  #factsOf({ kind, name, user, startedAt, command, owner }: GpuProcess): object {
    return {
      kind,
      name,
      user,
      ...(startedAt === undefined ? {} : { started_at: startedAt }),
      ...(command === undefined || !this.#hasCommands ? {} : { command }),
      ...(owner === undefined ? {} : { owner }),
    };
  }
}

/** Reads what a {@link ProcessWriter} has written. */
export class ProcessReader {
  #facts = new Map<number, Facts>();

  /** Entries that are no processes are left out. */
  read(list: readonly unknown[]): GpuProcess[] {
    const now = new Map<number, Facts>();
    const processes = list.filter(isObject).flatMap((line): GpuProcess[] => {
      const { pid } = line;
      if (typeof pid !== 'number' || !Number.isInteger(pid)) return [];
      const facts = line['kind'] === undefined ? this.#facts.get(pid) : factsIn(line);
      // A line before this one was lost: what the process is, is not known until it is said again.
      const known = facts ?? { kind: 'compute', name: null, user: null };
      now.set(pid, known);
      return [{ pid, memoryBytes: absent('not-collected'), ...known, ...figuresIn(line) }];
    });
    this.#facts = now;
    return processes;
  }
}

function factsIn(line: Readonly<Record<string, unknown>>): Facts {
  const { kind, name, user, started_at: startedAt, command, owner } = line;
  return {
    kind: KINDS.find((known) => known === kind) ?? 'compute',
    name: textOrNull(name),
    user: textOrNull(user),
    ...(startedAt === undefined ? {} : { startedAt: typeof startedAt === 'number' ? startedAt : null }),
    ...(command === undefined ? {} : { command: textOrNull(command) }),
    ...(owner === undefined ? {} : { owner: ownerIn(owner) }),
  };
}

function figuresIn(line: Readonly<Record<string, unknown>>): Partial<Record<keyof typeof FIGURES, Reading>> {
  const figures: Partial<Record<keyof typeof FIGURES, Reading>> = {};
  for (const [field, name] of FIGURE_NAMES) {
    const figure = line[name];
    if (typeof figure === 'number') figures[field] = figure;
    else if (figure !== undefined) figures[field] = absent(isReason(figure) ? figure : 'error');
  }
  return figures;
}

function ownerIn(owner: unknown): Owner | null {
  if (!isObject(owner)) return null;
  const { container, pod, job, unit } = owner;
  return {
    container: isObject(container) ? (container as unknown as Owner['container']) : null,
    pod: isObject(pod) ? (pod as unknown as Owner['pod']) : null,
    job: isObject(job) ? (job as unknown as Owner['job']) : null,
    unit: textOrNull(unit),
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
