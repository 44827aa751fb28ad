import type { Device } from '../../model/device.ts';

/** Form of a bus id in which two spellings of one place are equal: function and leading zeros of the domain left out. */
export function placeOf(busId: string): string {
  const [, domain = '', rest = ''] = /^(?:([0-9a-f]+):)?([0-9a-f]{2}:[0-9a-f]{2})(?:\.\d)?$/i.exec(busId.trim()) ?? [];
  return rest === '' ? busId.toLowerCase() : `${Number.parseInt(domain || '0', 16).toString(16)}:${rest.toLowerCase()}`;
}

/**
 * The device at a place: the card itself or, where only its MIG instances are listed, the one of the GPU instance. Null
 * where none is, and where it would have to be guessed which.
 */
export function deviceAt(devices: readonly Device[], busId: string, gpuInstance: number | null): Device | null {
  const place = placeOf(busId);
  const here = devices.filter(({ pciBusId }) => pciBusId !== null && placeOf(pciBusId) === place);
  const cards = here.filter(({ mig }) => mig === undefined);
  if (cards.length > 0) return cards[0]!;
  const instances = here.filter(({ mig }) => gpuInstance === null || mig?.gpuInstance === gpuInstance);
  return instances.length === 1 ? instances[0]! : null;
}
