import { slotOf } from '../../src/model/catalogue.ts';
import type { ReadingSet } from '../../src/model/reading-set.ts';
import type { DeviceSample, Tick } from '../../src/model/tick.ts';
import type { Load } from '../../src/sources/simulator/demand.ts';
import { always } from '../../src/sources/simulator/lifetime.ts';
import type { MemoryPlan } from '../../src/sources/simulator/memory-plan.ts';
import { everyGpu, type Placement } from '../../src/sources/simulator/placement.ts';
import type { Job, Scenario } from '../../src/sources/simulator/scenario.ts';
import { alterGpus, withHost } from './family.ts';

export const MINUTE = 60_000;
export const SLOT = {
  util: slotOf('utilization_ratio'),
  clock: slotOf('sm_clock_hertz'),
  graphicsClock: slotOf('graphics_clock_hertz'),
  power: slotOf('power_watts'),
  reasons: slotOf('clock_event_reasons'),
  generation: slotOf('pcie_link_generation'),
  smActive: slotOf('sm_active_ratio'),
  dram: slotOf('dram_active_ratio'),
  tensor: slotOf('tensor_active_ratio'),
};

/** A job that runs all the time unless told otherwise. */
export function jobOf(load: Load, memory: MemoryPlan, gpus: Placement = everyGpu, more: Partial<Job> = {}): Job {
  return { user: 'lin', process: 'python', gpus, load, memory, life: always, ...more };
}

/** A life that begins at a time, in milliseconds, and does not end. */
export function from(begins: number): Job['life'] {
  return (timeMs, _incident, life) =>
    Object.assign(life, { alive: timeMs >= begins, ageMs: Math.max(0, timeMs - Math.max(0, begins)), generation: 0 });
}

export function scene(...jobs: readonly Job[]): Scenario {
  return { name: 'evaluation', summary: { en: '', zh: '' }, jobs };
}

/** Mean utilisation of all GPUs. */
export function meanUtil({ devices }: Tick): number {
  let sum = 0;
  for (const { readings } of devices) sum += readings.number(SLOT.util) ?? 0;
  return devices.length === 0 ? 0 : sum / devices.length;
}

/** Loaders work while the GPUs wait. */
export function busyLoaders(tick: Tick): Tick {
  return withHost(tick, 0.98 - 0.12 * meanUtil(tick), 0.03, 2e6);
}

/** A host with nothing to do. */
export function quietHost(tick: Tick): Tick {
  return withHost(tick, 0.2 + 0.1 * meanUtil(tick), 0.01, 3e6);
}

/** Changes one GPU only. */
export function only(index: number, change: (set: ReadingSet, sample: DeviceSample) => void) {
  return (tick: Tick): Tick =>
    alterGpus(quietHost(tick), (set, sample) => sample.device.index === index && change(set, sample));
}
