import type { Viewer } from './ports.ts';

/** What may be done to the sampling while it runs. */
export interface Controls {
  /**
   * Lets go of every device, so that it can be reset, reconfigured or its driver unloaded, and takes them up again after
   * `forMs` milliseconds. Resolves once nothing is held. Throws NOTHING_TO_RELEASE where no device of this machine is sampled.
   */
  release(viewer: Viewer, forMs: number): Promise<void>;
  /** Takes the devices up again now. Harmless where they have not been released. */
  resume(viewer: Viewer): Promise<void>;
}
