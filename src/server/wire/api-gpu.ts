import type { ApiGpu, ApiGpus } from '../../model/api.ts';
import type { Device } from '../../model/device.ts';
import type { PodRef } from '../../model/owner.ts';
import type { DeviceView, Snapshot } from '../../model/reader.ts';
import { apiDetails } from './api-details.ts';
import { apiMachine } from './api-machine.ts';
import { apiPod, apiProcess } from './api-process.ts';
import { apiReadings } from './api-readings.ts';

/** The snapshot as the API answers it. */
export function apiGpus(snapshot: Snapshot, host: string, source: string): ApiGpus {
  const { at, sequence, devices, machine } = snapshot;
  const gpus = devices.map((view) => ({ ...apiHead(view), ...apiReadings(view.readings, null), ...apiTail(view) }));
  return { at, host, source, sequence, gpus, machine: apiMachine(machine) };
}

type Head = ReturnType<typeof apiFacts> & Pick<ApiGpu, 'uuid' | 'state' | 'at'>;

/** What comes before the readings of a device. */
export function apiHead({ device, state, at }: DeviceView): Head {
  return { uuid: device.uuid, ...apiFacts(device), state, at };
}

/** What comes after the readings of a device. */
export function apiTail(view: DeviceView): Omit<ApiGpu, keyof Head | 'readings' | 'absent'> {
  const { processesPartial = null, details, allotted } = view;
  return { ...apiProcesses(view), processesPartial, details: apiDetails(details), allotted: apiAllotted(allotted) };
}

/** What stays the same about a device from tick to tick. */
export function apiFacts(device: Device) {
  const { index, name, vendor, pciBusId, driverVersion, minor, serial, facts = {}, mig = null } = device;
  return { index, name, vendor, pciBusId, driverVersion, minor, serial, facts, mig };
}

export function apiProcesses({ processes }: DeviceView): Pick<ApiGpu, 'processes' | 'processesAbsent'> {
  if ('absent' in processes) return { processes: [], processesAbsent: processes.absent };
  return { processes: processes.map(apiProcess), processesAbsent: null };
}

export function apiAllotted(allotted: readonly PodRef[] | undefined): ApiGpu['allotted'] {
  return allotted?.map(apiPod) ?? null;
}
