/** Which GPUs of a machine something concerns: true for an index out of `count`. */
export type Placement = (index: number, count: number) => boolean;

export const everyGpu: Placement = () => true;

/** The GPU with this index, or the last one of a smaller machine. */
export function gpuAt(wanted: number): Placement {
  return (index, count) => index === Math.min(wanted, count - 1);
}

/** All GPUs that another placement leaves. */
export function allBut(other: Placement): Placement {
  return (index, count) => !other(index, count);
}

/** The first half, rounded up. */
export const firstHalf: Placement = (index, count) => index < Math.ceil(count / 2);
