import { CATALOGUE, type Metric, type MetricId, metric } from '../../../model/catalogue.ts';
import { CLOCK_EVENT_REASONS } from '../../../model/clock-events.ts';
import { timeUnitMillis, unitScale } from './units.ts';

/** What a column of a log is about. */
export type Meaning =
  /** A reading. `scale` turns a plain number into the base unit; the column with the lowest `rank` is taken. */
  | {
      readonly kind: 'metric';
      readonly metric: Metric;
      readonly scale: number;
      readonly rank: number;
      readonly isOwnName: boolean;
    }
  /** `Active` or `Not Active` for one bit of the clock event reasons. */
  | { readonly kind: 'reason'; readonly bit: number }
  /** A date, a time since 1970 or, decided by its values, seconds from the start. */
  | { readonly kind: 'time' }
  /** Time from the start; `unitMs` is the length of one. */
  | { readonly kind: 'elapsed'; readonly unitMs: number }
  | { readonly kind: 'uuid' | 'bus-id' | 'serial' | 'index' | 'name' | 'driver' | 'mig-mode' }
  | { readonly kind: 'pid' | 'process-name' | 'process-memory' }
  /** The mark of a query that has no readings of devices. */
  | { readonly kind: 'other-query' }
  /** A field of nvidia-smi that gpulse has no use for. */
  | { readonly kind: 'unused' }
  | { readonly kind: 'unknown' };

const UNUSED: Meaning = { kind: 'unused' };
const UNKNOWN: Meaning = { kind: 'unknown' };

/** Fields of nvidia-smi that are no metric, by their names in lower case. */
const FIELDS: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ['timestamp', { kind: 'time' }],
  ['uuid', { kind: 'uuid' }],
  ['gpu_uuid', { kind: 'uuid' }],
  ['pci.bus_id', { kind: 'bus-id' }],
  ['gpu_bus_id', { kind: 'bus-id' }],
  ['serial', { kind: 'serial' }],
  ['gpu_serial', { kind: 'serial' }],
  ['index', { kind: 'index' }],
  ['name', { kind: 'name' }],
  ['gpu_name', { kind: 'name' }],
  ['driver_version', { kind: 'driver' }],
  ['mig.mode.current', { kind: 'mig-mode' }],
  ['pid', { kind: 'pid' }],
  ['process_name', { kind: 'process-name' }],
  ['used_gpu_memory', { kind: 'process-memory' }],
  ['max_memory_usage', { kind: 'other-query' }],
  ['vgpu_instance', { kind: 'other-query' }],
  ['retired_pages.address', { kind: 'other-query' }],
  ['retired_pages.cause', { kind: 'other-query' }],
]);

/** Fields that stand in for a metric where its own field is not in the log. */
const STAND_INS: ReadonlyMap<string, MetricId> = new Map([
  ['power.draw.instant', 'power_watts'],
  ['gpu.power.draw.instant', 'power_watts'],
  ['power.limit', 'power_limit_watts'],
  ['gpu.power.requested_limit', 'power_limit_watts'],
]);

/** First parts of the dotted fields of nvidia-smi, and its fields without a dot. */
const FAMILIES =
  /^(accounting|c2c|clocks|clocks_event_reasons|clocks_event_reasons_counters|clocks_throttle_reasons|dramencryption|driver_model|ecc|encoder|enforced|fabric|gom|gpu\.base|gpu\.power|gpu_operation_mode|gsp|inforom|mig|module|pci|pcie|platform|power|power_smoothing|protected_memory|remapped_rows|reset_status|retired_pages|vgpu_device_capability|vgpu_driver_capability|bbx)\./;
const SINGLE_FIELDS: ReadonlySet<string> = new Set(
  'accounting.mode addressing_mode compute_cap compute_mode count display_active display_attached display_mode edpp_multiplier gpu_recovery_action hostname kmd_version persistence_mode utilization.jpeg utilization.ofa vbios_version'.split(
    ' ',
  ),
);

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

const OWN_FIELDS: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ...[
    'time',
    'date',
    'datetime',
    'date_time',
    'ts',
    'epoch',
    'unix_time',
    'unix_timestamp',
    'time_stamp',
    'timestamp_utc',
  ].map((name): [string, Meaning] => [name, { kind: 'time' }]),
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
  ['bus_id', { kind: 'bus-id' }],
  ['pci_bus_id', { kind: 'bus-id' }],
  ['driver', { kind: 'driver' }],
]);

const SMI_METRICS: ReadonlyMap<string, Meaning> = new Map(
  CATALOGUE.flatMap((entry): [string, Meaning][] => {
    if (entry.smi === undefined) return [];
    const names = [entry.smi.field, ...(entry.smi.aliases ?? [])];
    return names.map((name, rank) => [name, metricMeaning(entry, plainScale(entry), Math.min(rank, 1), false)]);
  }),
);

const REASON_FIELDS: ReadonlyMap<string, Meaning> = new Map(
  CLOCK_EVENT_REASONS.flatMap(({ bit, smi }): [string, Meaning][] =>
    smi === null
      ? []
      : ['clocks_event_reasons', 'clocks_throttle_reasons'].map((stem) => [`${stem}.${smi}`, { kind: 'reason', bit }]),
  ),
);

/** Own names and the fields of nvidia-smi with `_` for the dots, such as `utilization_gpu`. */
const OWN_METRICS: ReadonlyMap<string, Metric> = new Map([
  ...Object.entries(OWN_NAMES).flatMap(([id, names]) =>
    names.map((name): [string, Metric] => [name, metric(id as MetricId)]),
  ),
  ...CATALOGUE.flatMap((entry): [string, Metric][] => {
    if (entry.smi === undefined) return [];
    return [entry.smi.field, ...(entry.smi.aliases ?? [])].map((name) => [name.replaceAll('.', '_'), entry]);
  }),
]);

function metricMeaning(entry: Metric, scale: number, rank: number, isOwnName: boolean): Meaning {
  return { kind: 'metric', metric: entry, scale, rank, isOwnName };
}

/** Factor of a number without a unit: the unit nvidia-smi would print. */
function plainScale(entry: Metric): number {
  return unitScale(entry.unit, entry.smi?.unit ?? '') ?? 1;
}

/** What the title of a column means, such as `memory.used [MiB]`, `memory_used_mb` or `Temp (C)`. */
export function meaningOf(title: string): Meaning {
  const bracketed = /^(.*?)\s*[[(]([^\])]*)[\])]$/s.exec(title);
  const name = (bracketed?.[1] ?? title).trim();
  const unit = bracketed?.[2]?.trim() ?? '';
  return smiMeaning(name.toLowerCase(), unit) ?? ownMeaning(wordsOf(name), unit);
}

/** True if this is how nvidia-smi itself would head the column: enough to know a header of one column. */
export function isSmiTitle(title: string): boolean {
  const isPlain = !/[.[]/.test(title);
  return (
    !isPlain &&
    !['unknown', 'unused'].includes(smiMeaning(title.replace(/\s*\[.*$/s, '').toLowerCase(), '')?.kind ?? 'unknown')
  );
}

function smiMeaning(name: string, unit: string): Meaning | null {
  const found = SMI_METRICS.get(name);
  if (found?.kind === 'metric') return withUnit(found, unit);
  const standIn = STAND_INS.get(name);
  if (standIn !== undefined)
    return withUnit({ kind: 'metric', metric: metric(standIn), scale: 1, rank: 3, isOwnName: false }, unit);
  const field = FIELDS.get(name) ?? REASON_FIELDS.get(name);
  if (field !== undefined) return field;
  return FAMILIES.test(name) || SINGLE_FIELDS.has(name) ? UNUSED : null;
}

type MetricMeaning = Extract<Meaning, { kind: 'metric' }>;

function withUnit(meaning: MetricMeaning, unit: string): Meaning {
  if (unit === '') return meaning;
  const scale = unitScale(meaning.metric.unit, unit);
  return scale === null ? UNKNOWN : { ...meaning, scale };
}

/** `GPU_ID`, `gpuUtil` and `Power (W)` as `gpu_id`, `gpu_util` and `power`. */
function wordsOf(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '');
}

function ownMeaning(words: string, unit: string): Meaning {
  const whole = ownNamed(words, unit);
  if (whole.kind !== 'unknown' || unit !== '') return whole;
  const cut = words.lastIndexOf('_');
  return cut === -1 ? UNKNOWN : ownNamed(words.slice(0, cut), words.slice(cut + 1));
}

function ownNamed(words: string, unit: string): Meaning {
  const entry = OWN_METRICS.get(words);
  if (entry !== undefined) {
    if (unit === '' && NEED_UNIT.has(words)) return UNKNOWN;
    const own: MetricMeaning = { kind: 'metric', metric: entry, scale: plainScale(entry), rank: 2, isOwnName: true };
    return withUnit(own, unit);
  }
  const field = OWN_FIELDS.get(words) ?? FIELDS.get(words);
  if (field === undefined || unit === '') return field ?? UNKNOWN;
  const unitMs = timeUnitMillis(unit);
  if (unitMs === null) return UNKNOWN;
  if (field.kind === 'elapsed') return { kind: 'elapsed', unitMs };
  return field.kind === 'time' ? field : UNKNOWN;
}
