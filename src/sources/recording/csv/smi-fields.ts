import { CATALOGUE, type Metric, type MetricId, metric } from '../../../model/catalogue.ts';
import { CLOCK_EVENT_REASONS } from '../../../model/clock-events.ts';
import type { Meaning } from './meaning.ts';
import { unitScale } from './units.ts';

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

/** Fields that stand in for another metric where its own field is not in the log. */
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
  'accounting.mode addressing_mode compute_cap compute_mode count display_active display_attached display_mode edpp_multiplier gpu_recovery_action kmd_version persistence_mode utilization.jpeg utilization.ofa vbios_version'.split(
    ' ',
  ),
);

const METRICS: ReadonlyMap<string, Meaning> = new Map([
  ...CATALOGUE.flatMap((entry): [string, Meaning][] =>
    smiNames(entry).map((name, position) => [name.toLowerCase(), readingOf(entry, name, Math.min(position, 1))]),
  ),
]);

const REASONS: ReadonlyMap<string, Meaning> = new Map(
  CLOCK_EVENT_REASONS.flatMap(({ bit, smi }): [string, Meaning][] =>
    smi === null
      ? []
      : ['clocks_event_reasons', 'clocks_throttle_reasons'].map((stem) => [`${stem}.${smi}`, { kind: 'reason', bit }]),
  ),
);

/** What a field of nvidia-smi is about; `name` is in lower case and without unit. Null for what is no field of it. */
export function smiMeaning(name: string): Meaning | null {
  const known = METRICS.get(name) ?? FIELDS.get(name) ?? REASONS.get(name);
  if (known !== undefined) return known;
  return FAMILIES.test(name) || SINGLE_FIELDS.has(name) ? { kind: 'unused' } : null;
}

/** The names of a metric under nvidia-smi, the canonical one first; none where it has no such field. */
export function smiNames({ smi }: Metric): readonly string[] {
  return smi === undefined ? [] : [smi.field, ...(smi.aliases ?? [])];
}

/** Factor of a number without a unit: the unit nvidia-smi would print. */
export function plainScale({ unit, smi }: Metric): number {
  return unitScale(unit, smi?.unit ?? '') ?? 1;
}

function readingOf(entry: Metric, name: string, rank: number): Meaning {
  const other = STAND_INS.get(name);
  const standsFor = other === undefined ? {} : { standsFor: metric(other) };
  return { kind: 'metric', metric: entry, scale: plainScale(entry), rank, ...standsFor };
}
