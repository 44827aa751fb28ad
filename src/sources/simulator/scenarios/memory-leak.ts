import { always, recurring } from '../lifetime.ts';
import { LARGE_MODEL, SMALL_MODEL, training } from '../loads/training.ts';
import { leaking, steady } from '../memory-plan.ts';
import { allBut, gpuAt } from '../placement.ts';
import type { Scenario } from '../scenario.ts';

const MINUTE = 60_000;
const FULL_AFTER_MS = 58 * MINUTE;
const leaky = gpuAt(0);

export const MEMORY_LEAK: Scenario = {
  name: 'memory-leak',
  summary: {
    en: 'the process on GPU 0 grows from 24 GiB until memory is full, dies, and is started again, once an hour',
    zh: 'GPU 0 上的进程显存从 24 GiB 一直涨到占满，崩溃后重启，每小时一次',
  },
  jobs: [
    {
      user: 'zhou',
      process: 'python3',
      gpus: leaky,
      load: training(SMALL_MODEL),
      memory: leaking(24, 79.15, FULL_AFTER_MS),
      life: recurring(FULL_AFTER_MS, 2 * MINUTE),
    },
    {
      user: 'lin',
      process: 'python',
      gpus: allBut(leaky),
      load: training(LARGE_MODEL),
      memory: steady(66, 0.8),
      life: always,
      synchronised: true,
    },
  ],
  incident: (historyMs) => historyMs + 5 * MINUTE,
};
