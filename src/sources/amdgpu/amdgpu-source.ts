import type { Probe } from '../../model/ports.ts';
import type { DrmSourceOptions } from '../drm/drm-source.ts';
import { type ProbeFacts, probeDrm } from '../drm/probe.ts';
import { AMD_VENDOR_ID, claimsAmd } from './amd-cards.ts';

const FACTS: ProbeFacts = {
  name: 'amdgpu',
  vendor: 'AMD',
  vendorId: AMD_VENDOR_ID,
  module: 'amdgpu',
  classes: /^0x(03|12)/,
  // A source file while gpulse runs from source, else the bundle beside this one.
  file: new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './amdgpu-worker.js', import.meta.url),
  claims: claimsAmd,
};

/** Opens the AMD GPUs of this machine by what the kernel driver tells in sysfs; no library is needed. */
export function openAmdgpu(options: DrmSourceOptions): Promise<Probe> {
  return probeDrm(FACTS, options);
}
