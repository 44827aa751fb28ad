import type { Vendor } from '../../model/device.ts';

const NAMES: readonly { readonly vendor: Vendor; readonly pattern: RegExp }[] = [
  { vendor: 'nvidia', pattern: /nvidia|geforce|quadro|tesla|titan|jetson|\b[rg]tx\b|\bgrid\b/i },
  { vendor: 'amd', pattern: /\bamd\b|radeon|instinct|firepro|\bati\b|\bgfx\d|\bvega\b|\bnavi\b|\bmi\d{2,3}[axl]?\b/i },
  { vendor: 'intel', pattern: /\bintel\b|\barc\b|\biris\b|\buhd\b|battlemage|alchemist|ponte vecchio/i },
  { vendor: 'huawei', pattern: /ascend|huawei/i },
];

/** Who makes a device of this name, as far as the name tells. */
export function vendorOf(name: string): Vendor {
  return NAMES.find(({ pattern }) => pattern.test(name))?.vendor ?? 'unknown';
}
