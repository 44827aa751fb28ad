import { MACHINE_METRICS } from './catalogue.ts';
import { ACTIVITY_METRICS } from './metrics/activity.ts';
import { CLOCK_EVENT_METRICS } from './metrics/clock-events.ts';
import { CLOCK_METRICS } from './metrics/clocks.ts';
import { ECC_METRICS } from './metrics/ecc.ts';
import { ECC_LOCATION_METRICS } from './metrics/ecc-locations.ts';
import type { MetricEntry } from './metrics/entry.ts';
import { FABRIC_METRICS } from './metrics/fabric.ts';
import { MEMORY_METRICS } from './metrics/memory.ts';
import { MEMORY_REPAIR_METRICS } from './metrics/memory-repair.ts';
import { MODE_METRICS } from './metrics/modes.ts';
import { NVLINK_METRICS } from './metrics/nvlink.ts';
import { PCIE_METRICS } from './metrics/pcie.ts';
import { PEAK_METRICS } from './metrics/peaks.ts';
import { THERMAL_POWER_METRICS } from './metrics/thermal-power.ts';
import { UTILISATION_METRICS } from './metrics/utilisation.ts';

/** What metrics are about, in the order in which a long list is shown. The words are in the message table. */
export const TOPICS = [
  'utilisation',
  'activity',
  'memory',
  'thermal',
  'clocks',
  'peaks',
  'pcie',
  'nvlink',
  'ecc',
  'modes',
  'host',
] as const;

export type Topic = (typeof TOPICS)[number];

const MEMBERS: Readonly<Record<Topic, readonly Pick<MetricEntry, 'id'>[]>> = {
  utilisation: UTILISATION_METRICS,
  activity: ACTIVITY_METRICS,
  memory: MEMORY_METRICS,
  thermal: THERMAL_POWER_METRICS,
  clocks: [...CLOCK_METRICS, ...CLOCK_EVENT_METRICS],
  peaks: PEAK_METRICS,
  pcie: PCIE_METRICS,
  nvlink: [...NVLINK_METRICS, ...FABRIC_METRICS],
  ecc: [...ECC_METRICS, ...ECC_LOCATION_METRICS, ...MEMORY_REPAIR_METRICS],
  modes: MODE_METRICS,
  host: MACHINE_METRICS,
};

const BY_ID: ReadonlyMap<string, Topic> = new Map(
  TOPICS.flatMap((topic) => MEMBERS[topic].map(({ id }): [string, Topic] => [id, topic])),
);

/** What a metric is about. Every entry of the catalogue has a topic, which a test holds. */
export function topicOf(id: string): Topic {
  return BY_ID.get(id) ?? 'modes';
}
