import type { Device } from '../../model/device.ts';

/** What a row says about the identity of its device; null for everything it does not say. */
export interface Identity {
  readonly uuid: string | null;
  readonly pciBusId: string | null;
  readonly serial: string | null;
  readonly index: number | null;
  readonly name: string | null;
  readonly driverVersion: string | null;
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
}

const NAME_IF_UNKNOWN = 'NVIDIA GPU';

/** A log that seems to have more devices is misread: no more are taken, so that memory does not grow with the file. */
const MAX_DEVICES = 1024;

/** `0000:0b:00.0` and `00000000:0B:00.0` name the same place: the form with eight digits, as nvidia-smi prints it. */
function normalBusId(text: string): string {
  const [domain, rest] = [text.slice(0, text.indexOf(':')), text.slice(text.indexOf(':'))];
  return (domain.padStart(8, '0') + rest).toUpperCase();
}

/** Every device of a log, found by the best of what a row says: UUID, bus id, index with name, name. */
export class LogDevices {
  readonly #all: LogDevice[] = [];
  readonly #byUuid = new Map<string, LogDevice>();
  readonly #byBusId = new Map<string, LogDevice>();
  readonly #byIndex = new Map<number, LogDevice[]>();
  readonly #byName = new Map<string, LogDevice>();

  /** In the order of first appearance. */
  get all(): readonly LogDevice[] {
    return this.#all;
  }

  findByBusId(busId: string): LogDevice | undefined {
    return this.#byBusId.get(normalBusId(busId));
  }

  /** The device a row is about; a new one if none fits, or null if there are too many already. */
  resolve(identity: Identity): LogDevice | null {
    const found = this.#find(identity);
    if (found === undefined) return this.#all.length < MAX_DEVICES ? this.#add(identity) : null;
    this.#update(found, identity);
    return found;
  }

  #find({ uuid, pciBusId, index, name }: Identity): LogDevice | undefined {
    if (uuid !== null) return this.#byUuid.get(uuid);
    if (pciBusId !== null) return this.#byBusId.get(normalBusId(pciBusId));
    if (index !== null) {
      const inPlace = this.#byIndex.get(index) ?? [];
      return name === null ? inPlace.at(-1) : inPlace.find(({ device }) => isNamed(device, name));
    }
    return name === null ? this.#all[0] : this.#byName.get(name);
  }

  #add(identity: Identity): LogDevice {
    const order = this.#all.length;
    const uuid = identity.uuid ?? this.#derivedUuid(identity);
    const device: Device = {
      uuid,
      ...(identity.uuid === null ? { uuidIsDerived: true } : {}),
      vendor: 'nvidia',
      name: identity.name ?? NAME_IF_UNKNOWN,
      index: identity.index ?? order,
      pciBusId: identity.pciBusId,
      minor: null,
      serial: identity.serial,
      driverVersion: identity.driverVersion,
    };
    const isPlacedByIndex = identity.uuid === null && identity.pciBusId === null && identity.index !== null;
    const neighbour = isPlacedByIndex ? this.#byIndex.get(device.index)?.[0] : undefined;
    const added: LogDevice = { device, place: neighbour?.place ?? { seenInTick: -1 }, order };
    this.#all.push(added);
    this.#byUuid.set(uuid, added);
    this.#remember(added);
    return added;
  }

  #update(known: LogDevice, { name, pciBusId, serial, driverVersion }: Identity): void {
    const { device } = known;
    const next = {
      ...device,
      name: name ?? device.name,
      pciBusId: pciBusId ?? device.pciBusId,
      serial: serial ?? device.serial,
      driverVersion: driverVersion ?? device.driverVersion,
    };
    const isSame =
      next.name === device.name &&
      next.pciBusId === device.pciBusId &&
      next.serial === device.serial &&
      next.driverVersion === device.driverVersion;
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

function isNamed(device: Device, name: string): boolean {
  return device.name === name || device.name === NAME_IF_UNKNOWN;
}

function slug(text: string): string {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.join('-') || 'gpu';
}
