import type { MetricId } from './catalogue.ts';

/** What every device that works tells at least in part. */
export const CORE_METRICS = [
  'utilization_ratio',
  'memory_utilization_ratio',
  'memory_used_bytes',
  'temperature_celsius',
  'power_watts',
] as const satisfies readonly MetricId[];

/** Reasons for an absence that are no property of the device. */
export const AMISS: readonly string[] = ['error', 'no-permission', 'gpu-lost'];
