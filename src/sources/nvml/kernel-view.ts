import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the kernel driver tells about a GPU, even one that the library cannot open. */
export interface KernelGpu {
  /** `00000000:65:00.0`, as the library prints it. */
  readonly pciBusId: string;
  /** Null while the kernel does not know it, which it then prints with question marks. */
  readonly uuid: string | null;
  readonly name: string | null;
  readonly minor: number | null;
}

/**
 * The GPUs in a folder like `/proc/driver/nvidia/gpus`, in PCI order, which is the order of the library's indexes. Empty
 * where the kernel tells nothing.
 */
export function readKernelGpus(folder: string): readonly KernelGpu[] {
  try {
    return readdirSync(folder)
      .sort()
      .map((bus) => parse(bus, readFileSync(join(folder, bus, 'information'), 'utf8')));
  } catch {
    return [];
  }
}

function parse(bus: string, text: string): KernelGpu {
  const facts = new Map(
    text.split('\n').map((line): [string, string] => {
      const [name = '', ...rest] = line.split(':');
      return [name.trim(), rest.join(':').trim()];
    }),
  );
  const uuid = facts.get('GPU UUID') ?? '';
  const minor = Number.parseInt(facts.get('Device Minor') ?? '', 10);
  return {
    pciBusId: longBusId(bus),
    uuid: /^GPU-[0-9a-f-]+$/i.test(uuid) ? uuid : null,
    name: facts.get('Model') || null,
    minor: Number.isNaN(minor) ? null : minor,
  };
}

/** The form with an eight-digit domain in capitals, out of any form the kernel or an older library uses. */
export function longBusId(bus: string): string {
  const [domain = '', ...rest] = bus.toUpperCase().split(':');
  return [domain.padStart(8, '0'), ...rest].join(':');
}
