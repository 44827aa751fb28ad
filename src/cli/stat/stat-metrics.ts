import type { MetricId } from '../../model/catalogue.ts';

/** What the lines of `stat` show in either layout, and what its filters and its exit status go by. JSON has every metric. */
export const STAT_METRICS: readonly MetricId[] = [
  'utilization_ratio',
  'graphics_engine_active_ratio',
  'encoder_utilization_ratio',
  'decoder_utilization_ratio',
  'temperature_celsius',
  'fan_speed_ratio',
  'power_watts',
  'power_limit_watts',
  'memory_used_bytes',
  'memory_total_bytes',
  'clock_event_reasons',
  'remapped_rows_failure',
];
