import type { Detector } from '../detector.ts';
import { bandwidthBound } from './bandwidth-bound.ts';
import { checkpointStall } from './checkpoint-stall.ts';
import { collectiveHang } from './collective-hang.ts';
import { commBound } from './comm-bound.ts';
import { copyBound } from './copy-bound.ts';
import { dataStarvation } from './data-starvation.ts';
import { eccGrowth } from './ecc-growth.ts';
import { epochGap } from './epoch-gap.ts';
import { foreignProcess } from './foreign-process.ts';
import { ghostMemory } from './ghost-memory.ts';
import { gpuLost } from './gpu-lost.ts';
import { idleHeld } from './idle-held.ts';
import { imbalance } from './imbalance.ts';
import { launchBound } from './launch-bound.ts';
import { lowUtilization } from './low-utilization.ts';
import { memoryImbalance } from './memory-imbalance.ts';
import { memoryLeak } from './memory-leak.ts';
import { memoryNearLimit } from './memory-near-limit.ts';
import { monitorOverhead } from './monitor-overhead.ts';
import { notOnGpu } from './not-on-gpu.ts';
import { nvlinkDegraded } from './nvlink-degraded.ts';
import { oomFragmentation } from './oom-fragmentation.ts';
import { pcieDegraded } from './pcie-degraded.ts';
import { powerBrake } from './power-brake.ts';
import { powerCap } from './power-cap.ts';
import { rowRemap } from './row-remap.ts';
import { straggler } from './straggler.ts';
import { thermalOutlier } from './thermal-outlier.ts';
import { thermalThrottle } from './thermal-throttle.ts';
import { xid } from './xid.ts';

/** One detector per rule, in the order of the rules. */
export const DETECTORS: readonly Detector[] = [
  gpuLost,
  xid,
  eccGrowth,
  rowRemap,
  powerBrake,
  thermalThrottle,
  pcieDegraded,
  nvlinkDegraded,
  thermalOutlier,
  powerCap,
  collectiveHang,
  oomFragmentation,
  memoryLeak,
  memoryNearLimit,
  foreignProcess,
  ghostMemory,
  notOnGpu,
  imbalance,
  straggler,
  memoryImbalance,
  dataStarvation,
  epochGap,
  checkpointStall,
  commBound,
  copyBound,
  launchBound,
  bandwidthBound,
  idleHeld,
  lowUtilization,
  monitorOverhead,
];
