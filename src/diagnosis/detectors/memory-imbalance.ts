import type { Finding } from '../../model/finding.ts';
import type { CaseFile } from '../case/case-file.ts';
import type { GpuCase } from '../case/gpu-case.ts';
import type { Job } from '../case/jobs.ts';
import { claim, type Detector, noClaim, observe } from '../detector.ts';
import { spreadOf } from '../statistics/robust.ts';
import { median, medianUnder } from '../statistics/summary.ts';
import { gpuName, percent } from '../wording.ts';

/** More than the others by this share of the card. */
const EXTRA = 0.1;

/** The others must be alike, else this is how the model was cut. */
const ALIKE = 0.03;

/** One GPU of a job carries memory that belongs to the other ranks. */
export const memoryImbalance: Detector = {
  id: 'memory-imbalance',
  layer: 'performance',
  needs: ['memory_used_bytes'],
  detect(file) {
    if (file.gpus.length < 3)
      return [
        noClaim(
          memoryImbalance,
          file,
          'not-evaluable',
          file.gpus.length < 2 ? 'evidence.one-gpu' : 'evidence.two-gpus',
        ),
      ];
    // How a model is cut looks the same: only the processes tell.
    if (file.gpus.every(({ gpu }) => gpu.computing === null))
      return [noClaim(memoryImbalance, file, 'not-evaluable', 'evidence.no-process-list')];
    return file.jobs.filter(({ gpus }) => gpus.length >= 3).flatMap((job) => look(file, job));
  },
};

function look({ window }: CaseFile, { gpus }: Job): Finding[] {
  const members = gpus.filter(({ memory, work }) => memory !== null && work.seconds > 0);
  if (members.length < 3) return [];
  const levels = members.map(({ memory }) => medianUnder(memory!, null));
  return members.flatMap((gpu, index) => {
    const others = levels.filter((_, other) => other !== index);
    const [own, usual] = [levels[index]!, median(others)];
    if (own - usual < EXTRA || spreadOf(others) > ALIKE || Math.max(...others) - usual > EXTRA / 2) return [];
    const extra = contexts(gpu);
    const usualContexts = median(members.filter((other) => other !== gpu).map(contexts));
    const hasExtra = extra - usualContexts >= members.length - 1;
    // More memory on the first GPU alone also comes from the optimiser or the head of the model.
    if (!hasExtra) return [];
    return [
      claim(memoryImbalance, {
        state: 'confirmed',
        severity: 'warning',
        gpus: [gpu.uuid],
        from: window.from,
        to: window.to,
        evidence: [
          observe(
            'evidence.memory-uneven',
            { gpu: gpuName(gpu.gpu.device), own: percent(own), others: percent(usual) },
            'memory_used_bytes',
            { own, others: usual },
          ),
          observe('evidence.extra-contexts', { count: extra, others: usualContexts }, null, {
            count: extra,
            others: usualContexts,
          }),
        ],
      }),
    ];
  });
}

/** Most processes that computed on a GPU at a time. */
function contexts({ gpu }: GpuCase): number {
  return gpu.computing === null ? 0 : medianUnder(gpu.computing, null);
}
