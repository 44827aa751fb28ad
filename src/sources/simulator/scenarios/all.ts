import type { Scenario } from '../scenario.ts';
import { DATA_STARVED } from './data-starved.ts';
import { DEMO } from './demo.ts';
import { ECC_GROWTH } from './ecc-growth.ts';
import { GPU_LOST } from './gpu-lost.ts';
import { HEALTHY_TRAINING } from './healthy-training.ts';
import { IDLE_HELD } from './idle-held.ts';
import { IMBALANCE } from './imbalance.ts';
import { MEMORY_LEAK } from './memory-leak.ts';
import { THERMAL_THROTTLE } from './thermal-throttle.ts';

/** Every scenario there is, in the order in which they are listed. */
export const ALL_SCENARIOS: readonly Scenario[] = [
  DEMO,
  HEALTHY_TRAINING,
  DATA_STARVED,
  MEMORY_LEAK,
  THERMAL_THROTTLE,
  IMBALANCE,
  GPU_LOST,
  IDLE_HELD,
  ECC_GROWTH,
];
