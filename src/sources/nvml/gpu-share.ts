import type { Device } from '../../model/device.ts';
import type { GpuRef, Share } from './protocol.ts';

/** Whether a device belongs to a share. A MIG instance belongs where its card does. */
export function holds(share: Share, { index, uuid: own, mig }: Device): boolean {
  if (isWhole(share)) return true;
  const uuid = mig?.parent ?? own;
  return isIn(share, (gpu) => (gpu.uuid === null ? gpu.index === index : gpu.uuid === uuid));
}

/** Whether a GPU that nobody has asked yet is to be opened, by its index: asking it who it is may be just what hangs. */
export function mayHold(share: Share, index: number): boolean {
  return isIn(share, (gpu) => gpu.index === index);
}

/** True where it leaves out no GPU, so that what the driver counts is what there is to see. */
export function isWhole({ kind, gpus }: Share): boolean {
  return kind === 'all-but' && gpus.length === 0;
}

function isIn({ kind, gpus }: Share, isIt: (gpu: GpuRef) => boolean): boolean {
  return gpus.some(isIt) === (kind === 'only');
}

/** The share without some GPUs. */
export function shareWithout({ kind, gpus }: Share, taken: readonly GpuRef[]): Share {
  const others = gpus.filter((gpu) => !taken.some((other) => isSame(gpu, other)));
  return { kind, gpus: kind === 'only' ? others : [...others, ...taken] };
}

/** The share with some GPUs that it had left out. */
export function shareWith({ kind, gpus }: Share, added: readonly GpuRef[]): Share {
  const others = gpus.filter((gpu) => !added.some((other) => isSame(gpu, other)));
  return { kind, gpus: kind === 'only' ? [...others, ...added] : others };
}

function isSame(a: GpuRef, b: GpuRef): boolean {
  return a.uuid === null || b.uuid === null ? a.index === b.index : a.uuid === b.uuid;
}
