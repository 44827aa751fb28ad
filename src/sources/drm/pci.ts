import { basename, dirname } from 'node:path';
import { absent, type Reading } from '../../model/reading.ts';
import { Folder } from './folder.ts';
import type { Progress } from './progress.ts';
import { textOrNull } from './read-file.ts';
import type { Row } from './row.ts';

const SLOT = /^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$/i;
const NOT_SUPPORTED = absent('not-supported');

/** PCI address of a device folder as the kernel writes it, `0000:03:00.0`; null where it is none. */
export function slotOfFolder(path: string): string | null {
  const name = basename(path);
  return SLOT.test(name) ? name.toLowerCase() : null;
}

/** The form with an eight-digit domain in capitals that all sources of gpulse use. */
export function longBusId(slot: string): string {
  const [domain = '', ...rest] = slot.toUpperCase().split(':');
  return [domain.padStart(8, '0'), ...rest].join(':');
}

/** True for a device on a bus that starts at the processor: a part of it, not a card. */
export function isOnRootBus(devicePath: string): boolean {
  return /^pci[0-9a-f]+:[0-9a-f]+$/i.test(basename(dirname(devicePath)));
}

/** Transfers per second on one lane, in GT/s, by generation. */
const SPEEDS: readonly number[] = [2.5, 5, 8, 16, 32, 64];
const MAX_LANES = 32;

/** Generation of a link speed such as `16.0 GT/s PCIe`; a link that is down is `Unknown`. */
export function parseGeneration(text: string): Reading {
  const match = /^(\d+(?:\.\d+)?) GT\/s/.exec(text);
  const generation = SPEEDS.indexOf(Number(match?.[1])) + 1;
  return generation === 0 ? NOT_SUPPORTED : generation;
}

/** A part of the processor has no lanes: the kernel gives 0, or all ones of a six- or eight-bit field. */
function parseLanes(text: string): Reading {
  const lanes = /^\d+$/.test(text) ? Number(text) : 0;
  return lanes >= 1 && lanes <= MAX_LANES ? lanes : NOT_SUPPORTED;
}

/**
 * The link between a card and its slot. Many cards have a switch of their own between slot and chip, and the chip's link
 * to that switch says nothing about the slot: the card's outermost port is what counts.
 */
export class PciLink {
  readonly #port: Folder;
  readonly #slot: Folder | null;

  constructor(devicePath: string, progress: Progress) {
    const port = outermostPort(devicePath);
    this.#port = new Folder(port, progress);
    const above = dirname(port);
    this.#slot = slotOfFolder(above) === null ? null : new Folder(above, progress);
  }

  readMaxima(row: Row): void {
    const generation = read(this.#port, 'max_link_speed', parseGeneration);
    row.put('pcie_link_generation_device_max', generation);
    row.put('pcie_link_generation_max', lower(generation, read(this.#slot, 'max_link_speed', parseGeneration)));
    const lanes = read(this.#port, 'max_link_width', parseLanes);
    row.put('pcie_link_width_max', lower(lanes, read(this.#slot, 'max_link_width', parseLanes)));
  }

  readCurrent(row: Row): void {
    row.put('pcie_link_generation', read(this.#port, 'current_link_speed', parseGeneration));
    row.put('pcie_link_width', read(this.#port, 'current_link_width', parseLanes));
  }

  wake(): void {
    this.#port.wake();
    this.#slot?.wake();
  }
}

function read(folder: Folder | null, name: string, parse: (text: string) => Reading): Reading {
  const text = folder?.text(name) ?? NOT_SUPPORTED;
  return typeof text === 'string' ? parse(text) : text;
}

/** What both ends can do; what only one end tells is its own. */
function lower(device: Reading, slot: Reading): Reading {
  return typeof device === 'number' && typeof slot === 'number' ? Math.min(device, slot) : device;
}

/** A card has at most one switch: a port towards the slot, and one towards the chip. */
const MAX_PORTS = 2;

/**
 * Folder of the port of a card that is next to its slot. Ports of the card are bridges by the maker of the chip; a bridge
 * on the root bus is a port of the processor, even one by the same maker.
 */
function outermostPort(devicePath: string): string {
  const vendor = textOrNull(`${devicePath}/vendor`);
  let port = devicePath;
  for (let level = 0; level < MAX_PORTS && vendor !== null; level++) {
    const above = dirname(port);
    if (slotOfFolder(above) === null || isOnRootBus(above)) break;
    if (textOrNull(`${above}/vendor`) !== vendor) break;
    port = above;
  }
  return port;
}
