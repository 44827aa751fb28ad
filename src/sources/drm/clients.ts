import { EngineMeter } from './engine-meter.ts';
import { type ClientInfo, type EngineClass, memoryOf, parseFdinfo } from './fdinfo.ts';
import type { Holder, OpenNode, ProcessWalk } from './process-walk.ts';
import type { Progress } from './progress.ts';
import { readText } from './read-file.ts';

/** One client of a GPU: a use of a driver that may be shared by several open files, and several processes. */
export interface Client {
  readonly pid: number;
  /** Position of its GPU. */
  readonly gpu: number;
  readonly deviceBytes: number | null;
  readonly systemBytes: number | null;
  /** The driver counts the use of engines; one that is not in `ratios` has not been used. */
  readonly hasEngines: boolean;
  /** Groups of engines that it has ever used. */
  readonly used: ReadonlySet<EngineClass>;
  /** Share of time per group of engines; null where a rate needs another look. */
  readonly ratios: ReadonlyMap<EngineClass, number | null>;
}

/**
 * Position of the GPU behind a device file, by its minor number or by the address that the driver gives. `foreign` is a
 * GPU of another source, or one that is not to be touched; `unknown` needs the address.
 */
export type Locate = (minor: number, slot: string | null) => number | 'foreign' | 'unknown';

interface Seen {
  readonly meter: EngineMeter;
  /** Number of the look in which it was seen last. */
  look: number;
}

/** Reads what the clients of graphics drivers have used, each once, however many files stand for it. */
export class Clients {
  readonly #proc: string;
  readonly #progress: Progress;
  readonly #seen = new Map<string, Seen>();
  /** For each process one file per client, and the list of files they were chosen from. */
  readonly #chosen = new Map<number, { from: readonly OpenNode[]; nodes: ReadonlyMap<string, OpenNode> }>();
  #look = 0;

  constructor(proc: string, progress: Progress) {
    this.#proc = proc;
    this.#progress = progress;
  }

  /** All clients on the GPUs that `locate` knows. A client of several processes is that of the first of them. */
  read(walk: ProcessWalk, locate: Locate): Client[] {
    this.#look++;
    const clients: Client[] = [];
    const holders = [...walk.holders()].sort((a, b) => a.pid - b.pid);
    for (const holder of holders) this.#readHolder(holder, walk, locate, clients);
    for (const [key, { look }] of this.#seen) if (look !== this.#look) this.#seen.delete(key);
    for (const pid of this.#chosen.keys()) if (!holders.some((holder) => holder.pid === pid)) this.#chosen.delete(pid);
    return clients;
  }

  #readHolder(holder: Holder, walk: ProcessWalk, locate: Locate, clients: Client[]): void {
    const { pid, nodes } = holder;
    const chosen = this.#chosen.get(pid);
    const isFirst = chosen?.from !== nodes;
    const kept = new Map<string, OpenNode>();
    for (const [key, node] of isFirst ? nodes.map((each): [null, OpenNode] => [null, each]) : chosen.nodes) {
      // Another process that shares the client has been read already.
      if (key !== null && this.#isRead(key)) continue;
      const place = locate(node.minor, null);
      if (place === 'foreign') continue;
      this.#progress.step();
      const text = readText(`${this.#proc}/${pid}/fdinfo/${node.fd}`);
      if (typeof text !== 'string') {
        walk.suspect(pid);
        continue;
      }
      const info = parseFdinfo(text);
      const gpu = place === 'unknown' ? locate(node.minor, info?.slot ?? null) : place;
      if (typeof gpu !== 'number') continue;
      const client = keyOf(pid, node, info);
      if (!kept.has(client)) kept.set(client, node);
      if (!this.#isRead(client)) clients.push(this.#admit(client, pid, gpu, info));
    }
    if (isFirst) this.#chosen.set(pid, { from: nodes, nodes: kept });
  }

  #isRead(key: string): boolean {
    return this.#seen.get(key)?.look === this.#look;
  }

  #admit(key: string, pid: number, gpu: number, info: ClientInfo | null): Client {
    const seen = this.#seen.get(key) ?? { meter: new EngineMeter(), look: 0 };
    seen.look = this.#look;
    this.#seen.set(key, seen);
    const memory = info === null ? { device: null, system: null } : memoryOf(info);
    return {
      pid,
      gpu,
      deviceBytes: memory.device,
      systemBytes: memory.system,
      hasEngines: info !== null && countsEngines(info),
      used: info === null ? NONE_USED : usedIn(info),
      ratios: info === null ? NO_RATIOS : ratiosOf(info, seen.meter),
    };
  }
}

/** A driver that gives no ids has one client per process and device, as far as anybody can tell. */
function keyOf(pid: number, { minor }: OpenNode, info: ClientInfo | null): string {
  return info?.clientId == null ? `${pid}/${minor}` : `${info.slot ?? minor}#${info.clientId}`;
}

/** amdgpu lists an engine only once it has been used; every version that writes these keys counts them. */
function countsEngines({ driver, engines }: ClientInfo): boolean {
  return driver === 'amdgpu' || engines.some(({ ns, totalCycles }) => ns !== null || totalCycles !== null);
}

const NO_RATIOS: Client['ratios'] = new Map();
const NONE_USED: Client['used'] = new Set();

function usedIn({ engines }: ClientInfo): Set<EngineClass> {
  const used = new Set<EngineClass>();
  for (const { class: engine, ns, cycles } of engines)
    if (engine !== null && ((ns ?? 0) > 0 || (cycles ?? 0) > 0)) used.add(engine);
  return used;
}

function ratiosOf(info: ClientInfo, meter: EngineMeter): Map<EngineClass, number | null> {
  const ratios = new Map<EngineClass, number | null>();
  const now = performance.now();
  for (const use of info.engines) {
    if (use.class === null || (use.ns === null && use.totalCycles === null)) continue;
    const ratio = meter.ratio(use, now);
    const before = ratios.get(use.class);
    // Two kinds of encoder are one group: what they did together.
    ratios.set(use.class, ratio === null || before == null ? (ratio ?? before ?? null) : Math.min(1, before + ratio));
  }
  return ratios;
}
