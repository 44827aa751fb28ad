import { type Detector, noClaim } from '../detector.ts';

/** Out of memory although much is free: only the message of the program tells, which readings do not have. */
export const oomFragmentation: Detector = {
  id: 'oom-fragmentation',
  layer: 'performance',
  needs: [],
  detect: (file) => [noClaim(oomFragmentation, file, 'not-evaluable', 'evidence.no-program-log')],
};
