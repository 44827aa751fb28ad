import type { Device } from '../model/device.ts';

const VISIBLE = 'CUDA_VISIBLE_DEVICES';

/** Names no GPU, so that CUDA finds none: what a failed wait leaves in a shell. For whoever waits next it is no limit. */
const NONE = 'none';

/** The variables by which a command that was to get GPUs, and got none, finds none. */
export const NO_DEVICES: Readonly<Record<string, string>> = { [VISIBLE]: NONE };

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The variables by which a command is held to some GPUs. `all` are all devices of the machine: AMD and Intel number their
 * own cards by their place on the bus.
 */
export function visibleDevices(chosen: readonly Device[], all: readonly Device[]): Readonly<Record<string, string>> {
  const [first] = chosen;
  if (first === undefined) return {};
  const positions = chosen.map((device) => positionAmong(device, all)).join(',');
  switch (first.vendor) {
    case 'amd':
      // HIP counts among what ROCR leaves.
      return { ROCR_VISIBLE_DEVICES: positions, HIP_VISIBLE_DEVICES: chosen.map((_, i) => i).join(',') };
    case 'intel':
      return { ZE_ENABLE_PCI_ID_DEVICE_ORDER: '1', ZE_AFFINITY_MASK: positions };
    default: {
      const names = chosen.map((device) => (device.uuidIsDerived === true ? positionAmong(device, all) : device.uuid));
      return { CUDA_DEVICE_ORDER: 'PCI_BUS_ID', CUDA_VISIBLE_DEVICES: names.join(',') };
    }
  }
}

/** Position among the cards of the same vendor, in the order of the bus. */
function positionAmong({ uuid, vendor }: Device, all: readonly Device[]): number {
  return all
    .filter((other) => other.vendor === vendor && other.mig === undefined)
    .toSorted((a, b) => (a.pciBusId ?? '').localeCompare(b.pciBusId ?? '') || a.index - b.index)
    .findIndex((other) => other.uuid === uuid);
}

/**
 * The devices to which an environment already holds a command, or null where it does not. `ambiguous` where its numbers
 * could mean other cards than they say: CUDA counts the fastest first unless it is told to count by bus.
 */
export function alreadyVisible(env: Environment, all: readonly Device[]): readonly Device[] | 'ambiguous' | null {
  const list = env[VISIBLE];
  if (list === undefined || list === NONE) return null;
  const cards = all.filter(({ vendor, mig }) => vendor === 'nvidia' && mig === undefined);
  const inOrder = cards.toSorted((a, b) => (a.pciBusId ?? '').localeCompare(b.pciBusId ?? '') || a.index - b.index);
  // A lost card that nobody has identified has no name of its own, and is no reason to pass over the limit.
  const names = new Set(cards.filter(({ uuidIsDerived }) => uuidIsDerived !== true).map(({ name }) => name));
  const isByBus = env['CUDA_DEVICE_ORDER'] === 'PCI_BUS_ID' || names.size <= 1;
  const found: Device[] = [];
  for (const word of list.split(',').map((part) => part.trim())) {
    // CUDA ignores what follows the first word that names no GPU.
    if (/^\d+$/.test(word) && !isByBus) return 'ambiguous';
    const device = /^\d+$/.test(word)
      ? inOrder[Number(word)]
      : all.find(({ uuid }) => /^(GPU|MIG)-/.test(word) && uuid.startsWith(word));
    if (device === undefined) break;
    found.push(device);
  }
  return found;
}
