import type { Tick } from '../../src/model/tick.ts';
import { LARGE_MODEL, training } from '../../src/sources/simulator/loads/training.ts';
import { type MemoryPlan, steady } from '../../src/sources/simulator/memory-plan.ts';
import { gpuAt } from '../../src/sources/simulator/placement.ts';
import { alterGpus, type Family } from './family.ts';
import { steadily } from './loads.ts';
import { jobOf, only, quietHost, SLOT, scene } from './staging.ts';

const small: Family = {
  name: 'many small kernels',
  cause: 'launch-bound',
  minutes: [10, 30],
  gpus: [1, 8],
  build(draw) {
    const active = draw(0.1, 0.3);
    const alter = (tick: Tick): Tick =>
      alterGpus(quietHost(tick), (set) => set.setValue(SLOT.smActive, active * (set.number(SLOT.util) ?? 0)));
    return {
      scenario: scene(
        jobOf(
          steadily({ busy: draw(0.88, 0.99), density: draw(0.1, 0.22), traffic: draw(0.02, 0.12), jitter: 0.04 }),
          steady(draw(10, 40)),
        ),
      ),
      alter,
    };
  },
};

const thick: Family = {
  name: 'bound by memory bandwidth',
  cause: 'bandwidth-bound',
  visibleAt: ['full', 'driver', 'log'],
  minutes: [10, 30],
  gpus: [1, 8],
  build(draw) {
    const dram = draw(0.68, 0.9);
    const alter = (tick: Tick): Tick =>
      alterGpus(quietHost(tick), (set) => {
        set.setValue(SLOT.dram, dram);
        set.setValue(SLOT.tensor, 0.08);
        set.setValue(SLOT.smActive, 0.9);
      });
    return {
      scenario: scene(
        jobOf(
          steadily({ busy: draw(0.92, 0.99), density: draw(0.55, 0.8), traffic: draw(0.86, 0.97), jitter: 0.04 }),
          steady(draw(20, 60)),
        ),
      ),
      alter,
    };
  },
};

const full: Family = {
  name: 'memory nearly full',
  cause: 'memory-near-limit',
  minutes: [10, 30],
  gpus: [1, 8],
  build(draw) {
    const [level, swing] = [draw(76.5, 78), draw(0.6, 1)];
    const memory: MemoryPlan = (ageMs, stream) =>
      Math.floor((level + swing * Math.sin(ageMs / 19_000 + stream)) * 512) * 2 * 2 ** 20;
    return { scenario: scene(jobOf(training(LARGE_MODEL), memory)), alter: quietHost };
  },
};

const brake: Family = {
  name: 'power brake',
  cause: 'power-brake',
  alsoTrue: ['straggler'],
  visibleAt: ['full', 'driver'],
  minutes: [10, 30],
  gpus: [1, 8],
  build(draw) {
    const from = draw(60, 300);
    const alter = (tick: Tick, seconds: number): Tick =>
      alterGpus(
        quietHost(tick),
        (set, { device }) =>
          device.index === 0 && seconds > from && seconds < from + 60 && set.setValue(SLOT.reasons, 0x88),
      );
    return { scenario: scene(jobOf(training(LARGE_MODEL), steady(60, 1))), alter };
  },
};

const link: Family = {
  name: 'slow PCIe link',
  cause: 'pcie-degraded',
  visibleAt: ['full', 'driver'],
  minutes: [10, 30],
  gpus: [1, 8],
  build: (draw) => ({
    scenario: scene(jobOf(training(LARGE_MODEL), steady(60, 1))),
    alter: only(0, (set) => set.setValue(SLOT.generation, Math.floor(draw(1, 4)))),
  }),
};

const rival: Family = {
  name: 'somebody else on the GPU',
  cause: 'foreign-process',
  alsoTrue: ['memory-near-limit'],
  visibleAt: ['full', 'driver'],
  minutes: [15, 30],
  gpus: [1, 4],
  build: (draw) => ({
    scenario: scene(
      jobOf(steadily({ busy: draw(0.55, 0.75), density: 0.7, traffic: 0.3 }), steady(40)),
      jobOf(steadily({ busy: 0.3, density: 0.7, traffic: 0.3 }), steady(draw(30, 36)), gpuAt(0), {
        user: 'wang',
        process: 'python3',
        life: (timeMs, incident, life) =>
          Object.assign(life, { alive: timeMs >= incident, ageMs: Math.max(0, timeMs - incident), generation: 0 }),
      }),
    ),
    alter: quietHost,
    incident: draw(0.3, 0.6),
  }),
};

/** Situations in which something is wrong with a device or with what runs on it. */
export const DEVICE_CAUSES: readonly Family[] = [small, thick, full, brake, link, rival];
