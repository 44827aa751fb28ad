import { DEVICE_METRICS, type Metric } from '../../model/catalogue.ts';

/**
 * Fields of nvidia-smi to ask for. Each entry is one thing to know with its spellings, the usual one first: what a
 * version of the tool does not know is asked for by the next spelling, and then not at all.
 */
export class QueryFields {
  readonly #entries: { readonly spellings: readonly string[]; chosen: number }[];

  constructor(entries: readonly (readonly string[])[]) {
    this.#entries = entries.map((spellings) => ({ spellings, chosen: 0 }));
  }

  /** In order, those that are left. */
  get names(): readonly string[] {
    return this.#entries.flatMap(({ spellings, chosen }) => spellings[chosen] ?? []);
  }

  /** The tool does not know a field. False where it was not asked for: then asking again would change nothing. */
  reject(name: string): boolean {
    const entry = this.#entries.find(({ spellings, chosen }) => spellings[chosen] === name);
    if (entry === undefined) return false;
    entry.chosen++;
    return true;
  }

  /** Chooses among the fields the tool says it knows. */
  keepKnown(known: ReadonlySet<string>): void {
    for (const entry of this.#entries) {
      const chosen = entry.spellings.findIndex((name) => known.has(name));
      entry.chosen = chosen === -1 ? entry.spellings.length : chosen;
    }
  }
}

/** By which rows are told apart, and what stays the same about a device. */
const IDENTITY = [
  ['index'],
  ['uuid', 'gpu_uuid'],
  ['pci.bus_id', 'gpu_bus_id'],
  ['name', 'gpu_name'],
  ['serial', 'gpu_serial'],
  ['driver_version'],
];

/** By which the rows of the slow query are joined to those of the fast one. */
const KEYS = [['index'], ['uuid', 'gpu_uuid'], ['pci.bus_id', 'gpu_bus_id']];

/** The driver writes a line into the kernel log each time it is asked for these on a virtual GPU. */
const NEVER = /^remapped_rows\.histogram\./;

/** What changes from moment to moment. */
export function fastFields(): QueryFields {
  return new QueryFields([...IDENTITY, ...spellingsOf(({ cadence }) => cadence === 'fast')]);
}

/** What changes seldom, and takes the driver longer. */
export function slowFields(): QueryFields {
  return new QueryFields([...KEYS, ...spellingsOf(({ cadence }) => cadence !== 'fast')]);
}

/** The processes that compute. */
export function processFields(): QueryFields {
  return new QueryFields([
    ['gpu_uuid'],
    ['gpu_bus_id'],
    ['pid'],
    ['process_name', 'name'],
    ['used_gpu_memory', 'used_memory'],
  ]);
}

function spellingsOf(isWanted: (metric: Metric) => boolean): string[][] {
  return DEVICE_METRICS.filter(isWanted).flatMap(({ smi }) =>
    smi === undefined || NEVER.test(smi.field) ? [] : [[smi.field, ...(smi.aliases ?? [])]],
  );
}

/** The fields in the help text of a query, in which each stands in quotation marks at the start of a line. */
export function fieldsInHelp(help: string): ReadonlySet<string> {
  const known = new Set<string>();
  for (const line of help.split('\n')) {
    if (!line.startsWith('"')) continue;
    for (const [, name = ''] of line.matchAll(/"([\w.]+)"/g)) known.add(name);
  }
  return known;
}
