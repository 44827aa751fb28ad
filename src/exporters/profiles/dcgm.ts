import { slotOf } from '../../model/catalogue.ts';
import type { Device } from '../../model/device.ts';
import { isPresent, type Reading } from '../../model/reading.ts';
import type { SampleSink } from '../family.ts';
import type { LabelSet } from '../labels.ts';
import { type DeviceOwner, soleOwner } from '../owners.ts';
import type { Page, Profile, Row, Steps } from '../page.ts';
import { DcgmEvents } from './dcgm-events.ts';
import { type DcgmFields, type DcgmNames, dcgmFamilies, namesOf } from './dcgm-fields.ts';
import { dcgmLabels, dcgmOwner, type HostLabel, hostEntries } from './dcgm-labels.ts';
import { DcgmLinks } from './dcgm-links.ts';
import { LabelCache } from './label-cache.ts';
import { addOwnerSums } from './owner-sums.ts';
import { type ReadingFamily, writeReadings } from './write-readings.ts';

export interface DcgmOptions {
  readonly hostLabel: HostLabel;
  readonly names: DcgmNames;
  readonly fields: DcgmFields;
  /** Labels of pod, container and job on every series, as dcgm-exporter has them in a cluster. */
  readonly withOwner: boolean;
}

/** What dcgm-exporter lists and NVML cannot give in the same form. */
const NEVER = [
  'DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL',
  'DCGM_FI_DEV_VGPU_LICENSE_STATUS',
  'DCGM_EXP_GPU_HEALTH_STATUS',
  'DCGM_EXP_P2P_STATUS',
];

const UTIL_SLOT = slotOf('utilization_ratio');
const TOTAL_SLOT = slotOf('memory_total_bytes');
const USED_SLOT = slotOf('memory_used_bytes');
const RESERVED_SLOT = slotOf('memory_reserved_bytes');
const PERCENT_SLOT = slotOf('memory_used_ratio');

const DRIVER_LABELS: Readonly<Record<DcgmNames, readonly string[]>> = {
  legacy: ['DCGM_FI_DRIVER_VERSION'],
  renamed: ['DCGM_FI_SYSTEM_DRIVER_VERSION'],
  both: ['DCGM_FI_DRIVER_VERSION', 'DCGM_FI_SYSTEM_DRIVER_VERSION'],
};

/** dcgm-exporter's names, types, units and labels, for the devices that DCGM is about. */
export function dcgmProfile(host: string, options: DcgmOptions): Profile {
  const { names, fields, withOwner } = options;
  const hosts = hostEntries(host, options.hostLabel);
  const plain = new LabelCache(false, (row) => dcgmLabels(row, hosts, DRIVER_LABELS[names]));
  const labels = new LabelCache(withOwner, (row, owner) => {
    const base = plain.of(row);
    return base === null || owner === null ? base : dcgmOwner(base, owner);
  });
  const families = dcgmFamilies(fields, names);
  const shared = families.filter(({ slot }) => SHARES.has(slot));
  const events = new DcgmEvents(plain, names, withOwner);
  const links = new DcgmLinks(host);
  return {
    // The share of memory follows from its sizes: it is missing with them.
    series: families.flatMap(({ slot, family: { name } }) => (slot === PERCENT_SLOT ? [] : [{ slot, name }])),
    never: NEVER.flatMap((name) => namesOf(name, names)),
    ...(withOwner && { gaps: (row: Row) => shareGaps(row, shared) }),
    covers,
    *inSteps(page: Page, sink: SampleSink): Steps {
      const rows = firstOfEach(page.rows.filter(({ device }) => covers(device)));
      const sets = rows.map((row) => labels.of(row));
      yield* writeReadings(sink, families, rows, sets, (its) => {
        if (its.slot === PERCENT_SLOT) writePercents(rows, sets, sink);
        else if (withOwner) writeShares(its, rows, plain, sink);
      });
      yield;
      events.write(page, rows, sink);
      yield;
      links.write(rows, sink);
      yield;
    },
  };
}

/** DCGM knows NVIDIA's devices only; a log may not say whose it is from. */
function covers({ vendor }: Device): boolean {
  return vendor === 'nvidia' || vendor === 'unknown';
}

/** Several compute instances in one GPU instance have the same labels here: the first stands for it. */
function firstOfEach(rows: readonly Row[]): readonly Row[] {
  const seen = new Set<string>();
  return rows.filter(({ device: { mig } }) => {
    if (mig === undefined) return true;
    const key = `${mig.parent} ${mig.gpuInstance}`;
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

/** Only logs have the share of memory in use as a reading; else it follows from the sizes, as DCGM defines it. */
function writePercents(rows: readonly Row[], sets: readonly (LabelSet | null)[], sink: SampleSink): void {
  rows.forEach(({ readings }, i) => {
    const labels = sets[i];
    if (readings === null || labels == null || readings.number(PERCENT_SLOT) !== null) return;
    const [total, used] = [readings.number(TOTAL_SLOT), readings.number(USED_SLOT)];
    const room = total === null ? 0 : total - (readings.number(RESERVED_SLOT) ?? 0);
    if (used !== null && room > 0) sink.add(labels, used / room);
  });
}

/**
 * Where several share a device, its use per owner beside that of the whole device: a sum over all series counts twice,
 * as it does with dcgm-exporter. What the driver does not tell per process is not made up.
 */
function writeShares(
  { slot, convert }: ReadingFamily,
  rows: readonly Row[],
  plain: LabelCache,
  sink: SampleSink,
): void {
  const of = SHARES.get(slot);
  if (of === undefined) return;
  for (const row of rows) {
    const base = plain.of(row);
    if (base === null) continue;
    addOwnerSums(
      sink,
      sharersOf(row),
      (owner) => dcgmOwner(base, owner),
      (owner) => {
        const share = of(owner);
        return isPresent(share) ? share : null;
      },
      convert,
    );
  }
}

/** Owners that share a device and have a name here; none where it works for one alone. */
function sharersOf({ owners }: Row): readonly DeviceOwner[] {
  if (owners.length < 2 || soleOwner(owners) !== null) return [];
  return owners.filter(({ pod, container, job }) => pod !== null || container !== null || job !== null);
}

/** Series of which the part of an owner is missing, because the driver does not tell it of one of its processes. */
function shareGaps(row: Row, families: readonly ReadingFamily[]) {
  const owners = row.readings === null ? [] : sharersOf(row);
  if (owners.length === 0) return [];
  return families.flatMap(({ slot, family: { name } }) => {
    const of = SHARES.get(slot);
    const missing = of === undefined ? undefined : owners.map(of).find((share) => !isPresent(share));
    return missing === undefined || isPresent(missing)
      ? []
      : [{ name, reason: missing.absent, scope: 'owner' as const }];
  });
}

const SHARES: ReadonlyMap<number, (owner: DeviceOwner) => Reading> = new Map([
  [UTIL_SLOT, (owner) => owner.smRatio],
  [USED_SLOT, (owner) => owner.memoryBytes],
]);
