import type { MetricId } from '../../model/catalogue.ts';

/** One metric of GPM: its id, what it is here, and how its number is to be read. */
export interface GpmMetric {
  readonly id: number;
  readonly metric: MetricId;
  readonly kind: 'percent' | 'mebibytes-per-second';
  /** Only where the GPU does not count the bytes of this itself. */
  readonly standsInFor?: 'pcie' | 'nvlink';
}

const share = (id: number, metric: MetricId): GpmMetric => ({ id, metric, kind: 'percent' });

const rate = (id: number, metric: MetricId, standsInFor: 'pcie' | 'nvlink'): GpmMetric => ({
  id,
  metric,
  kind: 'mebibytes-per-second',
  standsInFor,
});

/** What is asked for, in the driver's numbering. */
export const GPM_METRIC_LIST: readonly GpmMetric[] = [
  share(1, 'graphics_engine_active_ratio'),
  share(2, 'sm_active_ratio'),
  share(3, 'sm_occupancy_ratio'),
  share(4, 'integer_active_ratio'),
  share(5, 'tensor_active_ratio'),
  share(6, 'tensor_dfma_active_ratio'),
  share(7, 'tensor_hmma_active_ratio'),
  share(8, 'tensor_dmma_active_ratio'),
  share(9, 'tensor_imma_active_ratio'),
  share(10, 'dram_active_ratio'),
  share(11, 'fp64_active_ratio'),
  share(12, 'fp32_active_ratio'),
  share(13, 'fp16_active_ratio'),
  rate(20, 'pcie_tx_bytes_per_second', 'pcie'),
  rate(21, 'pcie_rx_bytes_per_second', 'pcie'),
  rate(60, 'nvlink_rx_bytes_per_second', 'nvlink'),
  rate(61, 'nvlink_tx_bytes_per_second', 'nvlink'),
];
