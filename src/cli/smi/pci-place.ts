import { readFileSync } from 'node:fs';

/** What the kernel tells about the place of a device on the PCI bus; null for each that it does not. */
export interface PciPlace {
  /** Device, then vendor: `0x233010DE`. */
  readonly deviceId: string | null;
  readonly subsystemId: string | null;
  readonly baseClass: string | null;
  readonly subClass: string | null;
  /** `0-19,40-59` */
  readonly cpus: string | null;
  readonly memoryNode: string | null;
}

/** Reads the place of a device by its bus id, below `sys`; null where the kernel does not know it. */
export function readPciPlace(busId: string | null, sys = '/sys'): PciPlace | null {
  const [, domain = '', rest = ''] =
    /^(?:0000)?([\da-f]{4}):([\da-f]{2}:[\da-f]{2}\.[\da-f])$/i.exec(busId ?? '') ?? [];
  if (rest === '') return null;
  const folder = `${sys}/bus/pci/devices/${domain.toLowerCase()}:${rest.toLowerCase()}`;
  const [device, vendor] = [word(folder, 'device'), word(folder, 'vendor')];
  if (device === null || vendor === null) return null;
  const [subsystem, maker] = [word(folder, 'subsystem_device'), word(folder, 'subsystem_vendor')];
  const kind = Number(text(folder, 'class') ?? Number.NaN);
  const node = text(folder, 'numa_node');
  return {
    deviceId: `0x${device}${vendor}`,
    subsystemId: subsystem === null || maker === null ? null : `0x${subsystem}${maker}`,
    baseClass: Number.isInteger(kind) ? hexadecimal(kind >> 16) : null,
    subClass: Number.isInteger(kind) ? hexadecimal((kind >> 8) & 0xff) : null,
    cpus: text(folder, 'local_cpulist') || null,
    // The kernel says -1 on a machine with one node.
    memoryNode: node === null || Number(node) < 0 ? null : node,
  };
}

function hexadecimal(value: number): string {
  return `0x${value.toString(16).toUpperCase()}`;
}

/** Four digits of a file that holds `0x2330`. */
function word(folder: string, file: string): string | null {
  return /^0x([\da-f]{4})$/i.exec(text(folder, file) ?? '')?.[1]?.toUpperCase() ?? null;
}

function text(folder: string, file: string): string | null {
  try {
    return readFileSync(`${folder}/${file}`, 'utf8').trim();
  } catch {
    return null;
  }
}
