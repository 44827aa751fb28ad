import type { Card } from '../drm/cards.ts';

export const INTEL_VENDOR_ID = '0x8086';

export function claimsIntel({ vendorId }: Card): boolean {
  return vendorId === INTEL_VENDOR_ID;
}
