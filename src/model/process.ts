import type { Owner } from './owner.ts';
import type { Millis, Reading } from './reading.ts';

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
  /** Share of the device's multiprocessors it used; missing where the source does not ask. */
  readonly smRatio?: Reading;
  /** Share of time in which it kept the memory controller busy. */
  readonly memoryRatio?: Reading;
  readonly encoderRatio?: Reading;
  readonly decoderRatio?: Reading;
  /** Share of one CPU core it used, so above 1 for a process on several; missing where nobody looked. */
  readonly cpuRatio?: Reading;
  /** Resident memory on the host. */
  readonly hostMemoryBytes?: Reading;
  /** When it was started; null where it cannot be looked up. */
  readonly startedAt?: Millis | null;
  /** Whole command line. It may hold secrets: only its owner and the administrator may see it. */
  readonly command?: string | null;
  readonly owner?: Owner | null;
}
