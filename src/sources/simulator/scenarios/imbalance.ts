import { always } from '../lifetime.ts';
import { LARGE_MODEL, training } from '../loads/training.ts';
import { helping } from '../loads/waiting.ts';
import { steady } from '../memory-plan.ts';
import { allBut, gpuAt } from '../placement.ts';
import type { Scenario } from '../scenario.ts';

const worker = gpuAt(0);

export const IMBALANCE: Scenario = {
  name: 'imbalance',
  summary: {
    en: 'GPU 0 does nearly all the work of a job, the others mostly wait',
    zh: '任务几乎全部压在 GPU 0 上，其他卡大多在等待',
  },
  jobs: [
    {
      user: 'wang',
      process: 'python',
      gpus: worker,
      load: training(LARGE_MODEL),
      memory: steady(71),
      life: always,
    },
    {
      user: 'wang',
      process: 'python',
      gpus: allBut(worker),
      load: helping,
      memory: steady(17, 0.4),
      life: always,
    },
  ],
};
