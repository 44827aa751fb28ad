import type { Notice } from './ports.ts';
import type { DeviceSample } from './tick.ts';

/** Tells whom the processes of this host work for. */
export interface OwnerLookup {
  /**
   * Looks at the processes of these samples. Where some were never seen before, it resolves once they can be named, or
   * after a tenth of a second; otherwise it is null, and there is nothing to wait for.
   */
  prepare(samples: readonly DeviceSample[]): Promise<void> | null;
  /**
   * The sample with its processes named, their owners and the pods its device is allotted to, as far as they are known by
   * now: it waits for nothing. What nothing has changed in is the same object as at the last call.
   */
  complete(sample: DeviceSample): DeviceSample;
  /** What could be told if gpulse were run otherwise, as far as it matters to the processes seen. */
  lacks(): readonly Notice[];
  /** Resolves once no lookup is under way, or after `limitMs`: for a command that prints once. */
  settled(limitMs: number): Promise<void>;
  /** Ends what is under way. */
  close(): void;
}
