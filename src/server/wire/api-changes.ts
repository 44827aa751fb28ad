import type { ApiTickMessage } from '../../model/api.ts';
import type { Device, DeviceFact } from '../../model/device.ts';
import type { DeviceView, Snapshot } from '../../model/reader.ts';
import { detailsChange } from './api-details.ts';
import { apiAllotted, apiFacts, apiProcesses, apiTail } from './api-gpu.ts';
import { machineChange } from './api-machine.ts';
import { processChange } from './api-process.ts';
import { apiReadings, readingsDiffer } from './api-readings.ts';

/** A snapshot with the name of the source it came from. */
export interface Sourced {
  readonly snapshot: Snapshot;
  readonly source: string;
}

/** A tick message without its events: the part that is the same in every language. */
export type Changes = Omit<ApiTickMessage, 'events'>;

type GpuChange = Changes['gpus'][number];

/** What has to be said to someone who knows `before`. */
export function changesBetween(before: Sourced, after: Sourced): Changes {
  const old = before.snapshot;
  const { at, sequence, devices } = after.snapshot;
  const gpus: GpuChange[] = [];
  let moved = devices.length !== old.devices.length;
  for (const [position, view] of devices.entries()) {
    const known = findKnown(old, view, position);
    if (known !== old.devices[position]) moved = true;
    const change = changeOf(view, known);
    if (change !== null) gpus.push(change);
  }
  const changes: Changes = { at, sequence, gpus };
  if (after.source !== before.source) changes.source = after.source;
  if (moved) changes.order = devices.map(({ device }) => device.uuid);
  const machine = machineChange(after.snapshot.machine, old.machine);
  if (machine !== undefined) changes.machine = machine;
  return changes;
}

/** True where there is nothing to say. */
export function isNothing(changes: Changes, before: Sourced): boolean {
  const { at, sequence, source, order, gpus, machine } = changes;
  const known = before.snapshot;
  return gpus.length === 0 && !source && !order && !machine && at === known.at && sequence === known.sequence;
}

/** The device in the snapshot before, nearly always at the same position. */
function findKnown(old: Snapshot, { device }: DeviceView, position: number): DeviceView | undefined {
  const there = old.devices[position];
  return there?.device.uuid === device.uuid ? there : old.devices.find((view) => view.device.uuid === device.uuid);
}

/** What changed about one device, or null. Everything about a device that is new. */
function changeOf(now: DeviceView, before: DeviceView | undefined): GpuChange | null {
  const { device, state, at, readings } = now;
  const change = { uuid: device.uuid, state, at };
  if (before === undefined) {
    return { ...change, facts: apiFacts(device), ...apiReadings(readings, null), ...apiTail(now) };
  }
  const rest = changedRest(now, before);
  const isQuiet = rest === null && state === before.state && at === before.at;
  if (isQuiet && !readingsDiffer(readings, before.readings)) return null;
  return { ...change, ...apiReadings(readings, before.readings), ...rest };
}

/** What changed beside state, time and readings; null for nothing. */
function changedRest(now: DeviceView, before: DeviceView): Partial<GpuChange> | null {
  const rest: Partial<GpuChange> = {};
  if (!hasSameFacts(now.device, before.device)) rest.facts = apiFacts(now.device);
  const processes = processChange(now.processes, before.processes);
  if (processes === 'more') Object.assign(rest, apiProcesses(now));
  else if (processes !== null) rest.processChanges = processes;
  if (now.processesPartial !== before.processesPartial) rest.processesPartial = now.processesPartial ?? null;
  const details = detailsChange(now.details, before.details);
  if (details !== undefined) rest.details = details;
  if (now.allotted !== before.allotted) {
    const allotted = apiAllotted(now.allotted);
    if (JSON.stringify(allotted) !== JSON.stringify(apiAllotted(before.allotted))) rest.allotted = allotted;
  }
  return Object.keys(rest).length === 0 ? null : rest;
}

function hasSameFacts(a: Device, b: Device): boolean {
  return (
    a === b ||
    (a.index === b.index &&
      a.name === b.name &&
      a.vendor === b.vendor &&
      a.pciBusId === b.pciBusId &&
      a.driverVersion === b.driverVersion &&
      a.minor === b.minor &&
      a.serial === b.serial &&
      hasSameTexts(a.facts ?? {}, b.facts ?? {}) &&
      JSON.stringify(a.mig) === JSON.stringify(b.mig))
  );
}

type Facts = Readonly<Partial<Record<DeviceFact, string>>>;

function hasSameTexts(a: Facts, b: Facts): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
