import { DEVICE_METRICS, type Metric, type MetricId, metric } from '../../../model/catalogue.ts';
import type { Vendor } from '../../../model/device.ts';
import { fieldOfTag } from '../dcgm/names.ts';

/** What a series is about. */
export type Target =
  /** A field of DCGM, in the units of DCGM. */
  | { readonly kind: 'dcgm'; readonly field: string }
  /** `isAlias`: another series of the same exporter says it better. */
  | { readonly kind: 'metric'; readonly metric: Metric; readonly scale: number; readonly isAlias: boolean }
  | { readonly kind: 'process'; readonly isMemory: boolean }
  /** Only its labels say something. */
  | { readonly kind: 'info' };

/** A series that belongs to GPUs. */
export interface Family {
  readonly target: Target;
  readonly vendor: Vendor | null;
  /** Where the GPU is part of the name. */
  readonly uuid: string | null;
  /** Whether a `uuid` label lacks the `GPU-` it begins with elsewhere. */
  readonly isBareUuid: boolean;
}

const MIB = 2 ** 20;

type Row = readonly [name: string, id: MetricId, scale: number];

/** Exporters whose names follow no list: the smaller one for NVIDIA, those of AMD and Huawei, and all-smi. */
const OTHERS: readonly { readonly prefix: RegExp; readonly vendor: Vendor | null; readonly rows: readonly Row[] }[] = [
  {
    prefix: /^nvidia_gpu_/,
    vendor: 'nvidia',
    rows: [
      ['memory_used_bytes', 'memory_used_bytes', 1],
      ['memory_total_bytes', 'memory_total_bytes', 1],
      ['duty_cycle', 'utilization_ratio', 0.01],
      ['power_usage_milliwatts', 'power_watts', 0.001],
      ['temperature_celsius', 'temperature_celsius', 1],
      ['fanspeed_percent', 'fan_speed_ratio', 0.01],
    ],
  },
  {
    prefix:
      /^(?:amd_)?gpu_(?=(?:gfx|umc)_activity|(?:total|used|free)_vram|(?:average_)?package_power|power_usage$|edge_t|junction_t|memory_temp)/,
    vendor: 'amd',
    rows: [
      ['gfx_activity', 'utilization_ratio', 0.01],
      ['umc_activity', 'memory_utilization_ratio', 0.01],
      ['total_vram', 'memory_total_bytes', MIB],
      ['used_vram', 'memory_used_bytes', MIB],
      ['free_vram', 'memory_free_bytes', MIB],
      ['package_power', 'power_watts', 1],
      ['average_package_power', 'power_watts', 1],
      ['power_usage', 'power_watts', 1],
      ['edge_temperature', 'temperature_celsius', 1],
      ['junction_temperature', 'temperature_celsius', 1],
      ['memory_temperature', 'memory_temperature_celsius', 1],
    ],
  },
  {
    prefix: /^npu_chip_info_/,
    vendor: 'huawei',
    rows: [
      ['utilization', 'utilization_ratio', 0.01],
      ['temperature', 'temperature_celsius', 1],
      ['power', 'power_watts', 1],
      ['hbm_used_memory', 'memory_used_bytes', MIB],
      ['hbm_total_memory', 'memory_total_bytes', MIB],
      ['aicore_current_freq', 'sm_clock_hertz', 1e6],
    ],
  },
  {
    prefix: /^all_smi_gpu_/,
    vendor: null,
    rows: [
      ['utilization', 'utilization_ratio', 0.01],
      ['memory_used_bytes', 'memory_used_bytes', 1],
      ['memory_total_bytes', 'memory_total_bytes', 1],
      ['temperature_celsius', 'temperature_celsius', 1],
      ['power_consumption_watts', 'power_watts', 1],
      ['frequency_mhz', 'graphics_clock_hertz', 1e6],
    ],
  },
];

/** What nvidia_gpu_exporter puts behind the name of a field of nvidia-smi, since it turns values into base units. */
const SUFFIXES: Readonly<Record<string, string>> = {
  '%': '_ratio',
  MiB: '_bytes',
  W: '_watts',
  MHz: '_clock_hz',
  us: '_seconds',
};

const SMI_PREFIX = 'nvidia_smi_';

/** Values of nvidia_gpu_exporter that come from the library and are no fields of nvidia-smi. */
const SMI_EXTRA: readonly Row[] = [
  ['energy_joules_total', 'energy_joules_total', 1],
  ['pcie_throughput_tx_bytes_per_second', 'pcie_tx_bytes_per_second', 1],
  ['pcie_throughput_rx_bytes_per_second', 'pcie_rx_bytes_per_second', 1],
];

const SMI_TARGETS: ReadonlyMap<string, Target> = new Map([
  ...DEVICE_METRICS.flatMap(smiTargets),
  ...SMI_EXTRA.map(([name, id, scale]) => [SMI_PREFIX + name, metricTarget(id, scale)] as const),
  [`${SMI_PREFIX}gpu_info`, { kind: 'info' }],
  [`${SMI_PREFIX}compute_app_info`, { kind: 'process', isMemory: false }],
  [`${SMI_PREFIX}compute_app_used_memory_bytes`, { kind: 'process', isMemory: true }],
  [`${SMI_PREFIX}compute_apps`, { kind: 'process', isMemory: false }],
] as const);

const GPU_IN_NAME = /^(GPU-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})[_:.](\w+)$/i;

/** What series of this name are about, or null where they are not about GPUs or no metric is known. */
export function familyOf(name: string): Family | null {
  const family = (target: Target, more: Partial<Family> = {}): Family => ({
    target,
    vendor: 'nvidia',
    uuid: null,
    isBareUuid: false,
    ...more,
  });
  if (name.startsWith('DCGM_FI_')) return family({ kind: 'dcgm', field: name });
  const smi = SMI_TARGETS.get(name);
  if (smi !== undefined) return family(smi, { isBareUuid: true });
  const inName = GPU_IN_NAME.exec(name);
  const tag = inName?.[2] ?? (name.startsWith('dcgm_') ? name.slice('dcgm_'.length) : undefined);
  const field = tag === undefined ? undefined : fieldOfTag(tag);
  if (field !== undefined) return family({ kind: 'dcgm', field }, { uuid: inName?.[1] ?? null });
  for (const { prefix, vendor, rows } of OTHERS) {
    const start = prefix.exec(name)?.[0];
    const row = start === undefined ? undefined : rows.find(([rest]) => rest === name.slice(start.length));
    if (row !== undefined) return family(metricTarget(row[1], row[2]), { vendor });
  }
  return null;
}

/** True for names of the exporters that are known, whether their metric is or not. */
export function isGpuName(name: string): boolean {
  return /^(?:DCGM_|dcgm_|nvidia_smi_|nvidia_gpu_|npu_chip_info_|all_smi_gpu_)/.test(name) || GPU_IN_NAME.test(name);
}

function metricTarget(id: MetricId, scale: number, isAlias = false): Target {
  return { kind: 'metric', metric: metric(id), scale, isAlias };
}

function smiTargets({ id, smi, states }: Metric): (readonly [string, Target])[] {
  // Of modes the exporter only numbers those that are on or off as gpulse does.
  if (smi === undefined || (states !== undefined && states.length !== 2)) return [];
  return [smi.field, ...(smi.aliases ?? [])].map((field, position) => {
    const snake = field
      .replaceAll(/[.\s]/g, '_')
      .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
      .toLowerCase();
    return [SMI_PREFIX + snake + (SUFFIXES[smi.unit] ?? ''), metricTarget(id, 1, position > 0)] as const;
  });
}
