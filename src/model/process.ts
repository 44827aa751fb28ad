import type { Reading } from './reading.ts';

/** Which kind of work the driver lists the process under. */
export type ProcessKind = 'compute' | 'graphics' | 'compute+graphics';

/** One process on one device: the same pid on two devices is two entries. */
export interface GpuProcess {
  /** Pid in the host's namespace, as the driver gives it. */
  readonly pid: number;
  readonly kind: ProcessKind;
  readonly memoryBytes: Reading;
  /** Short command name, or null where the process cannot be looked up (gone, or in another pid namespace). */
  readonly name: string | null;
  /** Login name of the owner, or null where it cannot be looked up. */
  readonly user: string | null;
}
