/**
 * What the worker tells of one process, as numbers in one array. Memory and the four shares are values, or minus the code
 * of the reason why there is none. Instances are -1 for a process that runs on the card as a whole.
 */
export const RECORD = {
  /** Position of the GPU. */
  gpu: 0,
  pid: 1,
  /** A bit set of {@link COMPUTE} and {@link GRAPHICS}. */
  kind: 2,
  memory: 3,
  /** From here on shares of the device: SM, memory controller, encoder, decoder. */
  sm: 4,
  memoryUse: 5,
  encoder: 6,
  decoder: 7,
  gpuInstance: 8,
  computeInstance: 9,
} as const;

export const RECORD_SIZE = 10;

/** Clients of MPS compute. */
export const COMPUTE = 1;
export const GRAPHICS = 2;

/**
 * Set in the code of a process list that could be read in part: the reason in the other bits is then why more could not
 * be. Without it, a code above 0 means that there is no list.
 */
export const PARTIAL = 0x80;
