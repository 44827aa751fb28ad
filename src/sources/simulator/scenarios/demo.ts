import { always, recurring } from '../lifetime.ts';
import { LARGE_MODEL, SMALL_MODEL, training } from '../loads/training.ts';
import { holding } from '../loads/waiting.ts';
import { steady } from '../memory-plan.ts';
import type { Placement } from '../placement.ts';
import type { Scenario } from '../scenario.ts';

const MINUTE = 60_000;

/** Of eight GPUs six train, one is held by a notebook, one is used now and then; a smaller machine has fewer roles. */
const notebook: Placement = (index, count) => count > 1 && index === (count > 2 ? count - 2 : 1);
const occasional: Placement = (index, count) => count > 2 && index === count - 1;
const trainer: Placement = (index, count) => !notebook(index, count) && !occasional(index, count);
const hottest: Placement = (index, count) => index === Math.min(3, Math.max(0, count - 3));

export const DEMO: Scenario = {
  name: 'demo',
  summary: {
    en: 'a training job with one hot GPU, a notebook that holds a GPU it does not use, and short jobs on the last one',
    zh: '一个训练任务（其中一张卡偏热）、一个占着卡却不用的 notebook，以及最后一张卡上的短任务',
  },
  jobs: [
    {
      user: 'lin',
      process: 'python',
      gpus: trainer,
      load: training(LARGE_MODEL),
      memory: steady(66, 0.8),
      life: always,
      synchronised: true,
    },
    {
      user: 'zhang',
      process: 'jupyter',
      gpus: notebook,
      load: holding,
      memory: steady(72.4),
      life: always,
    },
    {
      user: 'wang',
      process: 'python3',
      gpus: occasional,
      load: training(SMALL_MODEL),
      memory: steady(38.5),
      life: recurring(9 * MINUTE, 4 * MINUTE),
    },
  ],
  faults: [{ gpus: hottest, cooling: { factor: 1.58 } }],
};
