import type { Finding } from '../../model/finding.ts';
import type { CaseFile } from '../case/case-file.ts';
import type { GpuCase } from '../case/gpu-case.ts';
import { claim, type Detector, noClaim, observe } from '../detector.ts';
import { lasting, outerSpan, secondsIn } from '../spells.ts';
import { amount, gpuName, spanOf } from '../wording.ts';

const LEAST_SECONDS = 60;

/** What drivers and displays take for themselves stays below this. */
const LEAST_BYTES = 2 ** 30;
const LEAST_SHARE = 0.05;
const LEAST_NAMELESS_BYTES = 0.5 * 2 ** 30;

/** Memory in use though no process that computes is seen. */
export const ghostMemory: Detector = {
  id: 'ghost-memory',
  layer: 'performance',
  needs: [],
  detect(file) {
    if (!file.gpus.some(({ gpu }) => gpu.computing !== null))
      return [noClaim(ghostMemory, file, 'not-evaluable', 'evidence.no-process-list')];
    return file.gpus.flatMap((gpu) => [...orphaned(file, gpu), ...nameless(file, gpu)]);
  },
};

function orphaned({ window }: CaseFile, { gpu, uuid }: GpuCase): Finding[] {
  const used = gpu.column('memory_used_bytes');
  const total = gpu.peak('memory_total_bytes');
  const { computing, processBytes } = gpu;
  if (used === null || computing === null || total === null) return [];
  const least = Math.max(LEAST_BYTES, LEAST_SHARE * total);
  const spells = lasting(
    window,
    LEAST_SECONDS,
    (cell) => computing[cell] === 0 && used[cell]! - (processBytes?.[cell] || 0) >= least,
  );
  const [first] = spells;
  if (first === undefined) return [];
  const seconds = secondsIn(window, spells);
  const bytes = used[first.start]!;
  return [
    claim(ghostMemory, {
      ...outerSpan(window, spells),
      state: 'likely',
      severity: 'warning',
      gpus: [uuid],
      evidence: [
        observe(
          'evidence.ghost',
          { gpu: gpuName(gpu.device), bytes: amount(bytes, 'bytes'), span: spanOf(seconds) },
          'memory_used_bytes',
          { bytes, seconds },
        ),
      ],
    }),
  ];
}

/** A process that cannot be named while others can: it is gone, or lives where it cannot be seen. */
function nameless({ window, gpus }: CaseFile, { gpu, uuid }: GpuCase): Finding[] {
  const canName = gpus.some((other) =>
    other.gpu.processes.some(({ name, kind }) => name !== null && kind !== 'graphics'),
  );
  if (!canName) return [];
  return gpu.processes
    .filter(({ name, peakBytes, kind }) => name === null && kind !== 'graphics' && peakBytes >= LEAST_NAMELESS_BYTES)
    .map(({ pid, lastBytes, first, last }) =>
      claim(ghostMemory, {
        state: 'possible',
        severity: 'warning',
        gpus: [uuid],
        from: window.at[first] ?? window.from,
        to: window.at[last] ?? window.to,
        evidence: [
          observe('evidence.nameless', { gpu: gpuName(gpu.device), pid, bytes: amount(lastBytes, 'bytes') }, null, {
            pid,
            bytes: lastBytes,
          }),
        ],
      }),
    );
}
