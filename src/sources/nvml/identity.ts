import type { Device } from '../../model/device.ts';
import { CODE, PCI, TEXT_SIZE } from './abi.ts';
import { readFacts, readText } from './facts.ts';
import { type KernelGpu, longBusId } from './kernel-view.ts';
import type { Handle, Nvml } from './nvml.ts';
import { symbol } from './symbols.ts';

const NAME = symbol('nvmlDeviceGetName');
const UUID = symbol('nvmlDeviceGetUUID');
const SERIAL = symbol('nvmlDeviceGetSerial');
const MINOR = symbol('nvmlDeviceGetMinorNumber');
const PCI_V3 = symbol('nvmlDeviceGetPciInfo_v3');
/** They end before the long form of the id; the short one in front is the same in all. */
const OLDER_PCI = [symbol('nvmlDeviceGetPciInfo_v2'), symbol('nvmlDeviceGetPciInfo')] as const;
const DRIVER_VERSION = symbol('nvmlSystemGetDriverVersion');

/** Linux has twenty bits for it. */
const MAX_MINOR = 2 ** 20 - 1;

/** Where neither library nor kernel knows a name. */
const NAMELESS = 'NVIDIA GPU';

export function readDriverVersion(nvml: Nvml): string | null {
  const size = TEXT_SIZE.driverVersion;
  return nvml.call(DRIVER_VERSION, nvml.out, size) === CODE.ok ? nvml.text(0, size) : null;
}

/** Reads who a GPU is. What cannot be read is null, or derived from the rest. */
export function identify(nvml: Nvml, handle: Handle, index: number, driverVersion: string | null): Device {
  const uuid = readText(nvml, UUID, handle, TEXT_SIZE.uuid);
  const pciBusId = readBusId(nvml, handle);
  const hasMinor = nvml.call(MINOR, handle, nvml.out) === CODE.ok;
  const minor = hasMinor && nvml.out[0]! <= MAX_MINOR ? nvml.out[0]! : null;
  return {
    ...keyOf(uuid, pciBusId, index),
    vendor: 'nvidia',
    name: readText(nvml, NAME, handle, TEXT_SIZE.name) ?? NAMELESS,
    index,
    pciBusId,
    minor,
    serial: readText(nvml, SERIAL, handle, TEXT_SIZE.serial),
    driverVersion,
    // A GPU that does not even tell who it is tells nothing else.
    ...(uuid === null && pciBusId === null ? {} : { facts: readFacts(nvml, handle) }),
  };
}

/** A GPU that is listed and cannot be opened, as far as the kernel knows it. */
export function unopened(index: number, seen: KernelGpu | null, driverVersion: string | null): Device {
  return {
    ...keyOf(seen?.uuid ?? null, seen?.pciBusId ?? null, index),
    vendor: 'nvidia',
    name: seen?.name ?? NAMELESS,
    index,
    pciBusId: seen?.pciBusId ?? null,
    minor: seen?.minor ?? null,
    serial: null,
    driverVersion,
  };
}

function keyOf(uuid: string | null, pciBusId: string | null, index: number): Pick<Device, 'uuid' | 'uuidIsDerived'> {
  if (uuid !== null) return { uuid };
  return { uuid: pciBusId === null ? `GPU-index-${index}` : `GPU-pci-${pciBusId}`, uuidIsDerived: true };
}

function readBusId(nvml: Nvml, handle: Handle): string | null {
  if (nvml.call(PCI_V3, handle, nvml.out) === CODE.ok) {
    const busId = nvml.text(PCI.busId, PCI.busIdSize) || nvml.text(PCI.legacyBusId, PCI.legacyBusIdSize);
    if (busId !== '') return longBusId(busId);
  }
  for (const call of OLDER_PCI) {
    if (nvml.call(call, handle, nvml.out) !== CODE.ok) continue;
    const busId = nvml.text(PCI.legacyBusId, PCI.legacyBusIdSize);
    if (busId !== '') return longBusId(busId);
  }
  return null;
}
