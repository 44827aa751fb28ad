import { slotOf } from '../../src/model/catalogue.ts';
import { LARGE_MODEL, SMALL_MODEL, training } from '../../src/sources/simulator/loads/training.ts';
import { type MemoryPlan, steady } from '../../src/sources/simulator/memory-plan.ts';
import { everyGpu, gpuAt } from '../../src/sources/simulator/placement.ts';
import { alterGpus, type Draw, type Family, type Staged, withHost } from './family.ts';
import { inBursts, inTurns, resting, steadily } from './loads.ts';
import { from, jobOf, scene } from './staging.ts';

const GIB = 2 ** 30;
const MINUTE = 60_000;
const UTIL = slotOf('utilization_ratio');
const GENERATION = slotOf('pcie_link_generation');
const MEMORY_BUSY = slotOf('memory_utilization_ratio');

function healthy(
  name: string,
  build: (draw: Draw) => Staged,
  minutes: readonly [number, number] = [12, 40],
  gpus: readonly [number, number] = [1, 8],
  alsoTrue: Family['alsoTrue'] = [],
): Family {
  return {
    name,
    cause: null,
    alsoTrue,
    minutes,
    gpus,
    build: (draw) => ({ alter: (tick) => withHost(tick, 0.3, 0.01, 3e6), ...build(draw) }),
  };
}

/** Grows in steps as an allocator fills its cache, then stays level. */
function plateau(draw: Draw): MemoryPlan {
  const [from, to, over] = [draw(20, 30), draw(45, 65), draw(3, 6) * MINUTE];
  return (ageMs) => {
    const step = Math.min(6, Math.floor((6 * ageMs) / over));
    return Math.floor(((from + ((to - from) * step) / 6) * GIB) / 2 ** 21) * 2 ** 21;
  };
}

/** Situations that look like trouble and are none. */
export const CONFOUNDERS: readonly Family[] = [
  healthy('steady training', (draw) => ({
    scenario: scene(
      jobOf(training({ ...LARGE_MODEL, density: draw(0.75, 1.02) }), steady(draw(30, 70), 0.8), everyGpu, {
        synchronised: true,
      }),
    ),
  })),
  healthy(
    'evaluations and checkpoints',
    (draw) => ({
      scenario: scene(
        jobOf(
          training({
            ...LARGE_MODEL,
            checkpointEveryMs: draw(4, 8) * MINUTE,
            checkpointMs: draw(3_000, 9_000),
            evaluationMs: draw(30_000, 90_000),
          }),
          steady(60, 0.8),
          everyGpu,
          { synchronised: true },
        ),
      ),
    }),
    [25, 60],
  ),
  healthy(
    'warm-up',
    (draw) => ({ scenario: scene(jobOf(training(LARGE_MODEL), steady(draw(30, 60)), everyGpu, { life: from(0) })) }),
    [8, 15],
  ),
  healthy('serving in bursts', (draw) => ({
    scenario: scene(
      jobOf(
        inBursts(
          steadily({ busy: draw(0.7, 0.95), density: 0.6, traffic: 0.5 }),
          resting,
          draw(1_500, 5_000),
          draw(0.25, 0.5),
        ),
        steady(draw(40, 60)),
        everyGpu,
        { process: 'vllm' },
      ),
    ),
  })),
  healthy('pre-allocating server', (draw) => ({
    scenario: scene(
      jobOf(
        inBursts(steadily({ busy: 0.9, density: 0.6, traffic: 0.6 }), resting, draw(1_500, 4_000), draw(0.3, 0.6)),
        steady(draw(76, 78)),
        everyGpu,
        { process: 'vllm' },
      ),
    ),
  })),
  healthy(
    'allocator plateau',
    (draw) => ({ scenario: scene(jobOf(training(LARGE_MODEL), plateau(draw), everyGpu, { life: from(0) })) }),
    [20, 50],
  ),
  healthy(
    'pipeline parallel',
    (draw) => {
      const levels = [draw(0.8, 0.95), draw(0.75, 0.9), draw(0.72, 0.88), draw(0.7, 0.85)];
      return {
        scenario: scene(
          ...levels.map((busy, index) =>
            jobOf(steadily({ busy, density: 0.9, traffic: 0.35 }), steady(draw(35, 60)), gpuAt(index)),
          ),
        ),
      };
    },
    [12, 30],
    [4, 4],
  ),
  healthy('at the power limit', (draw) => ({
    scenario: scene(
      jobOf(training({ ...LARGE_MODEL, density: draw(1.1, 1.35) }), steady(60, 0.8), everyGpu, { synchronised: true }),
    ),
  })),
  healthy(
    'idle link goes down',
    (draw) => ({
      scenario: scene(
        jobOf(inTurns(training(SMALL_MODEL), resting, 8 * MINUTE, draw(0.5, 0.7), 0), steady(draw(10, 30)), gpuAt(0)),
      ),
      alter: (tick) =>
        alterGpus(withHost(tick, 0.2, 0.01, 1e6), (set) =>
          set.setValue(GENERATION, (set.number(UTIL) ?? 0) < 0.03 ? 1 : 5),
        ),
    }),
    [25, 45],
    [1, 2],
    ['idle-held'],
  ),
  healthy('MIG gives no utilisation', (draw) => ({
    scenario: scene(jobOf(training(SMALL_MODEL), steady(draw(20, 60)))),
    alter: (tick) =>
      alterGpus(tick, (set) => {
        set.setAbsent(UTIL, 'mig');
        set.setAbsent(MEMORY_BUSY, 'mig');
      }),
  })),
  healthy('short run', (draw) => ({ scenario: scene(jobOf(training(SMALL_MODEL), steady(draw(10, 60)))) }), [0.4, 1.5]),
  healthy('nobody works', () => ({ scenario: scene() })),
  healthy(
    'two jobs of two users',
    (draw) => ({
      scenario: scene(
        jobOf(training(LARGE_MODEL), steady(60), (index, count) => index < count / 2),
        jobOf(training({ ...SMALL_MODEL, busy: draw(0.6, 0.85) }), steady(30), (index, count) => index >= count / 2, {
          user: 'wang',
          process: 'python3',
        }),
      ),
    }),
    [12, 30],
    [4, 8],
  ),
];
