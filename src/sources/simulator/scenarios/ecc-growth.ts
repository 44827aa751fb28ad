import { restartedAfterIncident } from '../lifetime.ts';
import { LARGE_MODEL, training } from '../loads/training.ts';
import { steady } from '../memory-plan.ts';
import { everyGpu, gpuAt } from '../placement.ts';
import type { Scenario } from '../scenario.ts';

const HOUR = 3_600_000;

export const ECC_GROWTH: Scenario = {
  name: 'ecc-growth',
  summary: {
    en: 'corrected ECC errors of GPU 2 multiply, then one is uncorrected (Xid 48, 63, 94) 2 minutes after the live start',
    zh: 'GPU 2 的 ECC 已纠正错误越来越多，实时开始 2 分钟后出现一次无法纠正的错误（Xid 48、63、94）',
  },
  jobs: [
    {
      user: 'lin',
      process: 'python',
      gpus: everyGpu,
      load: training(LARGE_MODEL),
      memory: steady(66, 0.8),
      life: restartedAfterIncident(90_000),
      synchronised: true,
    },
  ],
  faults: [
    {
      gpus: gpuAt(2),
      uncorrected: true,
      // Doubles every half hour up to 320 an hour at the incident; the faulty row is out of use afterwards.
      correctedPerHour: (timeMs, incidentMs) =>
        timeMs < incidentMs ? 320 * 2 ** ((2 * (timeMs - incidentMs)) / HOUR) : 2,
      xids: [
        { code: 48, severity: 'critical' },
        { code: 63, severity: 'warning' },
        { code: 94, severity: 'warning' },
      ],
    },
  ],
  incident: (historyMs) => historyMs + 120_000,
};
