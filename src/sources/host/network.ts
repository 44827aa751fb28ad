import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { slotOf } from '../../model/catalogue.ts';
import type { ReadingSet } from '../../model/reading-set.ts';
import type { ByteFile } from './byte-file.ts';
import { NamedCounters } from './named-counters.ts';

const RECEIVED = slotOf('host_network_rx_bytes_per_second');
const SENT = slotOf('host_network_tx_bytes_per_second');

export const NETWORK_SLOTS = [RECEIVED, SENT] as const;

const COLON = 58;
/** A card may be put in while gpulse runs. */
const RELOOK_READS = 60;

/** Interfaces without hardware of their own, by the names that are given to them. */
const VIRTUAL =
  /^(?:lo|veth|docker|br-|br\d|virbr|cni|flannel|cali|tunl|tun|tap|bond|team|dummy|vxlan|vnet|wg|ifb|lxc|lxd|cilium|ovs|kube|nodelocaldns|gre|gretap|erspan|sit|ip6|ip_vti|ipip|nlmon|macvtap|macvlan|ipvlan|podman|zt|tailscale|vmnet|weave|antrea|genev|azv|eni[0-9a-f]{6})|\.\d+$/;

/** `/proc/net/dev`, of network cards only; in a container without any, of its own interface. */
export class Network {
  readonly #counters: NamedCounters;
  readonly #netFolder: string;
  /** Null until it has been looked at, and while nothing can be said. */
  #cards: ReadonlySet<string> | null = null;
  #reads = 0;

  /** `netFolder` is `/sys/class/net`. */
  constructor(netFolder: string) {
    this.#netFolder = netFolder;
    this.#counters = new NamedCounters(2, (name) => this.#isCounted(name));
  }

  read(file: ByteFile, seconds: number, out: ReadingSet): void {
    if (this.#reads++ % RELOOK_READS === 0) this.#look();
    this.#counters.begin();
    while (!file.isAtEnd) {
      this.#readLine(file);
      file.skipLine();
    }
    let [received, sent, compared] = [0, 0, 0];
    const count = this.#counters.each((now, before) => {
      if (!(now[0]! >= before[0]! && now[1]! >= before[1]!)) return;
      received += now[0]! - before[0]!;
      sent += now[1]! - before[1]!;
      compared++;
    });
    if (compared > 0 && seconds > 0) {
      out.setValue(RECEIVED, received / seconds);
      out.setValue(SENT, sent / seconds);
    } else {
      for (const slot of NETWORK_SLOTS) out.setAbsent(slot, count === 0 ? 'not-found' : 'not-collected');
    }
  }

  /** `eth0: bytes packets errs drop fifo frame compressed multicast bytes …`; old kernels leave no blank after the colon. */
  #readLine(file: ByteFile): void {
    file.skipBlanks();
    const from = file.at;
    const lineEnd = file.bytes.indexOf(10, from);
    const end = lineEnd === -1 ? file.end : Math.min(lineEnd, file.end);
    const colon = file.bytes.lastIndexOf(COLON, end);
    if (colon <= from) return;
    const values = this.#counters.row(file, from, colon);
    if (values === null) return;
    file.at = colon + 1;
    values[0] = file.nth(1);
    values[1] = file.nth(8);
  }

  #isCounted(name: string): boolean {
    const cards = this.#cards;
    return cards === null || cards.size === 0 ? !VIRTUAL.test(name) : cards.has(name);
  }

  #look(): void {
    const cards = cardsIn(this.#netFolder);
    const isSame = cards?.size === this.#cards?.size && [...(cards ?? [])].every((card) => this.#cards?.has(card));
    this.#cards = cards;
    if (!isSame) this.#counters.forget();
  }
}

/** Interfaces with a device behind them. Null where the kernel does not show its interfaces. */
function cardsIn(netFolder: string): ReadonlySet<string> | null {
  try {
    const names = readdirSync(netFolder).filter((name) => existsSync(`${netFolder}/${name}/device`));
    return new Set(names.filter((name) => !isPartOfCard(`${netFolder}/${name}`, names)));
  } catch {
    return null;
  }
}

/** A function of a card that is itself here, or the fast path of a virtual card that counts for it. */
function isPartOfCard(folder: string, cards: readonly string[]): boolean {
  if (existsSync(`${folder}/device/physfn`)) return true;
  try {
    return cards.includes(basename(readlinkSync(`${folder}/master`)));
  } catch {
    return false;
  }
}
