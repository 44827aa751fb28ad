import { DEVICE_FACTS, type Device, type DeviceFact, type MigSlice, type Vendor } from '../../model/device.ts';

/** What a row says about the identity of its device; null for everything it does not say. */
export interface Identity {
  readonly uuid: string | null;
  readonly pciBusId: string | null;
  readonly serial: string | null;
  readonly index: number | null;
  readonly name: string | null;
  readonly driverVersion: string | null;
  /** True where `uuid` was made of something else that tells the device apart. */
  readonly isDerived?: boolean;
  /** Missing for a log of nvidia-smi. */
  readonly vendor?: Vendor;
  /** Only a message tells of it: it leaves its place to every device that the log has rows of. */
  readonly isUnseen?: true;
  /** The machine it is in, in a log that tells. */
  readonly host?: string;
  readonly minor?: number | null;
  readonly mig?: MigSlice;
  readonly facts?: Readonly<Partial<Record<DeviceFact, string>>>;
}

export const UNKNOWN_IDENTITY: Identity = {
  uuid: null,
  pciBusId: null,
  serial: null,
  index: null,
  name: null,
  driverVersion: null,
};

/**
 * A place that nvidia-smi prints one row for. Two cards that were in the same place one after the other share it: a
 * second row for the place is the next sampling instant, whichever card it is about.
 */
interface Place {
  /** Number of the tick in which it was seen last. */
  seenInTick: number;
}

/** A device of the log. `device` is replaced when the log tells more about it or it changes. */
export interface LogDevice {
  device: Device;
  readonly place: Place;
  /** Position in the order of first appearance. */
  readonly order: number;
  /** The machine it is in; null where the log does not tell. */
  readonly host: string | null;
}

const NAMES_IF_UNKNOWN: Readonly<Record<Vendor, string>> = {
  nvidia: 'NVIDIA GPU',
  amd: 'AMD GPU',
  intel: 'Intel GPU',
  huawei: 'Ascend NPU',
  unknown: 'GPU',
};

/** A log that seems to have more devices is misread: no more are taken, so that memory does not grow with the file. */
const MAX_DEVICES = 1024;

/** `0000:0b:00.0` and `00000000:0B:00.0` name the same place: the form with eight digits, as nvidia-smi prints it. */
export function normalBusId(text: string): string {
  const [domain, rest] = [text.slice(0, text.indexOf(':')), text.slice(text.indexOf(':'))];
  return (domain.padStart(8, '0') + rest).toUpperCase();
}

/** Where a MIG instance is cut out of its card, and its UUID where the log has one. */
export interface Slice extends Omit<MigSlice, 'parent'> {
  readonly uuid: string | null;
}

/**
 * Every device of a log, found by the best of what a row says: UUID, bus id, index with name, name. A row that says more
 * than the rows before it is about the same device if nothing speaks against it.
 */
export class LogDevices {
  readonly #all: LogDevice[] = [];
  #cards = 0;
  readonly #byUuid = new Map<string, LogDevice>();
  readonly #byBusId = new Map<string, LogDevice>();
  readonly #byIndex = new Map<number, LogDevice[]>();
  readonly #byName = new Map<string, LogDevice>();
  /** Cards of which the log does not tell the index. */
  readonly #guessed = new Set<LogDevice>();
  /** Those that no row has been about. */
  readonly #unseen = new Set<LogDevice>();
  readonly #hosts = new Set<string>();

  /** In the order of first appearance. */
  get all(): readonly LogDevice[] {
    return this.#all;
  }

  /** True if the log names more than one machine. */
  get hasSeveralHosts(): boolean {
    return this.#hosts.size > 1;
  }

  isKnown(uuid: string): boolean {
    return this.#byUuid.has(uuid);
  }

  /** Undefined too where several machines have a device in that place. */
  findByBusId(busId: string): LogDevice | undefined {
    return this.hasSeveralHosts ? undefined : this.#byBusId.get(normalBusId(busId));
  }

  /** The device a row is about; a new one if none fits, or null if there are too many already. */
  resolve(identity: Identity): LogDevice | null {
    const found = this.#find(identity);
    if (found === undefined) return this.#all.length < MAX_DEVICES ? this.#add(identity) : null;
    this.#update(found, identity);
    return found;
  }

  /** A MIG instance of a card; null if there are too many devices already. */
  slice({ device: card, host }: LogDevice, { uuid, ...cut }: Slice): LogDevice | null {
    const key = uuid ?? `MIG-${card.uuid}/${cut.gpuInstance}/${cut.computeInstance ?? 0}`;
    const known = this.#byUuid.get(key);
    if (known !== undefined) return known;
    if (this.#all.length >= MAX_DEVICES) return null;
    const device: Device = {
      uuid: key,
      ...(uuid === null ? { uuidIsDerived: true } : {}),
      vendor: card.vendor,
      name: cut.profile === null ? `${card.name} MIG` : `${card.name} MIG ${cut.profile}`,
      index: card.index,
      pciBusId: card.pciBusId,
      minor: card.minor,
      serial: null,
      driverVersion: card.driverVersion,
      mig: { parent: card.uuid, ...cut },
    };
    return this.#list(device, { seenInTick: -1 }, host);
  }

  #find({ uuid, isDerived, mig, pciBusId, index, name }: Identity): LogDevice | undefined {
    // What was made up to tell devices apart is about no other one.
    if (uuid !== null && (isDerived === true || mig !== undefined)) return this.#byUuid.get(uuid);
    if (uuid !== null) return this.#byUuid.get(uuid) ?? this.#withoutUuid(pciBusId, index, name);
    if (pciBusId !== null) {
      return (
        this.#byBusId.get(normalBusId(pciBusId)) ?? this.#atIndex(index, name, ({ pciBusId: known }) => known === null)
      );
    }
    if (index !== null) {
      const inPlace = this.#byIndex.get(index) ?? [];
      return name === null ? inPlace.at(-1) : inPlace.find(({ device }) => isNamed(device, name));
    }
    return name === null ? this.#all[0] : this.#byName.get(name);
  }

  /** A device that was met before without its UUID. */
  #withoutUuid(pciBusId: string | null, index: number | null, name: string | null): LogDevice | undefined {
    const isOpen = ({ uuidIsDerived }: Device): boolean => uuidIsDerived === true;
    if (pciBusId === null) return this.#atIndex(index, name, isOpen);
    const inSlot = this.#byBusId.get(normalBusId(pciBusId));
    if (inSlot !== undefined) return isOpen(inSlot.device) ? inSlot : undefined;
    return this.#atIndex(index, name, (device) => isOpen(device) && device.pciBusId === null);
  }

  #atIndex(index: number | null, name: string | null, isOpen: (device: Device) => boolean): LogDevice | undefined {
    if (index === null) return undefined;
    const inPlace = this.#byIndex.get(index) ?? [];
    return inPlace.findLast(
      (known) => !this.#guessed.has(known) && isOpen(known.device) && (name === null || isNamed(known.device, name)),
    );
  }

  #add(identity: Identity): LogDevice {
    const uuid = identity.uuid ?? this.#derivedUuid(identity);
    const device: Device = {
      uuid,
      ...(identity.uuid === null || identity.isDerived === true ? { uuidIsDerived: true } : {}),
      vendor: identity.vendor ?? 'nvidia',
      name: identity.name ?? NAMES_IF_UNKNOWN[identity.vendor ?? 'nvidia'],
      index: identity.index ?? this.#freeIndex(identity.isUnseen === true),
      pciBusId: identity.pciBusId,
      minor: identity.minor ?? null,
      serial: identity.serial,
      driverVersion: identity.driverVersion,
      ...(identity.mig === undefined ? {} : { mig: identity.mig }),
      ...(identity.facts === undefined ? {} : { facts: identity.facts }),
    };
    const isPlacedByIndex = identity.uuid === null && identity.pciBusId === null && identity.index !== null;
    if (identity.index !== null) this.#giveWay(identity.index, this.#guessed);
    else if (identity.isUnseen !== true) this.#giveWay(device.index, this.#unseen);
    const neighbour = isPlacedByIndex ? this.#byIndex.get(device.index)?.[0] : undefined;
    const added = this.#list(device, neighbour?.place ?? { seenInTick: -1 }, identity.host);
    if (identity.index === null) this.#guessed.add(added);
    if (identity.isUnseen === true && identity.index === null) this.#unseen.add(added);
    return added;
  }

  /** An index that no card has, for one whose place is not told. */
  #freeIndex(isUnseen: boolean): number {
    let index = isUnseen ? this.#cards : this.#cards - this.#unseen.size;
    const isTaken = (at: number): boolean =>
      (this.#byIndex.get(at) ?? []).some((known) => isUnseen || !this.#unseen.has(known));
    while (isTaken(index)) index++;
    return index;
  }

  /** A card whose index was only guessed gives it up to the one that is said to have it. */
  #giveWay(index: number, weak: ReadonlySet<LogDevice>): void {
    const guessed = (this.#byIndex.get(index) ?? []).filter((known) => weak.has(known));
    for (const known of guessed) {
      const others = (this.#byIndex.get(index) ?? []).filter((other) => other !== known);
      if (others.length === 0) this.#byIndex.delete(index);
      else this.#byIndex.set(index, others);
      this.#cards = Math.max(this.#cards, index + 1);
      known.device = { ...known.device, index: this.#freeIndex(true) };
      this.#remember(known);
    }
  }

  #list(device: Device, place: Place, host: string | null = null): LogDevice {
    const added: LogDevice = { device, place, order: this.#all.length, host };
    if (host !== null) this.#hosts.add(host);
    this.#all.push(added);
    this.#byUuid.set(device.uuid, added);
    if (device.mig === undefined) {
      this.#cards++;
      this.#remember(added);
    }
    return added;
  }

  #update(known: LogDevice, { name, pciBusId, minor, serial, driverVersion, facts, isUnseen }: Identity): void {
    if (isUnseen !== true) this.#unseen.delete(known);
    const { device } = known;
    const next = {
      ...device,
      name: fullerName(device.name, name),
      pciBusId: pciBusId ?? device.pciBusId,
      minor: minor ?? device.minor,
      serial: serial ?? device.serial,
      driverVersion: driverVersion ?? device.driverVersion,
      ...(facts === undefined ? {} : { facts: { ...device.facts, ...facts } }),
    };
    const isSame =
      next.name === device.name &&
      next.pciBusId === device.pciBusId &&
      next.minor === device.minor &&
      next.serial === device.serial &&
      next.driverVersion === device.driverVersion &&
      (facts === undefined || sameFacts(facts, device.facts));
    if (isSame) return;
    known.device = next;
    this.#remember(known);
  }

  #remember(known: LogDevice): void {
    const { pciBusId, index, name } = known.device;
    if (pciBusId !== null) this.#byBusId.set(normalBusId(pciBusId), known);
    if (!this.#byName.has(name)) this.#byName.set(name, known);
    const inPlace = this.#byIndex.get(index) ?? [];
    if (!inPlace.includes(known)) this.#byIndex.set(index, [...inPlace, known]);
  }

  /** The same for the same log, whatever is read of it: made of the bus id, the index or the name. */
  #derivedUuid({ pciBusId, index, name }: Identity): string {
    const stem = pciBusId ?? (index !== null ? String(index) : slug(name ?? '0'));
    const plain = `log-${stem}`;
    const named = name === null ? plain : `${plain}-${slug(name)}`;
    let candidate = plain;
    for (let count = 2; this.#byUuid.has(candidate); count++) candidate = count === 2 ? named : `${named}-${count}`;
    return candidate;
  }
}

function sameFacts(facts: NonNullable<Device['facts']>, known: Device['facts']): boolean {
  return DEVICE_FACTS.every((fact) => facts[fact] === undefined || facts[fact] === known?.[fact]);
}

function isNamed(device: Device, name: string): boolean {
  return device.name === NAMES_IF_UNKNOWN[device.vendor] || isSameName(device.name, name);
}

/** nvidia-smi's table cuts a long name: `NVIDIA GeForce RTX 2080 ...`. */
const CUT_NAME = /\s?\.\.\.$/;

function isSameName(one: string, other: string): boolean {
  if (one === other) return true;
  const [short, long] = CUT_NAME.test(one) ? [one, other] : [other, one];
  return CUT_NAME.test(short) && long.startsWith(short.replace(CUT_NAME, ''));
}

/** The name that says more of the two, the newer one if they are different. */
function fullerName(known: string, name: string | null): string {
  if (name === null) return known;
  return CUT_NAME.test(name) && isSameName(known, name) ? known : name;
}

function slug(text: string): string {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.join('-') || 'gpu';
}
