import { CATALOGUE, type Metric, type MetricId, metric } from '../../../model/catalogue.ts';
import type { Meaning, MetricMeaning } from './meaning.ts';
import { plainScale, smiMeaning, smiNames } from './smi-fields.ts';
import { timeUnitMillis, unitScale } from './units.ts';

/**
 * Names that scripts give their columns, in lower case with `_` between words and without the unit. Only names that
 * cannot mean anything else: `mem_util`, for one, is bandwidth for some and the share of memory in use for others.
 */
const OWN_NAMES: Readonly<Partial<Record<MetricId, readonly string[]>>> = {
  utilization_ratio: [
    'gpu_util',
    'gpu_utilization',
    'gpu_utilisation',
    'utilization',
    'utilisation',
    'util',
    'util_gpu',
    'gpu_load',
  ],
  memory_used_bytes: [
    'mem_used',
    'vram_used',
    'gpu_memory_used',
    'gpu_mem_used',
    'used_memory',
    'fb_used',
    'memory_usage',
    'mem_usage',
  ],
  memory_total_bytes: ['mem_total', 'vram_total', 'gpu_memory_total', 'gpu_mem_total', 'total_memory', 'fb_total'],
  memory_free_bytes: ['mem_free', 'vram_free', 'gpu_memory_free', 'gpu_mem_free', 'free_memory', 'fb_free'],
  temperature_celsius: ['temp', 'temperature', 'gpu_temp', 'gpu_temperature', 'temp_gpu'],
  power_watts: ['power', 'gpu_power', 'power_usage', 'gpu_power_draw', 'gpu_power_usage'],
  power_limit_watts: ['power_limit', 'power_cap'],
  fan_speed_ratio: ['gpu_fan_speed', 'fan'],
  sm_clock_hertz: ['sm_clock', 'clock_sm', 'gpu_sm_clock'],
  memory_clock_hertz: ['mem_clock', 'memory_clock', 'clock_mem', 'clock_memory'],
  graphics_clock_hertz: ['graphics_clock', 'clock_graphics'],
};

/** Own names that mean something only together with a unit. */
const NEED_UNIT: ReadonlySet<string> = new Set(['memory_usage', 'mem_usage', 'fan']);

/** Own names of columns that are no metric. */
const OWN_FIELDS: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ...['time', 'date', 'datetime', 'date_time', 'ts', 'unix_time', 'unix_timestamp', 'time_stamp', 'timestamp_utc'].map(
    (name): [string, Meaning] => [name, { kind: 'time' }],
  ),
  ...['elapsed', 'elapsed_time', 'time_elapsed', 'relative_time', 'seconds'].map((name): [string, Meaning] => [
    name,
    { kind: 'elapsed', unitMs: 1000 },
  ]),
  ...[
    'gpu',
    'gpu_id',
    'gpuid',
    'gpu_index',
    'gpu_idx',
    'gpu_num',
    'gpu_number',
    'idx',
    'device',
    'device_id',
    'device_index',
  ].map((name): [string, Meaning] => [name, { kind: 'index' }]),
  ...['device_name', 'gpu_model'].map((name): [string, Meaning] => [name, { kind: 'name' }]),
  ...['hostname', 'host', 'host_name', 'node', 'nodename', 'node_name', 'machine', 'machine_name'].map(
    (name): [string, Meaning] => [name, { kind: 'host' }],
  ),
  ['epoch', { kind: 'epoch' }],
  ['bus_id', { kind: 'bus-id' }],
  ['pci_bus_id', { kind: 'bus-id' }],
  ['driver', { kind: 'driver' }],
]);

/** Own names and the fields of nvidia-smi with `_` for the dots, such as `utilization_gpu`. */
const OWN_METRICS: ReadonlyMap<string, Metric> = new Map([
  ...CATALOGUE.flatMap((entry) => smiNames(entry).map((name): [string, Metric] => [wordsOf(name), entry])),
  ...Object.entries(OWN_NAMES).flatMap(([id, names]) =>
    names.map((name): [string, Metric] => [name, metric(id as MetricId)]),
  ),
]);

const OWN_RANK = 2;
const UNKNOWN: Meaning = { kind: 'unknown' };

/** What a column is about that somebody gave a name of his own; the unit is empty or stands at the end of the name. */
export function ownMeaning(name: string, unit: string): Meaning {
  const words = wordsOf(name);
  const whole = namedBy(words, unit);
  if (whole.kind !== 'unknown' || unit !== '') return whole;
  const cut = words.lastIndexOf('_');
  return cut === -1 ? UNKNOWN : namedBy(words.slice(0, cut), words.slice(cut + 1));
}

/** The same with the unit that was written; unknown where the two do not fit. */
export function withUnit(meaning: MetricMeaning, unit: string): Meaning {
  if (unit === '') return meaning;
  const scale = unitScale(meaning.metric.unit, unit);
  return scale === null ? UNKNOWN : { ...meaning, scale };
}

function namedBy(words: string, unit: string): Meaning {
  const entry = OWN_METRICS.get(words);
  if (entry !== undefined) {
    if (unit === '' && NEED_UNIT.has(words)) return UNKNOWN;
    return withUnit({ kind: 'metric', metric: entry, scale: plainScale(entry), rank: OWN_RANK }, unit);
  }
  const field = OWN_FIELDS.get(words) ?? smiMeaning(words) ?? UNKNOWN;
  if (unit === '') return field;
  const unitMs = timeUnitMillis(unit);
  if (unitMs === null) return UNKNOWN;
  if (field.kind === 'elapsed') return { kind: 'elapsed', unitMs };
  return field.kind === 'time' || field.kind === 'epoch' ? field : UNKNOWN;
}

/** `GPU_ID`, `gpuUtil` and `Power ` as `gpu_id`, `gpu_util` and `power`. */
function wordsOf(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '');
}
