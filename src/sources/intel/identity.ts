import type { Card } from '../drm/cards.ts';
import type { Identity, Site } from '../drm/gpu-reader.ts';
import { longBusId } from '../drm/pci.ts';
import { pciProduct } from '../drm/product-names.ts';
import { textOrNull } from '../drm/read-file.ts';

const VENDOR_ID = '8086';

/** Who a card is. The drivers tell no serial number and no UUID: its place on the bus stands for both. */
export function identifyCard({ slot, name, deviceId, driver }: Card, { root, sys, proc }: Site): Identity {
  const pciBusId = slot === null ? null : longBusId(slot);
  return {
    uuid: pciBusId === null ? `GPU-${name}` : `GPU-pci-${pciBusId}`,
    uuidIsDerived: true,
    vendor: 'intel',
    name: deviceId === null ? 'Intel GPU' : nameOf(root, deviceId),
    pciBusId,
    minor: null,
    serial: null,
    driverVersion:
      textOrNull(`${sys}/module/${driver ?? 'i915'}/version`) ?? textOrNull(`${proc}/sys/kernel/osrelease`),
  };
}

function nameOf(root: string, deviceId: string): string {
  const product = pciProduct(root, VENDOR_ID, deviceId);
  return product === null ? `Intel GPU ${VENDOR_ID}:${deviceId}` : `Intel ${product}`;
}
