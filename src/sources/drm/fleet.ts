import type { Device } from '../../model/device.ts';
import { type Card, CardList } from './cards.ts';
import type { GpuReader, Identity, Maker, Site } from './gpu-reader.ts';
import { Row, type Slots } from './row.ts';

/** One GPU of a session: it stays listed when its card is gone. */
export interface Gpu {
  device: Device;
  /** Null while there is no card for it. */
  reader: GpuReader | null;
  readonly row: Row;
  /** When what rarely changes is read again, monotonic. */
  slowAt: number;
}

/** Finds the GPUs of one maker, and notices which come and go. */
export class Fleet {
  readonly gpus: Gpu[] = [];
  /** Set when a device was added or changed; whoever tells about it resets it. */
  isChanged = false;
  readonly #maker: Maker;
  readonly #cards: CardList;
  readonly #slots: Slots;
  readonly #rowSize: number;

  constructor(maker: Maker, { sys }: Site, options: { slots: Slots; rowSize: number; known: readonly Device[] }) {
    this.#maker = maker;
    this.#cards = new CardList(sys);
    this.#slots = options.slots;
    this.#rowSize = options.rowSize;
    for (const device of options.known) this.#add(device);
  }

  /** Compares the GPUs with the cards that are there now. */
  look(now: number): void {
    const cards = this.#cards.look();
    for (const gpu of this.gpus) {
      const { reader } = gpu;
      if (reader !== null && !isThere(reader.card, cards)) gpu.reader = null;
    }
    const fresh = cards.filter((card) => this.#maker.claims(card) && !this.#hasReader(card));
    const readers = fresh.map((card) => this.#maker.open(card, cards)).sort(byPlace);
    for (const reader of readers) this.#admit(reader, now);
  }

  readers(): GpuReader[] {
    return this.gpus.flatMap(({ reader }) => (reader === null ? [] : [reader]));
  }

  #hasReader({ name, key }: Card): boolean {
    return this.gpus.some(({ reader }) => reader?.card.name === name && reader.card.key === key);
  }

  #admit(reader: GpuReader, now: number): void {
    const identity = this.#apartFromTwin(reader);
    const known = this.gpus.find(({ device }) => device.uuid === identity.uuid);
    if (known === undefined) {
      this.#add({ ...identity, index: this.#nextIndex() }).reader = reader;
      return;
    }
    known.reader = reader;
    known.slowAt = now;
    known.row.clear();
    const device = { ...identity, index: known.device.index };
    if (JSON.stringify(device) === JSON.stringify(known.device)) return;
    known.device = device;
    this.isChanged = true;
  }

  /** Two cards that are there with one UUID (partitions, cloned boards) are told apart by their place: none hides another. */
  #apartFromTwin({ identity, card }: GpuReader): Identity {
    const isTaken = (uuid: string): boolean =>
      this.gpus.some(({ device, reader }) => reader !== null && device.uuid === uuid);
    if (!isTaken(identity.uuid)) return identity;
    const byBus = `${identity.uuid}@${identity.pciBusId ?? card.name}`;
    const uuid = isTaken(byBus) ? `${identity.uuid}@${card.name}` : byBus;
    return { ...identity, uuid, uuidIsDerived: true };
  }

  #nextIndex(): number {
    return this.gpus.reduce((next, { device }) => Math.max(next, device.index + 1), 0);
  }

  #add(device: Device): Gpu {
    const gpu: Gpu = { device, reader: null, row: new Row(this.#slots, this.#rowSize), slowAt: 0 };
    this.gpus.push(gpu);
    this.isChanged = true;
    return gpu;
  }
}

function isThere({ name, key }: Card, cards: readonly Card[]): boolean {
  return cards.some((card) => card.name === name && card.key === key);
}

/** PCI order, as every other tool numbers GPUs; partitions follow the card they are cut out of. */
function byPlace(a: GpuReader, b: GpuReader): number {
  const [busA, busB] = [a.identity.pciBusId ?? '~', b.identity.pciBusId ?? '~'];
  if (busA !== busB) return busA < busB ? -1 : 1;
  return Number(a.card.slot === null) - Number(b.card.slot === null) || a.card.number - b.card.number;
}
