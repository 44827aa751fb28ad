import { ACTIVITY_METRICS } from './metrics/activity.ts';
import { CLOCK_EVENT_METRICS } from './metrics/clock-events.ts';
import { CLOCK_METRICS } from './metrics/clocks.ts';
import { ECC_METRICS } from './metrics/ecc.ts';
import { ECC_LOCATION_METRICS } from './metrics/ecc-locations.ts';
import type { MetricEntry } from './metrics/entry.ts';
import { FABRIC_METRICS } from './metrics/fabric.ts';
import { HOST_METRICS } from './metrics/host.ts';
import { MEMORY_METRICS } from './metrics/memory.ts';
import { MEMORY_REPAIR_METRICS } from './metrics/memory-repair.ts';
import { MODE_METRICS } from './metrics/modes.ts';
import { NVLINK_METRICS } from './metrics/nvlink.ts';
import { PCIE_METRICS } from './metrics/pcie.ts';
import { PEAK_METRICS } from './metrics/peaks.ts';
import { THERMAL_POWER_METRICS } from './metrics/thermal-power.ts';
import { UTILISATION_METRICS } from './metrics/utilisation.ts';

/**
 * The metric catalogue: the one list from which column names, labels, units, exporter names and docs are derived.
 * The position of an entry is its slot in a {@link ReadingSet}; storage keeps ids, so entries may be added anywhere.
 */
const METRICS = [
  ...UTILISATION_METRICS,
  ...ACTIVITY_METRICS,
  ...PEAK_METRICS,
  ...MEMORY_METRICS,
  ...THERMAL_POWER_METRICS,
  ...CLOCK_METRICS,
  ...CLOCK_EVENT_METRICS,
  ...PCIE_METRICS,
  ...NVLINK_METRICS,
  ...FABRIC_METRICS,
  ...ECC_METRICS,
  ...ECC_LOCATION_METRICS,
  ...MEMORY_REPAIR_METRICS,
  ...MODE_METRICS,
  ...HOST_METRICS,
] as const;

export type MetricId = (typeof METRICS)[number]['id'];

export interface Metric extends MetricEntry {
  readonly id: MetricId;
  /** Position in the catalogue and in every ReadingSet. */
  readonly slot: number;
}

export const CATALOGUE: readonly Metric[] = METRICS.map((entry, slot) => ({ ...entry, slot }));

/** The metrics of devices, which is all that a device sample is about. They fill the first slots. */
export const DEVICE_METRICS: readonly Metric[] = CATALOGUE.filter(({ scope }) => scope !== 'host');

/** The metrics of the machine, which only a HostSample carries. */
export const MACHINE_METRICS: readonly Metric[] = CATALOGUE.filter(({ scope }) => scope === 'host');

const BY_ID: ReadonlyMap<string, Metric> = new Map(CATALOGUE.map((metric) => [metric.id, metric]));

/** The catalogue entry, or undefined for a name that is not a metric (user input). */
export function findMetric(id: string): Metric | undefined {
  return BY_ID.get(id);
}

/** The catalogue entry of a known id. */
export function metric(id: MetricId): Metric {
  return BY_ID.get(id) as Metric;
}

/** Slot of a known id, to be looked up once and kept by hot code. */
export function slotOf(id: MetricId): number {
  return metric(id).slot;
}
