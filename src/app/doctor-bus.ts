import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { DiagnosedDevice } from '../sources/nvml/diagnosis.ts';
import { type Check, said } from './doctor-check.ts';

/** An NVIDIA GPU as the PCI bus shows it. */
interface BusCard {
  /** `0000:3b:00.0`. */
  readonly slot: string;
  /** Kernel driver that has it; null for none. */
  readonly driver: string | null;
  /** False where its configuration reads as all ones: it hangs on the bus, or fell off it. */
  readonly answers: boolean;
}

const NVIDIA = '0x10de';
/** Display controllers: VGA and 3D. Audio and USB functions of a card are in other classes. */
const GPU_CLASS = /^0x03/;
/** Drivers that take a card for a virtual machine. */
const PASSED_THROUGH = ['vfio-pci', 'pci-stub', 'xen-pciback'];

/**
 * Compares the bus with what NVIDIA's driver lists: a card that is there and not listed has failed or belongs to somebody
 * else, and one that is listed and no longer there was taken off the bus. A driver that answers nothing lists nothing, which
 * says nothing of the cards.
 */
export function examineBus(devices: readonly DiagnosedDevice[], isContainer: boolean, root: string): Check[] {
  const cards = readBus(root);
  const nvidia = devices.filter(({ device }) => device.vendor === 'nvidia' && device.mig === undefined);
  const listed = new Set(nvidia.map(({ device }) => slotOf(device.pciBusId)));
  const unlisted = cards.filter(({ slot }) => !listed.has(slot));
  // A card that cannot be opened is listed without its place, and has a line of its own.
  const nowhere = nvidia.filter(({ device }) => slotOf(device.pciBusId) === null).length;
  const isExplained = nvidia.length === 0 || unlisted.filter(isOfTheDriver).length <= nowhere;
  const missing = unlisted.filter((card) => !isExplained || !isOfTheDriver(card));
  const places = new Set(cards.map(({ slot }) => slot));
  const gone = nvidia.filter(({ device }) => !places.has(slotOf(device.pciBusId) ?? ''));
  return [
    ...missing.flatMap((card) => examineMissing(card, isContainer)),
    // Where the bus shows none at all it is hidden, as in some containers, or is none, as under WSL.
    ...(cards.length === 0 ? [] : gone.flatMap(({ device }) => goneFrom(device.pciBusId, device.index))),
  ];
}

/** It answers, and NVIDIA's driver has it. */
function isOfTheDriver({ driver, answers }: BusCard): boolean {
  return answers && driver === 'nvidia';
}

function examineMissing({ slot, driver, answers }: BusCard, isContainer: boolean): Check[] {
  if (!answers) return [said('bus-dead', 'fault', 'doctor.bus-dead', { slot }, 'doctor.gpu-lost-remedy')];
  // A container is given some of the cards on purpose.
  if (isContainer) return [said('bus-elsewhere', 'ok', 'doctor.bus-elsewhere', { slot })];
  if (driver === null)
    return [said('bus-unbound', 'fault', 'doctor.bus-unbound', { slot }, 'doctor.bus-unbound-remedy')];
  if (PASSED_THROUGH.includes(driver)) return [said('bus-passed', 'ok', 'doctor.bus-passed', { slot, driver })];
  if (driver === 'nvidia') {
    return [said('bus-dropped', 'fault', 'doctor.bus-dropped', { slot }, 'doctor.bus-dropped-remedy')];
  }
  return [said('bus-other', 'warning', 'doctor.bus-other', { slot, driver }, 'doctor.bus-other-remedy')];
}

function goneFrom(busId: string | null, index: number): Check[] {
  const slot = slotOf(busId);
  return slot === null ? [] : [said('bus-gone', 'fault', 'doctor.bus-gone', { index, slot }, 'doctor.gpu-lost-remedy')];
}

function readBus(root: string): BusCard[] {
  const bus = join(root, '/sys/bus/pci/devices');
  let slots: string[];
  try {
    slots = readdirSync(bus).sort();
  } catch {
    return [];
  }
  return slots.flatMap((slot) => {
    const folder = join(bus, slot);
    if (text(join(folder, 'vendor'))?.toLowerCase() !== NVIDIA) return [];
    if (!GPU_CLASS.test(text(join(folder, 'class')) ?? '')) return [];
    return [{ slot: slot.toLowerCase(), driver: driverOf(folder), answers: answers(join(folder, 'config')) }];
  });
}

/** Every read of a device that is gone gives ones. */
function answers(config: string): boolean {
  try {
    return readFileSync(config)
      .subarray(0, 4)
      .some((byte) => byte !== 0xff);
  } catch {
    return true;
  }
}

function driverOf(folder: string): string | null {
  try {
    return basename(readlinkSync(join(folder, 'driver')));
  } catch {
    return null;
  }
}

function text(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}

/** `00000000:3B:00.0` of a driver as the kernel writes it. */
function slotOf(busId: string | null): string | null {
  const match = /^(?:0000)?([\da-f]{4}:[\da-f]{2}:[\da-f]{2}\.[\da-f])$/i.exec(busId ?? '');
  return match?.[1]?.toLowerCase() ?? null;
}
