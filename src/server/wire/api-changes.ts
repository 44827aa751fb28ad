import type { ApiTickMessage } from '../../model/api.ts';
import type { Device } from '../../model/device.ts';
import type { GpuProcess } from '../../model/process.ts';
import type { DeviceView, Snapshot } from '../../model/reader.ts';
import type { Absent } from '../../model/reading.ts';
import { apiFacts, apiProcesses } from './api-gpu.ts';
import { apiReadings, readingsDiffer } from './api-readings.ts';

/** A snapshot with the name of the source it came from. */
export interface Sourced {
  readonly snapshot: Snapshot;
  readonly source: string;
}

/** A tick message without its events: the part that is the same in every language. */
export type Changes = Omit<ApiTickMessage, 'events'>;

/** What has to be said to someone who knows `before`. */
export function changesBetween(before: Sourced, after: Sourced): Changes {
  const old = before.snapshot;
  const { at, sequence, devices } = after.snapshot;
  const gpus: Changes['gpus'] = [];
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
  return changes;
}

/** True where there is nothing to say. */
export function isNothing(changes: Changes, before: Sourced): boolean {
  const { at, sequence, source, order, gpus } = changes;
  const known = before.snapshot;
  return gpus.length === 0 && !source && !order && at === known.at && sequence === known.sequence;
}

/** The device in the snapshot before, nearly always at the same position. */
function findKnown(old: Snapshot, { device }: DeviceView, position: number): DeviceView | undefined {
  const there = old.devices[position];
  return there?.device.uuid === device.uuid ? there : old.devices.find((view) => view.device.uuid === device.uuid);
}

/** What changed about one device, or null. Everything about a device that is new. */
function changeOf(now: DeviceView, before: DeviceView | undefined): Changes['gpus'][number] | null {
  const { device, state, at, readings, processes } = now;
  const change = { uuid: device.uuid, state, at };
  if (before === undefined) {
    return { ...change, facts: apiFacts(device), ...apiReadings(readings, null), ...apiProcesses(processes) };
  }
  const factsChanged = !sameFacts(device, before.device);
  const processesChanged = !sameProcesses(processes, before.processes);
  const changed = factsChanged || processesChanged || state !== before.state || at !== before.at;
  if (!changed && !readingsDiffer(readings, before.readings)) return null;
  return {
    ...change,
    ...(factsChanged && { facts: apiFacts(device) }),
    ...apiReadings(readings, before.readings),
    ...(processesChanged && apiProcesses(processes)),
  };
}

function sameFacts(a: Device, b: Device): boolean {
  return (
    a === b ||
    (a.index === b.index &&
      a.name === b.name &&
      a.vendor === b.vendor &&
      a.pciBusId === b.pciBusId &&
      a.driverVersion === b.driverVersion)
  );
}

type Processes = readonly GpuProcess[] | Absent;

function sameProcesses(a: Processes, b: Processes): boolean {
  if (a === b) return true;
  if ('absent' in a || 'absent' in b) return 'absent' in a && 'absent' in b && a.absent === b.absent;
  return a.length === b.length && a.every((process, i) => sameProcess(process, b[i]!));
}

function sameProcess(a: GpuProcess, b: GpuProcess): boolean {
  return (
    a === b ||
    (a.pid === b.pid && a.kind === b.kind && a.memoryBytes === b.memoryBytes && a.name === b.name && a.user === b.user)
  );
}
