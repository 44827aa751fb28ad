import { always } from '../lifetime.ts';
import { LARGE_MODEL, training } from '../loads/training.ts';
import { steady } from '../memory-plan.ts';
import { everyGpu, gpuAt } from '../placement.ts';
import type { Scenario } from '../scenario.ts';

const MINUTE = 60_000;

export const THERMAL_THROTTLE: Scenario = {
  name: 'thermal-throttle',
  summary: {
    en: 'GPU 3 is badly cooled and throttles again and again; the others wait for it at every step',
    zh: 'GPU 3 散热不良，反复过热降频；其他卡每一步都要等它',
  },
  jobs: [
    {
      user: 'lin',
      process: 'python',
      gpus: everyGpu,
      load: training(LARGE_MODEL),
      memory: steady(66, 0.8),
      life: always,
      synchronised: true,
    },
  ],
  faults: [{ gpus: gpuAt(3), cooling: { factor: 1.8, stalls: { everyMs: 15 * MINUTE, forMs: 40_000, factor: 3.2 } } }],
};
