import type { Finding } from '../../model/finding.ts';
import type { CaseFile } from '../case/case-file.ts';
import type { GpuCase } from '../case/gpu-case.ts';
import { claim, type Detector, noClaim, observe } from '../detector.ts';
import { meanUnder, present } from '../statistics/summary.ts';
import type { ProcessTrack } from '../window/process-log.ts';
import type { Window } from '../window/window.ts';
import { gpuName, percent, spanOf } from '../wording.ts';

const LEAST_SECONDS = 30;

/** Less free memory than this is an impact of its own. */
const HEADROOM = 0.1;

/** Utilisation that rises by so much while the other one runs is its work. */
const MORE_BUSY = 0.15;

/** Helpers that hold a context but are nobody's rival. */
const HELPERS = /^(nvidia-cuda-mps|Xorg|gnome-shell|dcgm|nv-hostengine|gpulse|nvtop|nvitop)/i;

/** Somebody else's program on the same GPU. */
export const foreignProcess: Detector = {
  id: 'foreign-process',
  layer: 'performance',
  needs: [],
  detect(file) {
    const isListed = file.gpus.some(({ gpu }) => gpu.computing !== null);
    if (!isListed) return [noClaim(foreignProcess, file, 'not-evaluable', 'evidence.no-process-list')];
    return file.gpus.flatMap((gpu) => look(file, gpu));
  },
};

function look({ window }: CaseFile, gpu: GpuCase): Finding[] {
  const rivals = gpu.gpu.processes.filter(({ kind, name }) => kind !== 'graphics' && !HELPERS.test(name ?? ''));
  const [own] = [...rivals].sort((a, b) => b.samples - a.samples || b.peakBytes - a.peakBytes);
  if (own === undefined) return [];
  return rivals
    .filter((other) => other !== own && isForeign(own, other))
    .flatMap((other) => beside(window, gpu, own, other));
}

/** Another user or owner; processes of the same one are workers of one program or runs after each other. */
function isForeign(own: ProcessTrack, other: ProcessTrack): boolean {
  if (own.owner !== null && other.owner !== null && own.owner !== other.owner) return true;
  return own.user !== null && other.user !== null && own.user !== other.user;
}

function beside(window: Window, gpu: GpuCase, own: ProcessTrack, other: ProcessTrack): Finding[] {
  const start = Math.max(own.first, other.first);
  const end = Math.min(own.last, other.last, window.length - 1);
  const seconds = window.secondsOf(() => true, { start, end: end + 1 });
  if (end < start || seconds < LEAST_SECONDS) return [];
  const { memory, util } = gpu;
  const free = memory === null ? Number.NaN : 1 - Math.max(...present(memory, null, start, end + 1));
  const during = util === null ? Number.NaN : meanUnder(util, null, start, end + 1);
  const before = util === null ? Number.NaN : meanUnder(util, null, own.first, start);
  const isTight = free < HEADROOM;
  const isBusier = during - before >= MORE_BUSY;
  return [
    claim(foreignProcess, {
      state: isTight && isBusier ? 'confirmed' : isTight || isBusier ? 'likely' : 'possible',
      severity: isTight || isBusier ? 'warning' : 'info',
      gpus: [gpu.uuid],
      from: window.at[start]!,
      to: window.at[end]!,
      evidence: [
        observe(
          'evidence.foreign',
          {
            gpu: gpuName(gpu.gpu.device),
            pid: other.pid,
            user: other.user ?? '?',
            own: own.pid,
            ownUser: own.user ?? '?',
            span: spanOf(seconds),
          },
          null,
          { pid: other.pid, own: own.pid, seconds },
        ),
        isTight ? observe('evidence.foreign-memory', { share: percent(free) }, 'memory_used_bytes', { free }) : null,
        isBusier
          ? observe(
              'evidence.foreign-power',
              { after: percent(during), before: percent(before) },
              'utilization_ratio',
              { during, before },
            )
          : null,
      ],
    }),
  ];
}
