import { always } from '../../src/sources/simulator/lifetime.ts';
import { LARGE_MODEL, SMALL_MODEL, training } from '../../src/sources/simulator/loads/training.ts';
import { holding, spinning, untilIncident } from '../../src/sources/simulator/loads/waiting.ts';
import { leaking, steady } from '../../src/sources/simulator/memory-plan.ts';
import { allBut, everyGpu, gpuAt } from '../../src/sources/simulator/placement.ts';
import type { Job } from '../../src/sources/simulator/scenario.ts';
import { DEVICE_CAUSES } from './device-causes.ts';
import { type Draw, type Family, withHost } from './family.ts';
import { inTurns, resting, steadily } from './loads.ts';
import { busyLoaders, from, jobOf, MINUTE, meanUtil, only, quietHost, SLOT, scene } from './staging.ts';

const sawtooth: Family = {
  name: 'data in a beat',
  cause: 'data-starvation',
  minutes: [10, 40],
  gpus: [1, 8],
  build(draw) {
    const work = steadily({ busy: draw(0.85, 0.98), density: draw(0.6, 0.95), traffic: 0.35 });
    const wait = steadily({ busy: draw(0, 0.05), density: 0.3, traffic: 0.2 });
    return {
      scenario: scene(
        jobOf(inTurns(work, wait, draw(5_000, 40_000), draw(0.3, 0.68), draw(0, 0.25)), steady(draw(15, 60))),
      ),
      alter: busyLoaders,
    };
  },
};

const trickle: Family = {
  name: 'data in a trickle',
  cause: 'data-starvation',
  visibleAt: ['full'],
  alsoTrue: ['low-utilization'],
  minutes: [12, 30],
  gpus: [1, 8],
  build: (draw) => ({
    scenario: scene(
      jobOf(
        steadily({ busy: draw(0.2, 0.55), density: draw(0.6, 0.9), traffic: 0.3, jitter: 0.12 }),
        steady(draw(15, 60)),
      ),
    ),
    alter: busyLoaders,
  }),
};

const lowSteady: Family = {
  name: 'low for no visible reason',
  cause: 'low-utilization',
  minutes: [12, 30],
  gpus: [1, 8],
  build: (draw) => ({
    scenario: scene(
      jobOf(
        steadily({ busy: draw(0.15, 0.42), density: draw(0.5, 0.8), traffic: draw(0.1, 0.4), jitter: 0.1 }),
        steady(draw(10, 50)),
      ),
    ),
    alter: quietHost,
  }),
};

const held: Family = {
  name: 'held and idle',
  cause: 'idle-held',
  minutes: [25, 90],
  gpus: [1, 8],
  build: (draw) => ({
    scenario: scene(
      jobOf(untilIncident(training(SMALL_MODEL), holding), steady(draw(45, 76), 3), everyGpu, { process: 'jupyter' }),
    ),
    alter: quietHost,
    incident: draw(0, 0.2),
  }),
};

/** One GPU of several does the work. */
function uneven(name: string, lifeOf: (draw: Draw) => Job['life']): Family {
  return {
    name,
    cause: 'imbalance',
    minutes: [12, 30],
    gpus: [2, 8],
    build(draw) {
      const helper = inTurns(
        steadily({ busy: draw(0.3, 0.9), density: 0.6, traffic: 0.3 }),
        steadily({ busy: 0.02, density: 0.3, traffic: 0.1 }),
        draw(3_000, 9_000),
        draw(0.1, 0.35),
      );
      const [leading, helping] = [draw(50, 72), draw(10, 40)];
      const life = lifeOf(draw);
      return {
        scenario: scene(
          jobOf(training(LARGE_MODEL), steady(leading), gpuAt(0), { life }),
          jobOf(helper, steady(helping), allBut(gpuAt(0)), { life }),
        ),
        alter: quietHost,
      };
    },
  };
}

const leak: Family = {
  name: 'leaking memory',
  cause: 'memory-leak',
  alsoTrue: ['memory-near-limit'],
  minutes: [25, 60],
  gpus: [1, 4],
  build: (draw) => ({
    scenario: scene(
      jobOf(training(LARGE_MODEL), leaking(draw(10, 30), draw(60, 79), draw(60, 90) * MINUTE), everyGpu, {
        life: from(0),
      }),
    ),
    alter: quietHost,
  }),
};

const hot: Family = {
  name: 'too hot',
  cause: 'thermal-throttle',
  alsoTrue: ['thermal-outlier', 'straggler'],
  visibleAt: ['full', 'driver', 'log'],
  minutes: [12, 40],
  gpus: [2, 8],
  build: (draw) => ({
    scenario: {
      ...scene(jobOf(training(LARGE_MODEL), steady(60, 1), everyGpu, { synchronised: true })),
      faults: [{ gpus: gpuAt(Math.floor(draw(0, 2))), cooling: { factor: draw(1.75, 2.2) } }],
    },
    alter: quietHost,
  }),
};

const slow: Family = {
  name: 'one slow GPU',
  cause: 'straggler',
  visibleAt: ['full', 'driver', 'log'],
  minutes: [12, 30],
  gpus: [4, 8],
  build(draw) {
    const pace = draw(0.65, 0.88);
    return {
      scenario: scene(
        jobOf(training({ ...LARGE_MODEL, density: 0.8 }), steady(60, 1), everyGpu, { synchronised: true }),
      ),
      alter: only(Math.floor(draw(0, 4)), (set) => {
        for (const one of [SLOT.clock, SLOT.graphicsClock])
          set.setValue(one, Math.floor(((set.number(one) ?? 0) * pace) / 15e6) * 15e6);
      }),
    };
  },
};

const lost: Family = {
  name: 'off the bus',
  cause: 'gpu-lost',
  alsoTrue: ['xid', 'collective-hang'],
  minutes: [10, 30],
  gpus: [2, 8],
  build: (draw) => ({
    scenario: {
      ...scene(jobOf(untilIncident(training(LARGE_MODEL), spinning), steady(60, 1), everyGpu, { synchronised: true })),
      faults: [{ gpus: gpuAt(1), lost: true, xids: [{ code: 79, severity: 'critical' }] }],
    },
    alter: quietHost,
    incident: draw(0.4, 0.9),
  }),
};

const ecc: Family = {
  name: 'memory errors',
  cause: 'ecc-growth',
  alsoTrue: ['xid'],
  visibleAt: ['full', 'driver'],
  minutes: [20, 60],
  gpus: [1, 8],
  build(draw) {
    const rate = draw(60, 600);
    return {
      scenario: {
        ...scene(jobOf(training(LARGE_MODEL), steady(60, 1), everyGpu)),
        faults: [{ gpus: gpuAt(2), correctedPerHour: () => rate }],
      },
      alter: quietHost,
    };
  },
};

const hang: Family = {
  name: 'hang in a collective',
  cause: 'collective-hang',
  minutes: [10, 30],
  gpus: [2, 8],
  build: (draw) => ({
    scenario: scene(
      jobOf(untilIncident(training(LARGE_MODEL), spinning), steady(60, 1), everyGpu, { synchronised: true }),
    ),
    alter: quietHost,
    incident: draw(0.4, 0.85),
  }),
};

const gaps: Family = {
  name: 'gaps between epochs',
  cause: 'epoch-gap',
  minutes: [20, 60],
  gpus: [1, 8],
  build(draw) {
    const period = draw(90_000, 300_000);
    return {
      scenario: scene(
        jobOf(
          inTurns(steadily({ busy: 0.95, density: 0.9, traffic: 0.4 }), resting, period, 1 - draw(0.08, 0.25), 0.02),
          steady(draw(20, 60)),
        ),
      ),
      alter: quietHost,
    };
  },
};

const saving: Family = {
  name: 'saving checkpoints',
  cause: 'checkpoint-stall',
  visibleAt: ['full', 'driver'],
  minutes: [20, 60],
  gpus: [1, 8],
  build(draw) {
    const save = steadily({ busy: 0.02, density: 0.3, traffic: 0.5, jitter: 0.02, rx: 1e7, tx: draw(2e9, 8e9) });
    const load = inTurns(
      steadily({ busy: 0.95, density: 0.9, traffic: 0.4 }),
      save,
      draw(120_000, 300_000),
      1 - draw(0.08, 0.2),
      0.02,
    );
    return {
      scenario: scene(jobOf(load, steady(draw(20, 60)))),
      alter: (tick) => withHost(tick, 0.2, 0.02, meanUtil(tick) < 0.1 ? 1.2e9 : 2e6),
    };
  },
};

/** Situations in which something is wrong. */
export const CAUSES: readonly Family[] = [
  sawtooth,
  trickle,
  lowSteady,
  held,
  uneven('one GPU does the work', () => always),
  uneven('one GPU does the work, seen from its start', (draw) => from(draw(1, 3) * MINUTE)),
  leak,
  hot,
  slow,
  lost,
  ecc,
  hang,
  gaps,
  saving,
  ...DEVICE_CAUSES,
];
