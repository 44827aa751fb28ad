import { always } from '../lifetime.ts';
import { starved } from '../loads/starved.ts';
import { steady } from '../memory-plan.ts';
import { everyGpu } from '../placement.ts';
import type { Scenario } from '../scenario.ts';

export const DATA_STARVED: Scenario = {
  name: 'data-starved',
  summary: {
    en: 'data loading is too slow: utilisation is a sawtooth of 6 to 10 seconds on all GPUs, about 40% on average',
    zh: '数据加载过慢：全部 GPU 的利用率呈 6～10 秒一周期的锯齿，平均约 40%',
  },
  jobs: [
    {
      user: 'lin',
      process: 'python',
      gpus: everyGpu,
      load: starved,
      memory: steady(31, 0.3),
      life: always,
    },
  ],
};
