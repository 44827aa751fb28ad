import type { ApiGpu, ApiGpus } from '../model/api.ts';
import type { ApiPod, ApiProcess } from '../model/api-process.ts';
import { DEVICE_METRICS } from '../model/catalogue.ts';
import type { Device } from '../model/device.ts';
import type { Owner } from '../model/owner.ts';
import type { GpuProcess } from '../model/process.ts';
import type { DeviceView, Snapshot } from '../model/reader.ts';
import { absent, type Reading } from '../model/reading.ts';
import { ReadingSet } from '../model/reading-set.ts';

/** What a server answered under `gpus`, as it was before it was put on the wire. */
export function servedSnapshot({ at, sequence, gpus }: ApiGpus): Snapshot {
  return { at, sequence, devices: gpus.map(viewOf) };
}

function viewOf(gpu: ApiGpu): DeviceView {
  const { uuid, vendor, name, index, pciBusId, minor, serial, driverVersion, mig, facts } = gpu;
  const device: Device = {
    ...{ uuid, vendor, name, index, pciBusId, minor, serial, driverVersion, facts },
    ...(mig !== null && { mig }),
    // The wire does not carry it, but what gpulse makes up has a form of its own.
    ...(isMadeUp(uuid) && { uuidIsDerived: true }),
  };
  return {
    device,
    at: gpu.at,
    state: gpu.state,
    readings: readingsOf(gpu),
    processes: gpu.processesAbsent === null ? gpu.processes.map(processOf) : absent(gpu.processesAbsent),
    ...(gpu.processesPartial !== null && { processesPartial: gpu.processesPartial }),
    ...(gpu.allotted !== null && { allotted: gpu.allotted.map(podOf) }),
  };
}

function isMadeUp(uuid: string): boolean {
  return /^(?:GPU-(?:pci|index)-|log-)/.test(uuid);
}

function readingsOf({ readings, absent: reasons }: ApiGpu): ReadingSet {
  const set = new ReadingSet();
  for (const { id, slot } of DEVICE_METRICS) {
    const value = readings[id];
    if (typeof value === 'number') set.setValue(slot, value);
    else set.setAbsent(slot, reasons[id] ?? 'not-collected');
  }
  return set;
}

/** The wire has no reason for a missing figure of a process. */
function figure(value: number | null): Reading {
  return value ?? absent('not-collected');
}

function processOf(process: ApiProcess): GpuProcess {
  const { pid, kind, name, user, startedAt, command, owner } = process;
  return {
    ...{ pid, kind, name, user, startedAt, command },
    memoryBytes: figure(process.memoryBytes),
    smRatio: figure(process.smRatio),
    memoryRatio: figure(process.memoryRatio),
    encoderRatio: figure(process.encoderRatio),
    decoderRatio: figure(process.decoderRatio),
    cpuRatio: figure(process.cpuRatio),
    hostMemoryBytes: figure(process.hostMemoryBytes),
    owner: owner === null ? null : ownerOf(owner),
  };
}

function ownerOf({ container, pod, job, unit }: NonNullable<ApiProcess['owner']>): Owner {
  return {
    container: container === null ? null : { ...container, labels: {} },
    pod: pod === null ? null : podOf(pod),
    job,
    unit,
  };
}

function podOf({ uid, namespace, name, container }: ApiPod): ApiPod {
  return { uid, namespace, name, container };
}
