import type { MetricId } from '../../model/catalogue.ts';
import { Gpm } from './gpm.ts';
import type { GpmLock } from './gpm-lock.ts';
import type { Gpu } from './gpu.ts';
import type { Nvml } from './nvml.ts';
import type { MetricFacts } from './plan.ts';
import { SAMPLED_METRICS } from './sample-buffer-list.ts';
import { SampleBuffers } from './sample-buffers.ts';

/** What says more of a GPU than the reading of one moment: extremes within the tick, and how much of the chip works. */
export class Activity {
  readonly gpm: Gpm;
  /** Null where nobody will look at what comes of them. */
  readonly #buffers: SampleBuffers | null;

  constructor(facts: MetricFacts, lock: GpmLock, only: readonly MetricId[] | null = null) {
    this.gpm = new Gpm(facts, lock);
    this.#buffers = only === null || SAMPLED_METRICS.some((id) => only.includes(id)) ? new SampleBuffers(facts) : null;
  }

  /** Once per tick and open GPU, after its field values: only then is it known who counts traffic. */
  read(nvml: Nvml, gpu: Gpu): void {
    this.#buffers?.read(nvml, gpu, performance.now());
    this.gpm.read(nvml, gpu);
  }

  /** Before the library is shut down. */
  release(nvml: Nvml): void {
    this.gpm.release(nvml);
  }
}
