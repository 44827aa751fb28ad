import type { MetricId } from '../../model/catalogue.ts';
import type { Severity } from '../../model/event.ts';
import type { Evidence, Finding } from '../../model/finding.ts';
import type { CaseFile } from '../case/case-file.ts';
import { claim, type Detector, noClaim, observe } from '../detector.ts';
import type { GpuSeries } from '../window/window.ts';
import { gpuName } from '../wording.ts';
import { growthOf } from './growth.ts';

const STATES = [
  { metric: 'remapped_rows_failure', key: 'evidence.remap-failed', severity: 'critical' },
  { metric: 'remapped_rows_pending', key: 'evidence.remap-pending', severity: 'warning' },
  { metric: 'retired_pages_pending', key: 'evidence.retirement-pending', severity: 'warning' },
] as const;

const COUNTERS = [
  { metric: 'remapped_rows_uncorrectable_total', key: 'evidence.rows-remapped', severity: 'warning' },
  { metric: 'retired_pages_uncorrected_total', key: 'evidence.pages-retired', severity: 'warning' },
] as const;

const METRICS: readonly MetricId[] = [...STATES, ...COUNTERS].map(({ metric }) => metric);

/** Memory that the driver has taken out of use, or failed to. */
export const rowRemap: Detector = {
  id: 'row-remap',
  layer: 'health',
  needs: [],
  detect(file) {
    const { gpus } = file.window;
    if (!gpus.some((gpu) => METRICS.some((id) => gpu.has(id)))) {
      return [
        noClaim(rowRemap, file, 'not-evaluable', 'evidence.missing', [
          'remapped_rows_pending',
          'remapped_rows_failure',
        ]),
      ];
    }
    return gpus.flatMap((gpu) => look(file, gpu));
  },
};

function look({ window }: CaseFile, gpu: GpuSeries): Finding[] {
  const evidence: Evidence[] = [];
  let severity: Severity = 'info';
  let first = window.length - 1;
  const note = (seen: Evidence, how: Severity, cell: number): void => {
    evidence.push(seen);
    if (how === 'critical' || severity === 'info') severity = how;
    first = Math.min(first, cell);
  };
  for (const { metric, key, severity: how } of STATES) {
    const cell = gpu.column(metric)?.findIndex((value) => value >= 1) ?? -1;
    if (cell >= 0) note(observe(key, { gpu: gpuName(gpu.device) }, metric, { value: 1 }), how, cell);
  }
  for (const { metric, key, severity: how } of COUNTERS) {
    const growth = growthOf(window, gpu.column(metric));
    if (growth === null || growth.total === 0) continue;
    note(
      observe(key, { gpu: gpuName(gpu.device), count: growth.total }, metric, { growth: growth.total }),
      how,
      growth.first,
    );
  }
  if (evidence.length === 0) return [];
  return [
    claim(rowRemap, {
      state: 'confirmed',
      severity,
      gpus: [gpu.device.uuid],
      from: window.at[first]!,
      to: window.to,
      evidence,
    }),
  ];
}
