import type { MetricId } from '../../model/catalogue.ts';
import type { Finding } from '../../model/finding.ts';
import type { CaseFile } from '../case/case-file.ts';
import { claim, type Detector, noClaim, observe } from '../detector.ts';
import type { GpuSeries, Window } from '../window/window.ts';
import { figure, gpuName, spanOf } from '../wording.ts';
import { type Growth, growthOf } from './growth.ts';

/** Corrected errors harm nothing; more than so many an hour are the sign of a cell that fails. */
const CORRECTED_PER_HOUR = 10;

/** A rate needs so many errors, whatever the time. */
const LEAST_CORRECTED = 10;

const HOUR = 3600;

const UNCORRECTED: readonly MetricId[] = [
  'ecc_uncorrected_volatile_total',
  'ecc_dram_uncorrected_volatile_total',
  'ecc_uncorrected_aggregate_total',
];
const CORRECTED: readonly MetricId[] = [
  'ecc_corrected_volatile_total',
  'ecc_dram_corrected_volatile_total',
  'ecc_corrected_aggregate_total',
];

/** New memory errors: any that could not be corrected, or many that could. */
export const eccGrowth: Detector = {
  id: 'ecc-growth',
  layer: 'health',
  needs: [],
  detect(file) {
    const { gpus } = file.window;
    const found = gpus.flatMap((gpu) => [...uncorrected(file, gpu), ...corrected(file, gpu)]);
    if (found.length > 0) return found;
    const isCounted = gpus.some((gpu) => [...UNCORRECTED, ...CORRECTED].some((id) => gpu.has(id)));
    return isCounted
      ? []
      : [
          noClaim(eccGrowth, file, 'not-evaluable', 'evidence.missing', [
            'ecc_uncorrected_volatile_total',
            'ecc_corrected_volatile_total',
          ]),
        ];
  },
};

function firstGrowth(window: Window, gpu: GpuSeries, ids: readonly MetricId[]): (Growth & { metric: MetricId }) | null {
  for (const metric of ids) {
    const growth = growthOf(window, gpu.column(metric));
    if (growth !== null) return { ...growth, metric };
  }
  return null;
}

function uncorrected({ window }: CaseFile, gpu: GpuSeries): Finding[] {
  const growth = firstGrowth(window, gpu, UNCORRECTED);
  if (growth === null) return [];
  const { metric, total, first, last, before } = growth;
  const base = { gpus: [gpu.device.uuid], from: window.at[first]!, to: window.at[last]! };
  if (total > 0) {
    const seen = observe('evidence.ecc-uncorrected', { gpu: gpuName(gpu.device), count: total }, metric, {
      growth: total,
    });
    return [claim(eccGrowth, { ...base, state: 'confirmed', severity: 'critical', evidence: [seen] })];
  }
  // A total over the life of the card says nothing about now.
  if (before === 0 || metric === 'ecc_uncorrected_aggregate_total') return [];
  const old = observe('evidence.ecc-before', { gpu: gpuName(gpu.device), count: before }, metric, { value: before });
  return [claim(eccGrowth, { ...base, state: 'possible', severity: 'warning', evidence: [old] })];
}

function corrected({ window }: CaseFile, gpu: GpuSeries): Finding[] {
  const growth = firstGrowth(window, gpu, CORRECTED);
  if (growth === null || growth.total < LEAST_CORRECTED) return [];
  const { metric, total, first, last, worstHour } = growth;
  if (worstHour < CORRECTED_PER_HOUR) return [];
  const seconds = (window.at[last]! - window.at[first]!) / 1000;
  const hasXid = window.events.some(
    ({ uuid, params }) => uuid === gpu.device.uuid && Number(params['xid'] ?? params['code']) === 92,
  );
  const rate = worstHour;
  return [
    claim(eccGrowth, {
      state: hasXid ? 'confirmed' : 'likely',
      severity: 'warning',
      gpus: [gpu.device.uuid],
      from: window.at[first]!,
      to: window.at[last]!,
      evidence: [
        observe(
          'evidence.ecc-corrected',
          {
            gpu: gpuName(gpu.device),
            count: total,
            span: spanOf(Math.min(seconds, HOUR * 24 * 365)),
            rate: figure(rate),
          },
          metric,
          { growth: total, worstHour: rate },
        ),
      ],
    }),
  ];
}
