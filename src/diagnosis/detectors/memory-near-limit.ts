import type { Severity } from '../../model/event.ts';
import type { Finding } from '../../model/finding.ts';
import type { CaseFile } from '../case/case-file.ts';
import { atWork, type GpuCase } from '../case/gpu-case.ts';
import { preAllocates } from '../case/workload.ts';
import { claim, type Detector, noClaim, observe } from '../detector.ts';
import { lasting, outerSpan, secondsIn } from '../spells.ts';
import { deviation, largest, present } from '../statistics/summary.ts';
import { gpuName, percent, spanOf } from '../wording.ts';

const LEVELS: readonly { readonly share: number; readonly severity: Severity }[] = [
  { share: 0.98, severity: 'warning' },
  { share: 0.95, severity: 'warning' },
];
const LEAST_SECONDS = 60;

/** Memory that varies by less than this from the start was taken in advance. */
const LEVEL = 0.003;

/** A process that does not fit any more would not have much room. */
export const memoryNearLimit: Detector = {
  id: 'memory-near-limit',
  layer: 'performance',
  needs: ['memory_used_bytes'],
  detect(file) {
    const found = file.gpus.flatMap((gpu) => look(file, gpu));
    const named = found.filter(({ state }) => state !== 'ruled-out');
    if (named.length > 0) return named;
    if (file.gpus.every(({ memory }) => memory === null))
      return [noClaim(memoryNearLimit, file, 'not-evaluable', 'evidence.missing', ['memory_total_bytes'])];
    return found.slice(0, 1);
  },
};

/** Memory that an idle program holds is not about to run out. */
function isAtWork({ work, util }: GpuCase, cell: number): boolean {
  return util === null || work.mask[cell] === 1;
}

function look({ window }: CaseFile, gpu: GpuCase): Finding[] {
  const { memory } = gpu;
  if (memory === null) return [];
  const highest = largest(memory);
  for (const { share, severity } of LEVELS) {
    if (!(highest >= share)) continue;
    const spells = lasting(window, LEAST_SECONDS, (cell) => memory[cell]! >= share && isAtWork(gpu, cell));
    if (spells.length === 0) continue;
    const values = present(memory);
    const mayPreAllocate = gpu.gpu.processes.every((process) => preAllocates(process) || process.name === null);
    const isLevel = mayPreAllocate && deviation(values) < LEVEL;
    // Where the recording begins before the program does, only the work tells.
    const isLevelAtWork =
      mayPreAllocate && !isLevel && gpu.work.seconds >= LEAST_SECONDS && deviation(atWork(gpu, memory)) < LEVEL;
    const seconds = secondsIn(window, spells);
    const key = { gpu: gpuName(gpu.gpu.device) };
    const numbers = { share, highest, seconds };
    return [
      claim(memoryNearLimit, {
        ...outerSpan(window, spells),
        state:
          isLevel || gpu.gpu.processes.some(preAllocates)
            ? 'ruled-out'
            : gpu.work.seconds > 0 && !isLevelAtWork
              ? 'likely'
              : 'possible',
        severity: isLevelAtWork ? 'info' : severity,
        gpus: [gpu.uuid],
        evidence: [
          isLevel
            ? observe('evidence.memory-flat', key, 'memory_used_bytes', numbers)
            : observe(
                'evidence.memory-full',
                { ...key, share: percent(share), span: spanOf(seconds), highest: percent(highest) },
                'memory_used_bytes',
                numbers,
              ),
          isLevelAtWork
            ? observe('evidence.memory-flat-at-work', { ...key, share: percent(highest) }, 'memory_used_bytes', numbers)
            : null,
        ],
      }),
    ];
  }
  return [];
}
