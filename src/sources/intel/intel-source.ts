import type { Probe } from '../../model/ports.ts';
import type { DrmSourceOptions } from '../drm/drm-source.ts';
import { type ProbeFacts, probeDrm } from '../drm/probe.ts';
import { claimsIntel, INTEL_VENDOR_ID } from './intel-cards.ts';

const FACTS: ProbeFacts = {
  name: 'intel',
  vendor: 'Intel',
  vendorId: INTEL_VENDOR_ID,
  module: 'xe',
  classes: /^0x03/,
  // A source file while gpulse runs from source, else the bundle beside this one.
  file: new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './intel-worker.js', import.meta.url),
  claims: claimsIntel,
};

/** Opens the Intel GPUs of this machine by what the kernel drivers i915 and xe tell in sysfs and procfs. */
export function openIntel(options: DrmSourceOptions): Promise<Probe> {
  return probeDrm(FACTS, options);
}
