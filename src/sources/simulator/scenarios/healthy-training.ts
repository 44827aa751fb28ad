import { always } from '../lifetime.ts';
import { LARGE_MODEL, training } from '../loads/training.ts';
import { steady } from '../memory-plan.ts';
import { everyGpu } from '../placement.ts';
import type { Scenario } from '../scenario.ts';

export const HEALTHY_TRAINING: Scenario = {
  name: 'healthy-training',
  summary: {
    en: 'all GPUs train at about 95%, with checkpoints every 10 minutes and an evaluation every 30',
    zh: '全部 GPU 以约 95% 的利用率训练，每 10 分钟保存检查点，每 30 分钟评估一次',
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
};
