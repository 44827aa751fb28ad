import type { GpuCase } from '../case/gpu-case.ts';
import { present, quantiles } from '../statistics/summary.ts';

/** Median of what a link carries at work, as a share of what it can; null where it is not known. */
export function linkLoad({ gpu, work }: GpuCase): { readonly rate: number; readonly share: number } | null {
  const [rx, tx] = [gpu.column('pcie_rx_bytes_per_second'), gpu.column('pcie_tx_bytes_per_second')];
  const generation = gpu.peak('pcie_link_generation');
  const width = gpu.peak('pcie_link_width');
  if (rx === null || tx === null || generation === null || width === null) return null;
  const both = rx.map((value, cell) => value + tx[cell]!);
  const values = present(both, work.mask);
  const rate = quantiles(values, [0.5])[0]!;
  const capacity = laneRate(generation) * width;
  return values.length === 0 ? null : { rate, share: rate / capacity };
}

/** Bytes per second of one lane in one direction, by PCIe generation. */
const LANE_RATES = [0, 0.25e9, 0.5e9, 0.985e9, 1.969e9, 3.938e9, 7.563e9];

function laneRate(generation: number): number {
  return LANE_RATES[Math.round(generation)] ?? LANE_RATES.at(-1)!;
}
