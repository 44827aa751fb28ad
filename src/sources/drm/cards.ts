import { readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { slotOfFolder } from './pci.ts';
import { textOrNull } from './read-file.ts';

/** A graphics card of the kernel, `/sys/class/drm/cardN`, whoever made it. */
export interface Card {
  /** `card0`. */
  readonly name: string;
  /** N of `cardN`, as in `/dev/dri/cardN`. */
  readonly number: number;
  /** Its folder in `/sys/class/drm`. */
  readonly path: string;
  /** Folder of the device behind it, symbolic links resolved where possible. */
  readonly devicePath: string;
  /** Changes when another device takes the same name. */
  readonly key: string;
  /** `0x1002`; null for a device that is not on PCI. */
  readonly vendorId: string | null;
  /** `73df`; null where unknown. */
  readonly deviceId: string | null;
  /** `0000:03:00.0`; null for a device that is not on PCI. */
  readonly slot: string | null;
  /** Kernel driver, `amdgpu`; null where unknown. */
  readonly driver: string | null;
  /** N of `/dev/dri/renderDN`; null where there is none. */
  readonly renderMinor: number | null;
}

/** Lists the cards below a sysfs root; each is looked at once, until another device takes its name. */
export class CardList {
  readonly #folder: string;
  #known = new Map<string, Card>();

  constructor(sys: string) {
    this.#folder = `${sys}/class/drm`;
  }

  /** The cards that are there now, by number. */
  look(): readonly Card[] {
    const cards = listNames(this.#folder).map((name) => this.#card(name));
    this.#known = new Map(cards.map((card) => [card.name, card]));
    return cards;
  }

  #card(name: string): Card {
    const path = `${this.#folder}/${name}`;
    const key = keyOf(path);
    const known = this.#known.get(name);
    // A card that appears just now may not have its device yet.
    const isWhole = known !== undefined && (known.vendorId !== null || known.driver !== null);
    return isWhole && known.key === key ? known : describe(this.#folder, name, path, key);
  }
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^card\d+$/.test(name))
      .sort((a, b) => Number(a.slice(4)) - Number(b.slice(4)));
  } catch {
    return [];
  }
}

function keyOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return inodeOf(path);
  }
}

function inodeOf(path: string): string {
  try {
    return String(statSync(path).ino);
  } catch {
    return '';
  }
}

function describe(folder: string, name: string, path: string, key: string): Card {
  const devicePath = realPath(`${path}/device`);
  const uevent = parseUevent(textOrNull(`${devicePath}/uevent`) ?? '');
  const slot = slotOfFolder(uevent.get('PCI_SLOT_NAME') ?? '') ?? slotOfFolder(devicePath);
  return {
    name,
    number: Number(name.slice(4)),
    path,
    devicePath,
    key,
    vendorId: textOrNull(`${devicePath}/vendor`)?.toLowerCase() ?? null,
    deviceId: idOf(textOrNull(`${devicePath}/device`)),
    slot,
    driver: uevent.get('DRIVER') ?? driverOf(devicePath),
    renderMinor: renderMinorOf(folder, devicePath),
  };
}

function idOf(text: string | null): string | null {
  return /^0x([0-9a-f]{4})$/.exec(text?.toLowerCase() ?? '')?.[1] ?? null;
}

function parseUevent(text: string): Map<string, string> {
  return new Map(
    text.split('\n').map((line): [string, string] => {
      const [key = '', ...rest] = line.split('=');
      return [key, rest.join('=').trim()];
    }),
  );
}

function driverOf(devicePath: string): string | null {
  try {
    return basename(readlinkSync(`${devicePath}/driver`));
  } catch {
    return null;
  }
}

/** The render node is listed beside the card below its device, and in the class folder. */
function renderMinorOf(folder: string, devicePath: string): number | null {
  const own = minorsIn(`${devicePath}/drm`)[0];
  if (own !== undefined) return own;
  return minorsIn(folder).find((minor) => realPath(`${folder}/renderD${minor}/device`) === devicePath) ?? null;
}

function minorsIn(folder: string): number[] {
  try {
    return readdirSync(folder).flatMap((name) => {
      const match = /^renderD(\d+)$/.exec(name);
      return match === null ? [] : [Number(match[1])];
    });
  } catch {
    return [];
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
