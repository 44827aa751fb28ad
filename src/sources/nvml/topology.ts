import type { TopologyLink } from '../../model/ports.ts';
import { CODE, P2P_READ, TOPOLOGY } from './abi.ts';
import type { Gpu } from './gpu.ts';
import type { Nvml } from './nvml.ts';
import { symbol } from './symbols.ts';

const ANCESTOR = symbol('nvmlDeviceGetTopologyCommonAncestor');
const PEER_STATUS = symbol('nvmlDeviceGetP2PStatus');

/** Words of `nvidia-smi topo -m`; cards on one board had one of their own there. */
const LEVELS: Readonly<Record<number, string>> = {
  [TOPOLOGY.internal]: 'PSB',
  [TOPOLOGY.single]: 'PIX',
  [TOPOLOGY.multiple]: 'PXB',
  [TOPOLOGY.hostBridge]: 'PHB',
  [TOPOLOGY.node]: 'NODE',
  [TOPOLOGY.system]: 'SYS',
};

/** nvmlGpuP2PStatus_t: one of these says that it is so or not, others that nobody knows. */
const PEER_OK = 0;
const PEER_UNKNOWN = 6;

/** Pairs asked for in one tick: two calls each. */
const PAIRS_PER_TICK = 8;

/** The nearest thing two cards share over PCIe; null where the driver does not tell. */
interface Pair {
  readonly level: string | null;
  readonly canPeerRead: boolean | null;
}

/**
 * How the cards of a worker are joined. Pairs are asked for once, a few per tick, and again only for a card that was
 * away, which may sit elsewhere now; NVLink follows what the readers find.
 */
export class Topology {
  readonly #pairs = new Map<string, Pair>();
  #open: readonly Gpu[] = [];
  /** Every pair of open cards has been asked for. */
  #isComplete = true;
  /** The ports of each card as they were when the links were last put together. */
  #ports: readonly Gpu['links'][] = [];
  #isStale = true;
  #lastLinks = '';

  /**
   * Asks for some of the pairs that are not known yet. Gives every link if any has changed since the last call, else
   * null: the order of two cards is that of the list.
   */
  step(nvml: Nvml, gpus: readonly Gpu[]): readonly TopologyLink[] | null {
    if (!this.#areOpenAsBefore(gpus)) this.#begin(gpus.filter(({ closed }) => closed === 0));
    if (!this.#isComplete) this.#readPairs(nvml);
    if (!this.#isStale && this.#arePortsAsBefore(gpus)) return null;
    this.#isStale = false;
    this.#ports = gpus.map(({ links }) => links);
    const links = this.#links(gpus);
    const text = JSON.stringify(links);
    if (text === this.#lastLinks) return null;
    this.#lastLinks = text;
    return links;
  }

  #areOpenAsBefore(gpus: readonly Gpu[]): boolean {
    let open = 0;
    for (let i = 0; i < gpus.length; i++) {
      if (gpus[i]!.closed === 0 && this.#open[open++] !== gpus[i]) return false;
    }
    return open === this.#open.length;
  }

  #arePortsAsBefore(gpus: readonly Gpu[]): boolean {
    for (let i = 0; i < gpus.length; i++) if (gpus[i]!.links !== this.#ports[i]) return false;
    return gpus.length === this.#ports.length;
  }

  #begin(open: readonly Gpu[]): void {
    const isNew = (uuid: string): boolean => !this.#open.some(({ device }) => device.uuid === uuid);
    for (const key of this.#pairs.keys()) if (key.split('\n').some(isNew)) this.#pairs.delete(key);
    this.#open = open;
    this.#isComplete = false;
    this.#isStale = true;
  }

  #readPairs(nvml: Nvml): void {
    let left = PAIRS_PER_TICK;
    for (const [i, a] of this.#open.entries()) {
      for (const b of this.#open.slice(i + 1)) {
        const key = keyOf(a, b);
        if (this.#pairs.has(key)) continue;
        if (left-- === 0) return;
        this.#pairs.set(key, readPair(nvml, a, b));
        this.#isStale = true;
      }
    }
    this.#isComplete = true;
  }

  #links(gpus: readonly Gpu[]): TopologyLink[] {
    const buses = new Set(gpus.map(({ device }) => device.pciBusId));
    const links: TopologyLink[] = [];
    for (let i = 0; i < gpus.length; i++) {
      for (let j = i + 1; j < gpus.length; j++) {
        const pair = this.#pairs.get(keyOf(gpus[i]!, gpus[j]!));
        if (pair === undefined) continue;
        const count = linkCount(gpus[i]!, gpus[j]!, buses);
        const level = count > 0 ? `NV${count}` : pair.level;
        if (level === null) continue;
        const ends = { from: gpus[i]!.device.uuid, to: gpus[j]!.device.uuid };
        links.push({ ...ends, level, canPeerRead: pair.canPeerRead });
      }
    }
    return links;
  }
}

function keyOf({ device: a }: Gpu, { device: b }: Gpu): string {
  return `${a.uuid}\n${b.uuid}`;
}

function readPair(nvml: Nvml, a: Gpu, b: Gpu): Pair {
  nvml.progress.setGpu(a.device.index);
  const code = nvml.call(ANCESTOR, a.handle, b.handle, nvml.out);
  const level = code === CODE.ok ? (LEVELS[nvml.out[0]!] ?? null) : null;
  const peer = nvml.call(PEER_STATUS, a.handle, b.handle, P2P_READ, nvml.out);
  const status = peer === CODE.ok ? nvml.out[0]! : PEER_UNKNOWN;
  return { level, canPeerRead: status >= PEER_UNKNOWN ? null : status === PEER_OK };
}

/** NVLinks between two cards: straight ones, else those by which both hang on a switch, of which the fewer count. */
function linkCount(a: Gpu, b: Gpu, buses: ReadonlySet<string | null>): number {
  const straight = a.links.filter(({ isActive, peerBusId }) => isActive && peerBusId === b.device.pciBusId).length;
  if (straight > 0) return straight;
  const toSwitch = ({ links }: Gpu): number =>
    links.filter(({ isActive, peerBusId }) => isActive && peerBusId !== null && !buses.has(peerBusId)).length;
  return Math.min(toSwitch(a), toSwitch(b));
}
