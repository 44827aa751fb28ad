import type { Finding } from '../../model/finding.ts';
import type { CaseFile } from '../case/case-file.ts';
import { claim, type Detector, observe } from '../detector.ts';
import { outerSpan } from '../spells.ts';
import { amount } from '../wording.ts';
import { findPauses, type Pauses, pauseEvidence, savingSigns } from './pauses.ts';

/** Pauses are regular only after a few of them. */
const LEAST_SECONDS = 120;

/** GPUs that stand still while a checkpoint is written. */
export const checkpointStall: Detector = {
  id: 'checkpoint-stall',
  layer: 'performance',
  needs: ['utilization_ratio'],
  leastSeconds: LEAST_SECONDS,
  detect: (file) =>
    findPauses(file)
      .filter((pauses) => savingSigns(pauses) > 0)
      .map((pauses) => report(file, pauses)),
};

function report({ window }: CaseFile, pauses: Pauses): Finding {
  const { gpus, parts, seconds, written, sent } = pauses;
  return claim(checkpointStall, {
    ...outerSpan(window, parts),
    state: savingSigns(pauses) >= 2 ? 'confirmed' : 'likely',
    severity: 'warning',
    gpus: gpus.map(({ uuid }) => uuid),
    lostSeconds: seconds * gpus.length,
    evidence: [
      pauseEvidence(pauses),
      written === null
        ? null
        : observe(
            'evidence.gaps-writing',
            { rate: amount(written, 'bytes-per-second') },
            'host_disk_write_bytes_per_second',
            { rate: written },
          ),
      sent === null
        ? null
        : observe('evidence.gaps-sending', { rate: amount(sent, 'bytes-per-second') }, 'pcie_tx_bytes_per_second', {
            rate: sent,
          }),
    ],
  });
}
