import type { Device } from '../model/device.ts';

/** Which GPUs are wanted, and what counts as free. */
export interface GpuRequest {
  readonly gpus: number;
  /** Memory that has to be free: bytes, or a share of the card, each from 0 on, a share up to 1. */
  readonly freeMemory: { readonly bytes: number } | { readonly ratio: number };
  /** Milliseconds for which a GPU must have been idle without a break. */
  readonly idleMs: number;
  /** Utilisation up to which a GPU counts as idle, 0–1. */
  readonly idleRatio: number;
  /** True to share a GPU with processes that do nothing. */
  readonly isShared: boolean;
  readonly wanted: (device: Device) => boolean;
}

/** Bytes that have to be free on a card of this size. */
export function neededBytes({ freeMemory }: GpuRequest, totalBytes: number): number {
  return 'bytes' in freeMemory ? freeMemory.bytes : freeMemory.ratio * totalBytes;
}
