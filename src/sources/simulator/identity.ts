import type { Device } from '../../model/device.ts';
import type { DeviceModel } from './device-model.ts';
import { hash32 } from './random.ts';

/** Bus numbers of the eight GPUs of one board; further boards sit in PCI domains of their own. */
const BUSES = ['19', '3B', '4C', '5D', '9B', 'BB', 'CB', 'DB'];

/** A device that is the same for the same seed and index. Its UUID starts with `GPU-51700000`. */
export function simulatedDevice(model: DeviceModel, seed: number, index: number): Device {
  const high = hex(hash32(seed, 2 * index + 1), 8);
  const low = hex(hash32(~seed, 2 * index + 2), 8);
  const domain = hex(Math.floor(index / BUSES.length), 8).toUpperCase();
  return {
    uuid: `GPU-51700000-${high.slice(0, 4)}-4${high.slice(4, 7)}-8${low.slice(0, 3)}-${low.slice(3)}${hex(index, 7)}`,
    vendor: 'nvidia',
    name: model.name,
    index,
    pciBusId: `${domain}:${BUSES[index % BUSES.length]}:00.0`,
    minor: index,
    serial: String(1_650_000_000_000 + (hash32(seed, index) % 1e9)),
    driverVersion: '590.48.01',
  };
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
