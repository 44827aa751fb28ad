import type { Evidence, Finding } from '../../model/finding.ts';
import type { CaseFile } from '../case/case-file.ts';
import { claim, type Detector, noClaim, observe } from '../detector.ts';
import type { GpuSeries } from '../window/window.ts';
import { gpuName } from '../wording.ts';
import { growthOf } from './growth.ts';

/** CRC errors matter from this rate on; the links correct them. */
const CRC_PER_SECOND = 100;

const ERRORS = [
  { metric: 'nvlink_recovery_errors_total', kind: 'recovery', perMinute: 0 },
  { metric: 'nvlink_replay_errors_total', kind: 'replay', perMinute: 10 },
  { metric: 'nvlink_crc_errors_total', kind: 'CRC', perMinute: 60 * CRC_PER_SECOND },
  { metric: 'nvlink_crc_flit_errors_total', kind: 'CRC flit', perMinute: 60 * CRC_PER_SECOND },
] as const;

/** NVLinks that went down, or that have to repeat too much. */
export const nvlinkDegraded: Detector = {
  id: 'nvlink-degraded',
  layer: 'health',
  needs: [],
  detect(file) {
    const isKnown = file.window.gpus.some(
      (gpu) => gpu.has('nvlink_active_links') || ERRORS.some(({ metric }) => gpu.has(metric)),
    );
    if (!isKnown)
      return [
        noClaim(nvlinkDegraded, file, 'not-evaluable', 'evidence.missing', [
          'nvlink_active_links',
          'nvlink_recovery_errors_total',
        ]),
      ];
    return file.window.gpus.flatMap((gpu) => look(file, gpu));
  },
};

function look({ window }: CaseFile, gpu: GpuSeries): Finding[] {
  const down = linksDown(gpu);
  const errors = ERRORS.flatMap(({ metric, kind, perMinute }): Evidence[] => {
    const growth = growthOf(window, gpu.column(metric));
    if (growth === null || growth.worstMinute <= perMinute) return [];
    return [
      observe('evidence.nvlink-errors', { gpu: gpuName(gpu.device), count: growth.total, kind }, metric, {
        growth: growth.total,
        worstMinute: growth.worstMinute,
      }),
    ];
  });
  if (down === null && errors.length === 0) return [];
  return [
    claim(nvlinkDegraded, {
      state: down !== null && errors.length > 0 ? 'confirmed' : 'likely',
      severity: down !== null ? 'critical' : 'warning',
      gpus: [gpu.device.uuid],
      from: window.at[down?.cell ?? 0]!,
      to: window.to,
      evidence: [down?.seen ?? null, ...errors],
    }),
  ];
}

/** Fewer active links than before in the recording; links that were never up may be unused on purpose. */
function linksDown(gpu: GpuSeries): { seen: Evidence; cell: number } | null {
  const active = gpu.column('nvlink_active_links');
  if (active === null) return null;
  let most = 0;
  for (let cell = 0; cell < active.length; cell++) {
    if (active[cell]! > most) most = active[cell]!;
    if (active[cell]! < most && !(active[cell + 1]! >= most)) {
      const seen = observe(
        'evidence.nvlink-down',
        { gpu: gpuName(gpu.device), active: active[cell]!, total: most },
        'nvlink_active_links',
        { active: active[cell]!, before: most },
      );
      return { seen, cell };
    }
  }
  return null;
}
