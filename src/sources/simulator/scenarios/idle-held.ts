import { always } from '../lifetime.ts';
import { LARGE_MODEL, SMALL_MODEL, training } from '../loads/training.ts';
import { holding, untilIncident } from '../loads/waiting.ts';
import { steady } from '../memory-plan.ts';
import { allBut, firstHalf } from '../placement.ts';
import type { Scenario } from '../scenario.ts';

export const IDLE_HELD: Scenario = {
  name: 'idle-held',
  summary: {
    en: 'the work of a notebook ended an hour ago, but it still holds 62 to 76 GiB on half of the GPUs',
    zh: 'notebook 的计算一小时前就结束了，却仍在一半的 GPU 上占着 62～76 GiB 显存',
  },
  jobs: [
    {
      user: 'zhang',
      process: 'jupyter',
      gpus: firstHalf,
      load: untilIncident(training(SMALL_MODEL), holding),
      memory: steady(69, 7),
      life: always,
    },
    {
      user: 'lin',
      process: 'python',
      gpus: allBut(firstHalf),
      load: training(LARGE_MODEL),
      memory: steady(66, 0.8),
      life: always,
      synchronised: true,
    },
  ],
  incident: (historyMs) => Math.max(0, historyMs - 3_600_000),
};
