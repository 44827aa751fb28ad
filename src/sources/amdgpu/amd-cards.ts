import type { Card } from '../drm/cards.ts';

export const AMD_VENDOR_ID = '0x1002';

/** The platform driver of the cards that stand for partitions. */
const PARTITION_DRIVER = 'amdgpu_xcp';

/** True for a card of AMD, and for a partition of one, which is not a PCI device itself. */
export function claimsAmd(card: Card): boolean {
  return card.vendorId === AMD_VENDOR_ID || isPartition(card);
}

export function isPartition({ vendorId, driver, devicePath }: Card): boolean {
  if (vendorId !== null) return false;
  return driver?.startsWith(PARTITION_DRIVER) === true || devicePath.includes(`/${PARTITION_DRIVER}`);
}
