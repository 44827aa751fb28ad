import { readdirSync } from 'node:fs';

const FOLDER = '/proc/driver/nvidia/gpus';

/** Places of the GPUs that the driver of this machine has in the kernel; empty where it cannot be told. */
export function kernelGpus(folder = FOLDER): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
