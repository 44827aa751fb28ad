import { LARGE_MODEL, training } from '../../src/sources/simulator/loads/training.ts';
import { steady } from '../../src/sources/simulator/memory-plan.ts';
import { allBut, everyGpu, gpuAt } from '../../src/sources/simulator/placement.ts';
import { alterGpus, type Family, withHost } from './family.ts';
import { inTurns, steadily } from './loads.ts';
import { from, jobOf, MINUTE, meanUtil, quietHost, SLOT, scene } from './staging.ts';

/** The model is large, and the optimiser steps on the CPU while the GPU waits. */
const offloaded: Family = {
  name: 'optimiser on the CPU',
  cause: null,
  alsoTrue: ['low-utilization'],
  looksLike: ['data-starvation'],
  minutes: [12, 30],
  gpus: [1, 8],
  build(draw) {
    const wait = steadily({ busy: 0.02, density: 0.3, traffic: 0.3, jitter: 0.02, rx: 3e9, tx: draw(2e9, 6e9) });
    const work = steadily({ busy: draw(0.9, 0.98), density: 0.85, traffic: 0.4 });
    return {
      scenario: scene(
        jobOf(inTurns(work, wait, draw(5_000, 25_000), draw(0.5, 0.7), 0.02), steady(draw(58, 74)), everyGpu),
      ),
      alter: (tick) => withHost(tick, meanUtil(tick) < 0.2 ? 0.9 : 0.2, 0.01, 2e6),
    };
  },
};

/** One core of many plays an environment and asks the GPU for small answers, then it learns from that. */
const environment: Family = {
  name: 'steps of a simulated environment',
  cause: null,
  alsoTrue: ['low-utilization'],
  looksLike: ['data-starvation'],
  minutes: [12, 30],
  gpus: [1, 2],
  build(draw) {
    const ask = steadily({ busy: draw(0.08, 0.12), density: 0.3, traffic: 0.1, jitter: 0.04 });
    const learn = steadily({ busy: draw(0.8, 0.95), density: 0.6, traffic: 0.3 });
    return {
      scenario: scene(jobOf(inTurns(learn, ask, draw(6_000, 30_000), draw(0.3, 0.6), 0.05), steady(draw(4, 40)))),
      alter: quietHost,
    };
  },
};

/** One user has a full GPU, another the rest, little busy: no log without processes can tell that from one uneven job. */
const neighbours: Family = {
  name: 'a full and a light job of two users',
  cause: null,
  alsoTrue: ['data-starvation', 'low-utilization'],
  looksLike: ['imbalance'],
  minutes: [15, 30],
  gpus: [2, 8],
  build(draw) {
    const light = inTurns(
      steadily({ busy: draw(0.3, 0.9), density: 0.6, traffic: 0.3 }),
      steadily({ busy: 0.02, density: 0.3, traffic: 0.1 }),
      draw(3_000, 9_000),
      draw(0.1, 0.35),
    );
    const begins = draw(-2, 4) * MINUTE;
    return {
      scenario: scene(
        jobOf(training(LARGE_MODEL), steady(draw(50, 72)), gpuAt(0)),
        jobOf(light, steady(draw(10, 60)), allBut(gpuAt(0)), {
          user: 'wang',
          process: 'python3',
          life: from(begins),
        }),
      ),
      alter: quietHost,
    };
  },
};

/** Clocks that stay low, for whatever reason: kernels fill all of the time, and draw little. */
const slowed: Family = {
  name: 'clocks that stay low',
  cause: null,
  looksLike: ['power-cap', 'launch-bound', 'collective-hang'],
  minutes: [12, 30],
  gpus: [1, 8],
  build(draw) {
    const pace = draw(0.15, 0.35);
    return {
      scenario: scene(jobOf(steadily({ busy: 1, density: draw(0.12, 0.25), traffic: 0.2, jitter: 0.01 }), steady(40))),
      alter: (tick) =>
        alterGpus(quietHost(tick), (set) => {
          for (const slot of [SLOT.clock, SLOT.graphicsClock])
            set.setValue(slot, Math.floor((pace * 1980e6) / 15e6) * 15e6);
          set.setValue(SLOT.reasons, 0);
          set.setValue(SLOT.smActive, 0.92);
        }),
    };
  },
};

/** Situations that a cause looks like where the data is poor: there it may be called possible, and nothing more. */
export const LOOK_ALIKES: readonly Family[] = [offloaded, environment, neighbours, slowed];
