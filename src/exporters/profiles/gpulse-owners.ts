import type { Device } from '../../model/device.ts';
import { isPresent } from '../../model/reading.ts';
import { family, type SampleSink } from '../family.ts';
import type { LabelSet } from '../labels.ts';
import type { DeviceOwner } from '../owners.ts';
import type { Page, Row } from '../page.ts';
import { deviceLabels, ownerLabels } from './gpulse-labels.ts';
import { addOwnerSums } from './owner-sums.ts';

const INFO = family(
  'info',
  'gpulse_owner_info',
  'Whom a device works for, one series per owner; the value is 1. Join it to the series of the device by gpu or uuid.',
);
const PROCESSES = family('gauge', 'gpulse_owner_processes', 'Processes of this owner on the device.');
const MEMORY = family(
  'gauge',
  'gpulse_owner_memory_used_bytes',
  'Device memory held by the processes of this owner. Missing where the driver does not tell it per process.',
);
const SM = family(
  'gauge',
  'gpulse_owner_sm_ratio',
  'Share of the multiprocessors used by the processes of this owner. Missing where the driver does not tell it per process.',
);
const ALL = family('gauge', 'gpulse_processes', 'Processes on the device.');

interface OwnerSets {
  /** Of figures. */
  readonly labels: LabelSet;
  /** Of the info series, which tells more. */
  readonly info: LabelSet;
}

/** Owners come and go; more than this of one device are forgotten. */
const MOST_OWNERS = 200;
const sets = new WeakMap<Device, { plain: LabelSet; owners: Map<string, OwnerSets> }>();

function setsOf(device: Device): { plain: LabelSet; owners: Map<string, OwnerSets> } {
  let known = sets.get(device);
  if (known === undefined) {
    known = { plain: deviceLabels(device), owners: new Map() };
    sets.set(device, known);
  }
  return known;
}

function ownerSets(device: Device, owner: DeviceOwner): OwnerSets {
  const { plain, owners } = setsOf(device);
  const before = owners.get(owner.key);
  if (before !== undefined) return before;
  const labels = plain.with(ownerLabels(owner));
  const info = labels.with([
    ['pod_uid', owner.podUid],
    ['unit', owner.unit],
  ]);
  if (owners.size >= MOST_OWNERS) owners.clear();
  owners.set(owner.key, { labels, info });
  return { labels, info };
}

/**
 * One series per owner of a device. Two owners that differ only in what is no label of a series, such as the unit, are
 * one: their figures are added.
 */
export function writeOwners({ rows }: Page, sink: SampleSink): void {
  sink.begin(ALL);
  for (const row of rows) {
    const { processes } = row.view;
    if (row.readings !== null && !('absent' in processes)) sink.add(setsOf(row.device).plain, processes.length);
  }
  sink.begin(INFO);
  for (const row of rows) {
    const infos = row.owners.filter(isNamed).map((owner) => ownerSets(row.device, owner).info);
    // What a label cannot hold is replaced in it, which may make two names one.
    for (const info of new Map(infos.map((labels) => [labels.text, labels])).values()) sink.add(info, 1);
  }
  sink.begin(PROCESSES);
  addUp(rows, sink, (owner) => owner.processes);
  sink.begin(MEMORY);
  addUp(rows, sink, ({ memoryBytes }) => (isPresent(memoryBytes) ? memoryBytes : null));
  sink.begin(SM);
  addUp(rows, sink, ({ smRatio }) => (isPresent(smRatio) ? smRatio : null));
}

/** False for processes of which nothing is known: their figures are told, but they are nobody's. */
function isNamed({ namespace, pod, podUid, container, job, user, unit }: DeviceOwner): boolean {
  return [namespace, pod, podUid, container, job, user, unit].some((part) => part !== null);
}

/** What cannot be told of the processes of a device or of its owners, with the reason. */
export function ownerGaps({ view, owners, readings }: Row): readonly { name: string; reason: string }[] {
  if (readings === null) return [];
  const { processes } = view;
  if ('absent' in processes) return [ALL, MEMORY, SM].map(({ name }) => ({ name, reason: processes.absent }));
  const memory = owners.map(({ memoryBytes }) => memoryBytes).find((reading) => !isPresent(reading));
  const sm = owners.map(({ smRatio }) => smRatio).find((reading) => !isPresent(reading));
  return [
    ...(memory !== undefined && !isPresent(memory) ? [{ name: MEMORY.name, reason: memory.absent }] : []),
    ...(sm !== undefined && !isPresent(sm) ? [{ name: SM.name, reason: sm.absent }] : []),
  ];
}

function addUp(rows: readonly Row[], sink: SampleSink, of: (owner: DeviceOwner) => number | null): void {
  for (const { device, owners } of rows) {
    if (owners.length > 0) addOwnerSums(sink, owners, (owner) => ownerSets(device, owner).labels, of);
  }
}
