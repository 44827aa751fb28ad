import { CATALOGUE, type Metric, type MetricId, slotOf } from '../../model/catalogue.ts';
import { family } from '../family.ts';
import type { ReadingFamily } from './write-readings.ts';

/** What nvidia_gpu_exporter puts behind a name for the unit that nvidia-smi prints; it converts to base units. */
const SUFFIX: Readonly<Record<string, string>> = {
  '%': '_ratio',
  MiB: '_bytes',
  W: '_watts',
  MHz: '_clock_hz',
  us: '_seconds',
};

/** Fields beside those of the catalogue that the exporter gives of the same readings. */
const MORE: readonly { readonly id: MetricId; readonly field: string; readonly unit: string }[] = [
  { id: 'power_average_watts', field: 'power.draw.average', unit: 'W' },
  { id: 'mig_mode', field: 'mig.mode.current', unit: '' },
  { id: 'pcie_link_generation', field: 'pcie.link.gen.gpucurrent', unit: '' },
  { id: 'ecc_dram_corrected_volatile_total', field: 'ecc.errors.corrected.volatile.device_memory', unit: '' },
  { id: 'ecc_dram_uncorrected_volatile_total', field: 'ecc.errors.uncorrected.volatile.device_memory', unit: '' },
  { id: 'ecc_dram_corrected_aggregate_total', field: 'ecc.errors.corrected.aggregate.device_memory', unit: '' },
  { id: 'ecc_dram_uncorrected_aggregate_total', field: 'ecc.errors.uncorrected.aggregate.device_memory', unit: '' },
];

/** What its NVML backend adds, under names of its own. */
const NVML_ONLY: readonly { readonly id: MetricId; readonly name: string }[] = [
  { id: 'energy_joules_total', name: 'energy_joules_total' },
  { id: 'pcie_tx_bytes_per_second', name: 'pcie_throughput_tx_bytes_per_second' },
  { id: 'pcie_rx_bytes_per_second', name: 'pcie_throughput_rx_bytes_per_second' },
];

/** Series of a GPU instance, by its number. */
const MIG: readonly { readonly id: MetricId; readonly name: string }[] = [
  { id: 'memory_total_bytes', name: 'mig_memory_total_bytes' },
  { id: 'memory_used_bytes', name: 'mig_memory_used_bytes' },
  { id: 'memory_free_bytes', name: 'mig_memory_free_bytes' },
  { id: 'memory_reserved_bytes', name: 'mig_memory_reserved_bytes' },
  { id: 'graphics_engine_active_ratio', name: 'mig_graphics_activity_ratio' },
  { id: 'sm_active_ratio', name: 'mig_sm_activity_ratio' },
  { id: 'sm_occupancy_ratio', name: 'mig_sm_occupancy_ratio' },
  { id: 'tensor_active_ratio', name: 'mig_tensor_activity_ratio' },
];

const PREFIX = 'nvidia_smi_';

/** `clocks.current.sm` in MHz is `nvidia_smi_clocks_current_sm_clock_hz`. */
export function smiName(field: string, unit: string): string {
  const snake = field
    .replaceAll(/[.\s-]+/g, '_')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase();
  return `${PREFIX}${snake}${SUFFIX[unit] ?? ''}`;
}

function fieldFamily(slot: number, field: string, unit: string): ReadingFamily {
  const help = SUFFIX[unit] === undefined ? field : `${field} [${unit}]`;
  return { family: { ...family('gauge', smiName(field, unit), help), unit: null }, slot };
}

function namedFamily({ id, name }: { readonly id: MetricId; readonly name: string }): ReadingFamily {
  const { help, kind, slot } = CATALOGUE[slotOf(id)] as Metric;
  return { family: family(kind === 'counter' ? 'counter' : 'gauge', `${PREFIX}${name}`, help.en), slot };
}

/** Families of a whole GPU. */
export const SMI_FAMILIES: readonly ReadingFamily[] = [
  ...CATALOGUE.flatMap(({ smi, slot }) => (smi === undefined ? [] : [fieldFamily(slot, smi.field, smi.unit)])),
  ...MORE.map(({ id, field, unit }) => fieldFamily(slotOf(id), field, unit)),
  ...NVML_ONLY.map(namedFamily),
];

/** Families of a GPU instance. */
export const SMI_MIG_FAMILIES: readonly ReadingFamily[] = MIG.map(namedFamily);
