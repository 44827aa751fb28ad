import type { Finding } from '../../model/finding.ts';
import { DIAGNOSIS_MESSAGES } from '../../model/i18n/messages-diagnosis.ts';
import type { CaseFile } from '../case/case-file.ts';
import { claim, type Detector, observe } from '../detector.ts';
import { outerSpan } from '../spells.ts';
import { amount } from '../wording.ts';
import { findPauses, type Pauses, pauseEvidence, savingSigns } from './pauses.ts';

/** Pauses are regular only after a few of them. */
const LEAST_SECONDS = 120;

/** GPUs that stand still between epochs, while loaders start again. */
export const epochGap: Detector = {
  id: 'epoch-gap',
  layer: 'performance',
  needs: ['utilization_ratio'],
  leastSeconds: LEAST_SECONDS,
  detect: (file) =>
    findPauses(file)
      .filter((pauses) => savingSigns(pauses) === 0)
      .map((pauses) => report(file, pauses)),
};

function report({ window }: CaseFile, pauses: Pauses): Finding {
  const { gpus, parts, seconds, written, epochsByMark } = pauses;
  const isMarked = epochsByMark >= parts.length / 2;
  const isQuiet = written !== null;
  const isOpen = !isMarked && !isQuiet;
  return claim(epochGap, {
    ...outerSpan(window, parts),
    state: isMarked && isQuiet ? 'confirmed' : isOpen ? 'possible' : 'likely',
    severity: 'warning',
    gpus: gpus.map(({ uuid }) => uuid),
    lostSeconds: seconds * gpus.length,
    evidence: [
      pauseEvidence(pauses),
      isMarked ? observe('evidence.gaps-marked', { count: epochsByMark }, null, { count: epochsByMark }) : null,
      isOpen ? observe('evidence.gaps-unknown', {}) : null,
      written === null
        ? null
        : observe(
            'evidence.gaps-quiet',
            { rate: amount(written, 'bytes-per-second') },
            'host_disk_write_bytes_per_second',
            { rate: written },
          ),
    ],
    missing: isQuiet ? [] : ['host_disk_write_bytes_per_second'],
    ...(isOpen ? { fix: DIAGNOSIS_MESSAGES['report.fix-pauses'] } : {}),
  });
}
