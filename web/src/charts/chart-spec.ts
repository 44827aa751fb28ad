import { readingOf } from '../../../src/client/gpu-reading.ts';
import type { ApiGpu } from '../../../src/model/api.ts';
import type { MetricId } from '../../../src/model/catalogue.ts';
import type { Unit } from '../../../src/model/metrics/entry.ts';
import type { ChartWindow } from './chart-window.ts';

/** Names of the charts in the message table. */
type ChartTitle = `web.chart.${
  | 'utilisation'
  | 'activity'
  | 'memory'
  | 'power'
  | 'temperature'
  | 'clocks'
  | 'pcie'
  | 'nvlink'
  | 'ecc'}`;

/** How a metric is drawn: with its band of extremes in one of the colours of the chart, or as a limit. */
type LineStyle = 'main' | 'second' | 'third' | 'fourth' | 'limit';

export interface ChartLine {
  readonly metric: MetricId;
  readonly style: LineStyle;
  /** Metrics for the largest and the smallest value that the device saw between two samples. */
  readonly peak?: MetricId;
  readonly trough?: MetricId;
}

/** A value that does not change over time, drawn as a line across the chart. */
interface Threshold {
  readonly metric: MetricId;
}

/** One chart of the stack. */
export interface ChartSpec {
  readonly id: string;
  readonly title: ChartTitle;
  readonly unit: Unit;
  readonly lines: readonly ChartLine[];
  readonly thresholds: readonly Threshold[];
  /** Metrics of which the largest present reading is the top of the scale; without one the data decide. */
  readonly top: readonly MetricId[];
  /** Fills below the first line: for parts of a whole. */
  readonly filled: boolean;
  /** Draws why the clocks were lowered. */
  readonly reasons: boolean;
  /** Shown only where some value is above zero. */
  readonly onlyAboveZero: boolean;
  /** Many devices do not have what it shows, so that nobody misses it. */
  readonly isExtra: boolean;
}

const PLAIN = { thresholds: [], top: [], filled: false, reasons: false, onlyAboveZero: false, isExtra: false } as const;

const CHARTS: readonly ChartSpec[] = [
  {
    ...PLAIN,
    id: 'utilisation',
    title: 'web.chart.utilisation',
    unit: 'ratio',
    lines: [
      {
        metric: 'utilization_ratio',
        style: 'main',
        peak: 'utilization_peak_ratio',
        trough: 'utilization_trough_ratio',
      },
      {
        metric: 'memory_utilization_ratio',
        style: 'second',
        peak: 'memory_utilization_peak_ratio',
        trough: 'memory_utilization_trough_ratio',
      },
    ],
    filled: true,
  },
  {
    ...PLAIN,
    id: 'activity',
    title: 'web.chart.activity',
    unit: 'ratio',
    lines: [
      { metric: 'sm_active_ratio', style: 'main' },
      { metric: 'sm_occupancy_ratio', style: 'second' },
      { metric: 'tensor_active_ratio', style: 'third' },
      { metric: 'dram_active_ratio', style: 'fourth' },
    ],
    isExtra: true,
  },
  {
    ...PLAIN,
    id: 'memory',
    title: 'web.chart.memory',
    unit: 'bytes',
    lines: [{ metric: 'memory_used_bytes', style: 'main' }],
    top: ['memory_total_bytes'],
    filled: true,
  },
  {
    ...PLAIN,
    id: 'power',
    title: 'web.chart.power',
    unit: 'watts',
    lines: [
      { metric: 'power_watts', style: 'main', peak: 'power_peak_watts', trough: 'power_trough_watts' },
      { metric: 'power_limit_watts', style: 'limit' },
    ],
    top: ['power_limit_watts'],
  },
  {
    ...PLAIN,
    id: 'temperature',
    title: 'web.chart.temperature',
    unit: 'celsius',
    lines: [
      { metric: 'temperature_celsius', style: 'main' },
      { metric: 'memory_temperature_celsius', style: 'second' },
    ],
    thresholds: [{ metric: 'temperature_slowdown_celsius' }],
    top: ['temperature_slowdown_celsius'],
  },
  {
    ...PLAIN,
    id: 'clocks',
    title: 'web.chart.clocks',
    unit: 'hertz',
    lines: [
      { metric: 'sm_clock_hertz', style: 'main', peak: 'sm_clock_peak_hertz', trough: 'sm_clock_trough_hertz' },
      {
        metric: 'memory_clock_hertz',
        style: 'second',
        peak: 'memory_clock_peak_hertz',
        trough: 'memory_clock_trough_hertz',
      },
    ],
    top: ['sm_clock_max_hertz', 'memory_clock_max_hertz'],
    reasons: true,
  },
  {
    ...PLAIN,
    id: 'pcie',
    title: 'web.chart.pcie',
    unit: 'bytes-per-second',
    lines: [
      { metric: 'pcie_rx_bytes_per_second', style: 'main' },
      { metric: 'pcie_tx_bytes_per_second', style: 'second' },
    ],
  },
  {
    ...PLAIN,
    id: 'nvlink',
    title: 'web.chart.nvlink',
    unit: 'bytes-per-second',
    lines: [
      { metric: 'nvlink_rx_bytes_per_second', style: 'main' },
      { metric: 'nvlink_tx_bytes_per_second', style: 'second' },
    ],
    isExtra: true,
  },
  {
    ...PLAIN,
    id: 'ecc',
    title: 'web.chart.ecc',
    unit: 'count',
    lines: [
      { metric: 'ecc_corrected_volatile_total', style: 'main' },
      { metric: 'ecc_uncorrected_volatile_total', style: 'second' },
    ],
    onlyAboveZero: true,
  },
];

/** Every metric the stack needs: one request brings them all. */
export const CHART_METRICS: readonly MetricId[] = [
  ...new Set([
    ...CHARTS.flatMap(({ lines }) =>
      lines.flatMap(({ metric, peak, trough }) => [metric, peak ?? [], trough ?? []].flat()),
    ),
    'clock_event_reasons' as const,
  ]),
];

/** The charts worth their place for this GPU and time range: those with data. */
export function chartsWithData(window: ChartWindow): readonly ChartSpec[] {
  return CHARTS.filter((spec) => {
    return spec.lines.some(({ metric, style }) => {
      if (style === 'limit') return false;
      return spec.onlyAboveZero ? isEverAboveZero(window, metric) : window.has(metric);
    });
  });
}

/** The charts left out because the GPU does not report what they show. */
export function chartsWithoutData(window: ChartWindow): readonly ChartSpec[] {
  const shown = new Set(chartsWithData(window));
  return CHARTS.filter((spec) => !shown.has(spec) && !spec.onlyAboveZero && !spec.isExtra);
}

function isEverAboveZero(window: ChartWindow, metric: MetricId): boolean {
  return window.column(metric)?.max.some((value) => value !== null && value > 0) ?? false;
}

/** A device is hardly ever colder than this, so the axis of temperatures need not begin at zero. */
const COOL_CELSIUS = 20;

/** Ends of the value axis, given the smallest and the largest value drawn. */
export function valueRange(spec: ChartSpec, gpu: ApiGpu, lowest: number, highest: number): [min: number, max: number] {
  if (spec.unit === 'ratio') return [0, Math.max(1, highest)];
  const limits = spec.top.flatMap((metric) => readingOf(gpu, metric) ?? []);
  const top = Math.max(highest, ...limits);
  if (top <= 0) return [0, 1];
  const bottom = spec.unit === 'celsius' ? Math.min(COOL_CELSIUS, lowest) : 0;
  return [bottom, spec.unit === 'bytes' && limits.length > 0 ? top : bottom + (top - bottom) * 1.08];
}
