import type { Finding } from '../../model/finding.ts';
import type { CaseFile } from '../case/case-file.ts';
import type { GpuCase } from '../case/gpu-case.ts';
import { IDLE_BELOW } from '../case/working.ts';
import { claim, type Detector, noClaim, observe } from '../detector.ts';
import { lasting, outerSpan, secondsIn } from '../spells.ts';
import { maskOf } from '../statistics/stretches.ts';
import { medianUnder } from '../statistics/summary.ts';
import { amount, gpuName, gpuNames, spanOf } from '../wording.ts';

const LEAST_SECONDS = 60;

/** What drivers and displays take for themselves stays below this. */
const LEAST_BYTES = 2 ** 30;
const LEAST_SHARE = 0.05;
const LEAST_NAMELESS_BYTES = 0.5 * 2 ** 30;

/** A GPU works in so many samples, and this share of those, in which none of its processes is listed: the list does not show them. */
const UNSEEN_SAMPLES = 3;
const UNSEEN_SHARE = 0.02;

/** Drawing alone keeps a GPU less busy than this. */
const DRAWS_BELOW = 0.5;

/** Memory in use though no process that computes is seen. */
export const ghostMemory: Detector = {
  id: 'ghost-memory',
  layer: 'performance',
  needs: [],
  detect(file) {
    if (!file.gpus.some(({ gpu }) => gpu.computing !== null))
      return [noClaim(ghostMemory, file, 'not-evaluable', 'evidence.no-process-list')];
    const hidden = file.gpus.filter(isHidden);
    // A list that never names anybody while GPUs work names nobody on those that rest either.
    const isBlind = hidden.length > 0 && !file.gpus.some(({ gpu }) => isListed(gpu));
    const found = file.gpus.flatMap((gpu) => [
      ...(isBlind || hidden.includes(gpu) ? [] : orphaned(file, gpu)),
      ...nameless(file, gpu),
    ]);
    if (found.length > 0 || hidden.length === 0) return found;
    const gpus = gpuNames(hidden.map(({ gpu }) => gpu.device));
    return [noClaim(ghostMemory, file, 'not-evaluable', observe('evidence.processes-hidden', { gpus }))];
  },
};

function isListed({ processes }: GpuCase['gpu']): boolean {
  return processes.some(({ kind }) => kind !== 'graphics');
}

/** True where the GPU works though nobody is listed on it: as in a container, which does not see the pids of the host. */
function isHidden({ gpu: { computing, processes }, util }: GpuCase): boolean {
  if (computing === null || util === null) return false;
  const draws = processes.some(({ kind }) => kind === 'graphics');
  const least = draws ? DRAWS_BELOW : IDLE_BELOW;
  let [unlisted, working] = [0, 0];
  for (let cell = 0; cell < util.length; cell++) {
    if (computing[cell] !== 0) continue;
    unlisted++;
    if (util[cell]! >= least) working++;
  }
  return working >= UNSEEN_SAMPLES && working >= UNSEEN_SHARE * unlisted;
}

function orphaned({ window, gpus }: CaseFile, { gpu, uuid }: GpuCase): Finding[] {
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
  if (spells.length === 0) return [];
  const seconds = secondsIn(window, spells);
  const bytes = medianUnder(used, maskOf(window.length, spells));
  const isSeen = gpus.some((other) => isListed(other.gpu));
  return [
    claim(ghostMemory, {
      ...outerSpan(window, spells),
      state: isSeen ? 'likely' : 'possible',
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
