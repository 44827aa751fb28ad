import type { DeviceView } from '../../model/reader.ts';
import type { Millis } from '../../model/reading.ts';
import type { PciPlace } from './pci-place.ts';

/** A GPU with the MIG instances that are cut out of it. */
export interface Card {
  readonly view: DeviceView;
  readonly instances: readonly DeviceView[];
  /** Null where the kernel of this machine knows nothing of it, as in a recording. */
  readonly place: PciPlace | null;
}

/** What is printed at one moment. */
export interface Shot {
  readonly at: Millis;
  /** Those that were asked for. */
  readonly cards: readonly Card[];
  /** How many GPUs there are. */
  readonly count: number;
  /** The device whose driver is named, wherever it is: the first of NVIDIA that tells, else the first; null without any. */
  readonly lead: DeviceView['device'] | null;
}

/** The GPUs among some devices, by index. An instance whose card is not among them stands for itself. */
export function cardsOf(views: readonly DeviceView[], placeOf: (busId: string | null) => PciPlace | null): Card[] {
  const uuids = new Set(views.map(({ device }) => device.uuid));
  return views
    .filter(({ device: { mig } }) => mig === undefined || !uuids.has(mig.parent))
    .map((view) => ({
      view,
      instances: views.filter(({ device }) => device.mig?.parent === view.device.uuid),
      place: placeOf(view.device.pciBusId),
    }));
}

/**
 * True for the cards that a list names as nvidia-smi's `-i` does: by index, serial number, UUID, or a PCI bus id that may
 * leave out its domain and leading zeros. Without a list it is true for all.
 */
export function cardFilter(list: string | null): (card: Card) => boolean {
  if (list === null) return () => true;
  const words = list.split(',').map((word) => word.trim().toLowerCase());
  return ({ view: { device } }) =>
    words.some(
      (word) =>
        word === String(device.index) ||
        word === device.serial?.toLowerCase() ||
        word === device.uuid.toLowerCase() ||
        isSamePlace(word, device.pciBusId),
    );
}

/** What of a list of `-i` names none of the cards. */
export function unmatched(list: string | null, cards: readonly Card[]): readonly string[] {
  return (list?.split(',') ?? []).map((word) => word.trim()).filter((word) => !cards.some(cardFilter(word)));
}

function isSamePlace(word: string, busId: string | null): boolean {
  const [wanted, actual] = [placeNumbers(word), placeNumbers(busId?.toLowerCase() ?? '')];
  return wanted !== null && actual !== null && wanted.every((value, i) => value === actual[i]);
}

/** Domain, bus, device and function. */
function placeNumbers(text: string): readonly number[] | null {
  const match = /^(?:([\da-f]{1,8}):)?([\da-f]{1,2}):([\da-f]{1,2})(?:\.([\da-f]))?$/.exec(text);
  return match === null ? null : match.slice(1).map((digits) => Number.parseInt(digits ?? '0', 16));
}

/** The parts of a bus id as nvidia-smi prints it: `00000000:0C:00.0`. Null where it is not known. */
export function busIdParts(busId: string | null): { domain: number; bus: number; device: number } | null {
  const [domain, bus, device] = placeNumbers(busId?.toLowerCase() ?? '') ?? [];
  return domain === undefined || bus === undefined || device === undefined ? null : { domain, bus, device };
}

export function hex(value: number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, '0');
}

/** The bus id with a domain of eight digits. */
export function longBusId(busId: string | null): string | null {
  const parts = busIdParts(busId);
  if (parts === null) return busId;
  return `${hex(parts.domain, 8)}:${hex(parts.bus, 2)}:${hex(parts.device, 2)}.${busId?.split('.')[1] ?? '0'}`;
}

/**
 * The UUID, or null where gpulse only made one up and it says nothing about the device. Of other makers, whose GPUs have no
 * UUID of their own, the one made up from the place on the bus is shown; of NVIDIA it would be taken for what it is not.
 */
export function shownUuid({ uuid, uuidIsDerived, vendor }: DeviceView['device']): string | null {
  if (uuidIsDerived !== true || /^MIG-|@/.test(uuid)) return uuid;
  return vendor !== 'nvidia' && uuid.startsWith('GPU-pci-') ? uuid : null;
}

/** See {@link Shot.lead}. */
export function leadDevice(cards: readonly Card[]): DeviceView['device'] | null {
  const devices = cards.map(({ view }) => view.device);
  const own = devices.filter(({ vendor }) => vendor === 'nvidia');
  // A card that is lost does not tell what the system has.
  return own.find(({ facts }) => facts?.['cuda-version'] !== undefined) ?? own[0] ?? devices[0] ?? null;
}
