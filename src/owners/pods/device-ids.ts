import type { Device } from '../../model/device.ts';

/** What an id that a device plugin gave to the kubelet stands for. */
export type DeviceKey =
  | { readonly kind: 'uuid'; readonly uuid: string }
  /** N of `/dev/nvidiaN`, whole or one GPU instance of it. */
  | { readonly kind: 'minor'; readonly minor: number; readonly gpuInstance: number | null }
  | { readonly kind: 'slice'; readonly parent: string; readonly gpuInstance: number; readonly computeInstance: number }
  | { readonly kind: 'bus'; readonly busId: string };

/**
 * Reads an id by its form, so that nobody has to say which of them a plugin uses:
 *
 * - `GPU-<uuid>` and `MIG-<uuid>`, with `::<n>` or `-<n>` behind it where a plugin hands out several shares of it
 * - `nvidia<n>`, `nvidia<n>/gi<k>`, with `/vgpu<n>` behind it where it is shared
 * - `MIG-GPU-<uuid>/<gi>/<ci>`, as drivers before R470 call a MIG instance
 * - a PCI bus id
 * - a name with one of the UUIDs in it
 */
export function parseDeviceId(id: string): DeviceKey {
  const base = id
    .trim()
    .replace(/::\d+$/, '')
    .replace(/\/vgpu\d+$/, '');
  const node = /^nvidia(\d{1,5})(?:\/gi(\d{1,3}))?$/.exec(base);
  if (node !== null) {
    return { kind: 'minor', minor: Number(node[1]), gpuInstance: node[2] === undefined ? null : Number(node[2]) };
  }
  const slice = /^MIG-(GPU-[\w-]+)\/(\d{1,3})\/(\d{1,3})$/i.exec(base);
  if (slice !== null) {
    const [, parent = '', gpuInstance, computeInstance] = slice;
    return {
      kind: 'slice',
      parent: lower(parent),
      gpuInstance: Number(gpuInstance),
      computeInstance: Number(computeInstance),
    };
  }
  const busId = normalBusId(base);
  if (busId !== null) return { kind: 'bus', busId };
  const uuid = /(?<![0-9a-z])(?:GPU|MIG)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f])/i.exec(base)?.[0];
  return { kind: 'uuid', uuid: lower(uuid ?? base) };
}

/** Whether an id that was read stands for this device. `card` is that of a MIG instance, where it is known. */
export function isDevice(key: DeviceKey, device: Device, card: Device | undefined): boolean {
  const { uuid, mig, pciBusId } = device;
  switch (key.kind) {
    case 'uuid':
      return lower(uuid) === key.uuid;
    case 'minor':
      if ((device.minor ?? card?.minor) !== key.minor || device.vendor !== 'nvidia') return false;
      return key.gpuInstance === null ? mig === undefined : mig?.gpuInstance === key.gpuInstance;
    case 'slice':
      return (
        mig !== undefined &&
        lower(mig.parent) === key.parent &&
        mig.gpuInstance === key.gpuInstance &&
        mig.computeInstance === key.computeInstance
      );
    case 'bus':
      return mig === undefined && pciBusId !== null && normalBusId(pciBusId) === key.busId;
  }
}

function lower(text: string): string {
  return text.toLowerCase();
}

/** `65:00.0` of any domain, without the zeros before the domain and in small letters; null for anything else. */
function normalBusId(text: string): string | null {
  const match = /^(?:([0-9a-f]{1,8}):)?([0-9a-f]{2}:[0-9a-f]{2}\.[0-7])$/i.exec(text);
  if (match === null) return null;
  return lower(`${(match[1] ?? '').replace(/^0+/, '')}:${match[2]}`);
}
