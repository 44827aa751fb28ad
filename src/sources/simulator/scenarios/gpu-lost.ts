import { always } from '../lifetime.ts';
import { LARGE_MODEL, training } from '../loads/training.ts';
import { spinning, untilIncident } from '../loads/waiting.ts';
import { steady } from '../memory-plan.ts';
import { everyGpu, gpuAt } from '../placement.ts';
import type { Scenario } from '../scenario.ts';

export const GPU_LOST: Scenario = {
  name: 'gpu-lost',
  summary: {
    en: 'GPU 5 falls off the bus (Xid 79) 90 s after the live start; the others hang at 100% and low power',
    zh: '实时开始 90 秒后 GPU 5 掉卡（Xid 79），其余卡停在 100% 利用率、低功耗的等待状态',
  },
  jobs: [
    {
      user: 'lin',
      process: 'python',
      gpus: everyGpu,
      load: untilIncident(training(LARGE_MODEL), spinning),
      memory: steady(66, 0.8),
      life: always,
      synchronised: true,
    },
  ],
  faults: [{ gpus: gpuAt(5), lost: true, xids: [{ code: 79, severity: 'critical' }] }],
  incident: (historyMs) => historyMs + 90_000,
};
